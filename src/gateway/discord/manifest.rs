//! What the bot needs of Discord: its commands, what it may do, which events it is sent.
//!
//! `manifests/discord.json` is written from here; a test keeps it so.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Value, json};
use serenity::model::{Permissions, gateway::GatewayIntents};

use crate::{
    chat::commands::{
        Argument::{File, Flow, Member, Reason},
        COMMANDS, Entry,
        Taken::{As, Menu, Not},
        Verb, Who,
        flows::{invitable, scoring, startable},
    },
    config::settings::DiscordConnection,
    flow::{Library, LoadedFlow},
    gateway::discord::kinds::{
        CommandOptionType as Kind, CommandType, InstallationContext, InteractionContext,
    },
    messages,
    model::session::Platform,
};

/// Slash command for staff: how somebody is, or everybody.
pub const REVIEW: &str = "review";
/// Command in the menu of a user, for staff: how that person is.
pub(crate) const REVIEW_USER: &str = messages::commands::REVIEW_MENU;

/// What the bot must be allowed to do in a server.
pub const PERMISSIONS: Permissions = Permissions::VIEW_CHANNEL
    .union(Permissions::SEND_MESSAGES)
    .union(Permissions::EMBED_LINKS)
    .union(Permissions::ATTACH_FILES)
    .union(Permissions::READ_MESSAGE_HISTORY)
    .union(Permissions::MANAGE_ROLES)
    .union(Permissions::CREATE_PUBLIC_THREADS)
    .union(Permissions::CREATE_PRIVATE_THREADS)
    .union(Permissions::SEND_MESSAGES_IN_THREADS)
    .union(Permissions::MANAGE_THREADS);

/// What the bot is told of without anybody's leave: servers, messages that are for it.
pub(crate) const INTENTS: GatewayIntents = GatewayIntents::GUILDS
    .union(GatewayIntents::GUILD_MESSAGES)
    .union(GatewayIntents::DIRECT_MESSAGES);

/// What an application asks for when it is added to a server.
const SCOPES: [&str; 2] = ["bot", "applications.commands"];

/// What the bot is told of, privileged intents that were granted included.
pub fn intents(connection: &DiscordConnection) -> GatewayIntents {
    let mut intents = INTENTS;
    if connection.message_content {
        intents |= GatewayIntents::MESSAGE_CONTENT;
    }
    if connection.members {
        intents |= GatewayIntents::GUILD_MEMBERS | GatewayIntents::GUILD_MODERATION;
    }
    intents
}

/// The page on which an operator adds the bot to a server, with exactly what it needs.
pub fn invite(application: &str) -> String {
    format!(
        "https://discord.com/oauth2/authorize?client_id={application}&permissions={}&scope={}",
        PERMISSIONS.bits(),
        SCOPES.join("+")
    )
}

