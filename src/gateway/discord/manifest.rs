//! What the bot needs of Discord: its commands, what it may do, what it hears of.
//!
//! `manifests/discord.json` is written from here; a test keeps it so.

use serde_json::{Value, json};
use serenity::model::{Permissions, gateway::GatewayIntents};

use crate::{config::settings::DiscordConnection, flows::Library};

/// The commands.
pub const ONBOARD: &str = "onboard";
/// Hands a file in where the app has no form for it.
pub const UPLOAD: &str = "upload";
/// One's own data.
pub const PRIVACY: &str = "privacy";
/// For staff: how somebody is, or everybody.
pub const REVIEW: &str = "review";
/// For those who decide: a part is passed over.
pub const OVERRIDE: &str = "override";
/// On a user, for staff.
pub const REVIEW_USER: &str = "Review onboarding";
/// On a message: its words answer the open question, whatever the bot may read by itself.
pub const USE_AS_ANSWER: &str = "Use as answer";

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
pub const INTENTS: GatewayIntents = GatewayIntents::GUILDS
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

/// A text in English, and in other languages of Discord's.
struct Said(&'static str, [(&'static str, &'static str); 2]);

impl Said {
    fn name(&self) -> (Value, Value) {
        (json!(self.0), json!({ "de": self.1[0].1, "fr": self.1[1].1 }))
    }
}

/// English, German, French.
const fn said(en: &'static str, de: &'static str, fr: &'static str) -> Said {
    Said(en, [("de", de), ("fr", fr)])
}

/// Kinds of options.
const SUB: u8 = 1;
const TEXT: u8 = 3;
const USER: u8 = 6;
const FILE: u8 = 11;

/// Kinds of commands.
const SLASH: u8 = 1;
const ON_USER: u8 = 2;
const ON_MESSAGE: u8 = 3;

fn named(kind: u8, name: &Said, about: &Said) -> Value {
    let ((name, names), (about, abouts)) = (name.name(), about.name());
    json!({
        "type": kind, "name": name, "name_localizations": names,
        "description": about, "description_localizations": abouts,
    })
}

fn option(kind: u8, name: &Said, about: &Said, required: bool) -> Value {
    let mut option = named(kind, name, about);
    option["required"] = required.into();
    option
}

/// A command with what can be given with it. `only` is what somebody must be allowed to do to see it; a server may say
/// otherwise for itself.
fn command(mut command: Value, options: Vec<Value>, only: Option<Permissions>) -> Value {
    if !options.is_empty() {
        command["options"] = options.into();
    }
    if let Some(only) = only {
        command["default_member_permissions"] = only.bits().to_string().into();
    }
    // In servers alone: without one there are neither roles nor staff.
    command["contexts"] = json!([0]);
    command["integration_types"] = json!([0]);
    command
}

fn on(kind: u8, name: &Said, only: Option<Permissions>) -> Value {
    let (name, names) = name.name();
    command(json!({ "type": kind, "name": name, "name_localizations": names }), Vec::new(), only)
}

/// Flows that can be chosen by name; more than that are begun by their panels.
const CHOICES: usize = 25;

/// The commands, as they are registered. Names stay in English for the program, whatever people see.
pub fn commands(library: &Library) -> Vec<Value> {
    let flows = library.iter().filter(|flow| flow.flow.start.discord.is_some()).take(CHOICES);
    let flows: Vec<Value> =
        flows.map(|flow| json!({ "name": flow.flow.title, "value": flow.flow.id })).collect();
    let flow = || {
        let mut flow = option(
            TEXT,
            &said("flow", "ablauf", "parcours"),
            &said("Which one", "Welcher", "Lequel"),
            false,
        );
        flow["choices"] = flows.clone().into();
        if flows.len() > 1 { vec![flow] } else { Vec::new() }
    };
    let privacy = vec![
        sub(
            &said("export", "kopie", "copie"),
            &said("A copy of everything", "Eine Kopie von allem", "Une copie de tout"),
            Vec::new(),
        ),
        sub(
            &said("delete", "loeschen", "supprimer"),
            &said("Erase everything", "Alles löschen", "Tout effacer"),
            Vec::new(),
        ),
    ];
    [of_members(onboard(&flow()), privacy), of_staff()].concat()
}

fn sub(name: &Said, about: &Said, options: Vec<Value>) -> Value {
    let mut sub = named(SUB, name, about);
    if !options.is_empty() {
        sub["options"] = options.into();
    }
    sub
}

/// What can be done with one's own conversation, and the panel.
fn onboard(flow: &[Value]) -> Vec<Value> {
    vec![
        sub(
            &said("start", "start", "commencer"),
            &said("Begin, or go on", "Beginnen oder weitermachen", "Commencer ou continuer"),
            flow.to_vec(),
        ),
        sub(
            &said("status", "stand", "etat"),
            &said("How far you are", "Wie weit du bist", "Où tu en es"),
            Vec::new(),
        ),
        sub(
            &said("resume", "weiter", "reprendre"),
            &said(
                "Go on after a break",
                "Nach einer Pause weitermachen",
                "Reprendre après une pause",
            ),
            Vec::new(),
        ),
        sub(
            &said("cancel", "abbrechen", "annuler"),
            &said("Ask me nothing more", "Nichts mehr fragen", "Ne plus rien demander"),
            Vec::new(),
        ),
        sub(
            &said("panel", "tafel", "panneau"),
            &said(
                "Post a message with a Start button here",
                "Hier eine Nachricht mit Start-Knopf aufhängen",
                "Publier ici un message avec un bouton Start",
            ),
            flow.to_vec(),
        ),
    ]
}

fn of_members(onboard: Vec<Value>, privacy: Vec<Value>) -> Vec<Value> {
    let file = option(
        FILE,
        &said("file", "datei", "fichier"),
        &said("The file", "Die Datei", "Le fichier"),
        true,
    );
    let upload = named(
        SLASH,
        &said(UPLOAD, "hochladen", "envoyer"),
        &said(
            "Hand in a file that you were asked for",
            "Eine Datei abgeben, um die du gebeten wurdest",
            "Envoyer un fichier demandé",
        ),
    );
    vec![
        command(
            named(
                SLASH,
                &said(ONBOARD, "willkommen", "accueil"),
                &said("Your onboarding", "Dein Einstieg", "Ton accueil"),
            ),
            onboard,
            None,
        ),
        command(upload, vec![file], None),
        command(
            named(
                SLASH,
                &said(PRIVACY, "datenschutz", "confidentialite"),
                &said("Your data", "Deine Daten", "Tes données"),
            ),
            privacy,
            None,
        ),
        on(
            ON_MESSAGE,
            &said(USE_AS_ANSWER, "Als Antwort verwenden", "Utiliser comme réponse"),
            None,
        ),
    ]
}

fn of_staff() -> Vec<Value> {
    // Nobody but administrators, until the server says otherwise; our own lists say who really may.
    let only = Some(Permissions::empty());
    let member = |required| {
        option(USER, &said("member", "mitglied", "membre"), &said("Whom", "Wen", "Qui"), required)
    };
    let reason = option(
        TEXT,
        &said("reason", "grund", "raison"),
        &said(
            "Why; it stands in the audit trail",
            "Warum; steht im Protokoll",
            "Pourquoi; figure au journal",
        ),
        false,
    );
    vec![
        command(
            named(
                SLASH,
                &said(REVIEW, "durchsicht", "revue"),
                &said(
                    "How somebody is, or everybody",
                    "Wie es um jemanden oder alle steht",
                    "Où en est quelqu'un, ou tout le monde",
                ),
            ),
            vec![member(false)],
            only,
        ),
        command(
            named(
                SLASH,
                &said(OVERRIDE, "freigeben", "passer"),
                &said(
                    "Move somebody to the next part",
                    "Jemanden zum nächsten Teil bringen",
                    "Faire passer à la partie suivante",
                ),
            ),
            vec![member(true), reason],
            only,
        ),
        on(ON_USER, &said(REVIEW_USER, "Einstieg ansehen", "Voir l'accueil"), only),
    ]
}

/// All of it, as an operator reads it.
pub fn manifest(library: &Library) -> Value {
    let hears = INTENTS.iter_names().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>();
    let may = PERMISSIONS.iter_names().map(|(name, _)| name.to_lowercase()).collect::<Vec<_>>();
    json!({
        "invite": invite("APPLICATION_ID"),
        "scopes": SCOPES,
        "permissions": { "integer": PERMISSIONS.bits().to_string(), "names": may },
        "intents": { "integer": INTENTS.bits(), "names": hears,
            "privileged": { "message_content": "answers may be typed in threads", "members": "who leaves or passes the screening is known" } },
        "commands": commands(library),
    })
}