/// A text in English, German and French.
#[derive(Clone, Copy)]
struct Said([&'static str; 3]);

/// English, German, French.
const fn said(en: &'static str, de: &'static str, fr: &'static str) -> Said {
    Said([en, de, fr])
}

/// The languages that are not the first.
#[derive(Debug, Serialize)]
struct Localizations {
    de: &'static str,
    fr: &'static str,
}

/// What something is called, and what it says of itself; the latter stands in no context menu.
#[derive(Debug, Serialize)]
struct Named<K> {
    #[serde(rename = "type")]
    kind: K,
    name: &'static str,
    name_localizations: Localizations,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description_localizations: Option<Localizations>,
}

/// Something that can be given with a command, or stands under it.
#[derive(Debug, Serialize)]
struct CommandOption {
    #[serde(flatten)]
    named: Named<Kind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    required: Option<bool>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<Self>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    choices: Vec<Choice>,
}

/// One of what can be given.
#[derive(Debug, Serialize)]
struct Choice {
    name: String,
    value: String,
}

/// A command with what can be given with it.
#[derive(Debug, Serialize)]
struct Command {
    #[serde(flatten)]
    named: Named<CommandType>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    options: Vec<CommandOption>,
    /// What somebody must be allowed to do to see it; a server may say otherwise for itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    default_member_permissions: Option<Permissions>,
    contexts: [InteractionContext; 1],
    integration_types: [InstallationContext; 1],
}

fn named<K>(kind: K, Said([name, de, fr]): Said, about: Option<Said>) -> Named<K> {
    Named {
        kind,
        name,
        name_localizations: Localizations { de, fr },
        description: about.map(|Said([about, ..])| about),
        description_localizations: about.map(|Said([_, de, fr])| Localizations { de, fr }),
    }
}

fn option(kind: Kind, name: Said, about: Said, required: bool) -> CommandOption {
    let (named, required) = (named(kind, name, Some(about)), Some(required));
    CommandOption { named, required, options: Vec::new(), choices: Vec::new() }
}

fn command(
    named: Named<CommandType>,
    options: Vec<CommandOption>,
    default_member_permissions: Option<Permissions>,
) -> Command {
    // In servers alone: without one there are neither roles nor staff.
    let (contexts, integration_types) = ([InteractionContext::Guild], [InstallationContext::Guild]);
    Command { named, options, default_member_permissions, contexts, integration_types }
}

/// Flows that can be chosen by name; more than that are begun by their panels.
const CHOICES: usize = 25;

/// Nobody but administrators see a command of staff, until the server says otherwise; our own lists say who really may.
const HIDDEN: Option<Permissions> = Some(Permissions::empty());

/// The commands as they are registered, made from the table that all platforms share. Names stay in English for the
/// program, whatever people see.
pub fn commands(library: &Library) -> Vec<Value> {
    let mut roots: Vec<&str> = Vec::new();
    for entry in &COMMANDS {
        if let As([root, ..]) = entry.discord
            && !roots.contains(root)
        {
            roots.push(root);
        }
    }
    let slash = roots.into_iter().filter_map(|root| slash(root, library));
    let menus = COMMANDS.iter().filter_map(|entry| match entry.discord {
        Menu(name) => {
            let named = named(CommandType::Message, in_languages(entry, name).0, None);
            Some(command(named, Vec::new(), None))
        }
        As(_) | Not(_) => None,
    });
    let review = said(REVIEW_USER, "Einstieg ansehen", "Voir l'accueil");
    let review = command(named(CommandType::User, review, None), Vec::new(), HIDDEN);
    slash.chain(menus).chain([review]).map(|command| json!(command)).collect()
}

/// A slash command with all that stands under it.
fn slash(root: &'static str, library: &Library) -> Option<Command> {
    let is_under =
        |entry: &&Entry| matches!(entry.discord, As(path) if path.first() == Some(&root));
    let rows: Vec<&Entry> = COMMANDS.iter().filter(is_under).collect();
    let only = rows.iter().all(|row| row.who == Who::Staff).then_some(HIDDEN).flatten();
    let kind = CommandType::ChatInput;
    if let Some((name, about)) = group(root) {
        let subs = rows.iter().filter_map(|row| sub(row, library)).collect();
        return Some(command(named(kind, name, Some(about)), subs, only));
    }
    // Rows of one command: the last takes the most.
    let row = rows.last()?;
    let options = options(row, rows.iter().all(|row| row.has(Member)), library);
    let (name, about) = in_languages(row, root);
    Some(command(named(kind, name, Some(about)), options, only))
}

/// What a command is called that only holds others, and what it says of itself.
fn group(root: &str) -> Option<(Said, Said)> {
    Some(match root {
        "onboard" => (
            said("onboard", "willkommen", "accueil"),
            said(messages::commands::YOUR_ONBOARDING, "Dein Einstieg", "Ton accueil"),
        ),
        "privacy" => (
            said("privacy", "datenschutz", "confidentialite"),
            said(messages::commands::YOUR_DATA, "Deine Daten", "Tes données"),
        ),
        "staff" => (
            said("staff", "team", "equipe"),
            said(messages::commands::FOR_TEAM, "Für das Team", "Pour l'équipe"),
        ),
        _ => return None,
    })
}

fn sub(row: &Entry, library: &Library) -> Option<CommandOption> {
    let As([_, name, ..]) = row.discord else { return None };
    let (name, about) = in_languages(row, name);
    Some(CommandOption {
        named: named(Kind::SubCommand, name, Some(about)),
        required: None,
        options: options(row, true, library),
        choices: Vec::new(),
    })
}

/// What a command takes, as Discord asks for it.
fn options(row: &Entry, needs_member: bool, library: &Library) -> Vec<CommandOption> {
    let made = row.takes.iter().filter_map(|argument| match argument {
        Member => {
            let name = said("member", "mitglied", "membre");
            let about = said(messages::commands::WHO, "Wen", "Qui");
            Some(option(Kind::User, name, about, needs_member))
        }
        Flow => flow(row.verb, library),
        Reason => {
            let about = said(
                messages::commands::WHY,
                "Warum; steht im Protokoll",
                "Pourquoi; figure au journal",
            );
            let name = said("reason", "grund", "raison");
            Some(option(Kind::String, name, about, false))
        }
        File => {
            let name = said("file", "datei", "fichier");
            let about = said(messages::commands::THE_FILE, "Die Datei", "Le fichier");
            Some(option(Kind::Attachment, name, about, true))
        }
    });
    made.collect()
}

/// Which flow, where there is a choice. Every server reads the same commands, so those of single tenants are not named; who
/// names none is asked.
fn flow(verb: Verb, library: &Library) -> Option<CommandOption> {
    let library = &library.everywhere();
    let flows = match verb {
        Verb::Invite => invitable(library, Platform::Discord),
        Verb::Match => scoring(library, Platform::Discord),
        _ => startable(library, Platform::Discord),
    };
    if flows.len() < 2 {
        return None;
    }
    let choice = |flow: &Arc<LoadedFlow>| {
        let (name, value) = (flow.flow.title.clone(), flow.flow.id.clone());
        Choice { name, value }
    };
    let choices = flows.iter().take(CHOICES).map(choice).collect();
    let name = said("flow", "ablauf", "parcours");
    let about = said(messages::commands::WHICH_ONE, "Welcher", "Lequel");
    Some(CommandOption { choices, ..option(Kind::String, name, about, false) })
}

/// The name of a command and what it says of itself, in each language.
fn in_languages(row: &Entry, name: &'static str) -> (Said, Said) {
    let (de, fr) = match row.verb {
        Verb::Start => (
            ["start", "Ein Interview beginnen oder weitermachen"],
            ["commencer", "Commencer un entretien, ou continuer"],
        ),
        Verb::Status => (["stand", "Wie weit du bist"], ["etat", "Où tu en es"]),
        Verb::Pause => (
            ["abbrechen", "Vorerst aufhören; gefragt wird erst wieder, wenn du weitermachst"],
            ["annuler", "Arrêter pour l'instant; rien n'est demandé avant la reprise"],
        ),
        Verb::Resume => (
            ["weiter", "Weitermachen, wo du aufgehört hast"],
            ["reprendre", "Reprendre là où tu en étais"],
        ),
        Verb::Advance => (
            ["ueberspringen", "Das Team bitten, dich weitergehen zu lassen"],
            ["avancer", "Demander à l'équipe de passer à la suite"],
        ),
        Verb::Human => {
            (["mensch", "Mit einem Menschen sprechen"], ["humain", "Parler à quelqu'un"])
        }
        Verb::Upload => (
            ["hochladen", "Eine Datei abgeben, um die du gebeten wurdest"],
            ["envoyer", "Envoyer un fichier demandé"],
        ),
        Verb::UseAsAnswer => (["Als Antwort verwenden", ""], ["Utiliser comme réponse", ""]),
        Verb::Export => (["kopie", "Eine Kopie von allem"], ["copie", "Une copie de tout"]),
        Verb::Delete => (
            ["loeschen", "Deine Antworten und Dateien löschen"],
            ["supprimer", "Effacer tes réponses et tes fichiers"],
        ),
        Verb::Help => (["hilfe", "Was du hier tun kannst"], ["aide", "Ce que tu peux faire ici"]),
        _ => for_team(row.verb),
    };
    (Said([name, de[0], fr[0]]), Said([row.does, de[1], fr[1]]))
}

/// The name of a command for the team and what it says of itself, in German and in French.
const fn for_team(verb: Verb) -> ([&'static str; 2], [&'static str; 2]) {
    match verb {
        Verb::Invite => (
            ["einladen", "Jemanden zu einem Interview einladen"],
            ["inviter", "Inviter quelqu'un à un entretien"],
        ),
        Verb::Override => (
            ["freigeben", "Jemanden zum nächsten Teil bringen"],
            ["passer", "Faire passer à la partie suivante"],
        ),
        Verb::TakeOver => (
            ["uebernehmen", "Ein Gespräch übernehmen; der Assistent schweigt"],
            ["prendre-la-main", "Prendre la conversation; l'assistant se tait"],
        ),
        Verb::HandBack => (
            ["zurueckgeben", "Ein Gespräch dem Assistenten zurückgeben"],
            ["rendre-la-main", "Rendre la conversation à l'assistant"],
        ),
        Verb::End => (
            ["beenden", "Jemandes Gespräch beenden"],
            ["terminer", "Terminer la conversation de quelqu'un"],
        ),
        Verb::ExportTheirs => (
            ["kopie", "Eine Kopie von jemandes Gespräch"],
            ["copie", "Une copie de la conversation de quelqu'un"],
        ),
        Verb::Match => (
            ["abgleich", "Jemanden mit einer Stelle vergleichen"],
            ["comparer", "Comparer quelqu'un à un poste"],
        ),
        Verb::Panel => (
            ["tafel", "Hier eine Nachricht mit Start-Knopf aufhängen"],
            ["panneau", "Publier ici un message avec un bouton Start"],
        ),
        // How everybody is and how somebody is are one command.
        _ => (
            ["durchsicht", "Wie es um jemanden oder alle steht"],
            ["revue", "Où en est quelqu'un, ou tout le monde"],
        ),
    }
}

/// All of it, as an operator reads it.
pub fn manifest(library: &Library) -> Value {
    let intents = INTENTS.iter_names().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>();
    let may = PERMISSIONS.iter_names().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>();
    json!({
        "invite": invite("APPLICATION_ID"),
        "scopes": SCOPES,
        "permissions": { "integer": PERMISSIONS.bits().to_string(), "names": may },
        "intents": { "integer": INTENTS.bits(), "names": intents,
            "privileged": { "message_content": "answers may be typed in threads", "members": "who leaves or passes the screening is known" } },
        "commands": commands(library),
    })
}
