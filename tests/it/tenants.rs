//! Customers of one bot are kept apart: people, flows, words, budgets, models, web hooks.

use std::{collections::BTreeMap, num::NonZeroUsize, sync::Arc};

use anteroom::{
    base::ids::WaitId,
    config::{Environment, Settings},
    engine::{Error, InboundKind, Receipt},
    flow::{Library, LoadedFlow},
    gateway::discord::manifest,
    model::{
        session::{PersonId, Place, Platform, Status},
        transcript::Via,
        ui::{Decision, Reply, Verdict},
        usage::Usage,
        wait::{Answerers, Settlement, Wait, WaitStatus},
    },
    ports::llm,
    session::{Command, Responder},
    store::Store as _,
};
use serde_json::json;

use crate::{
    keeping,
    llm::scripted::{Gate, Scripted, Turn},
    thinking::TALK,
    world::World,
};

/// Two customers.
const TENANTS: &str = r#"
[tenant.acme]
flows = ["short"]
approvers.desk = { web_users = ["grace"] }

[tenant.zulu]
approvers.desk = { web_users = ["zoe"] }
"#;

/// Somebody at one of them, with rights there or not.
fn person(tenant: &str, user: &str, is_team: bool) -> Responder {
    let person = PersonId { workspace: tenant.to_owned(), ..PersonId::web(user) };
    let approver_of =
        if is_team { vec!["desk".to_owned(), "staff_approvals".to_owned()] } else { vec![] };
    Responder { person, name: user.to_owned(), approver_of, staff: is_team }
}

fn room(tenant: &str) -> Place {
    Place {
        platform: Platform::Web,
        workspace: tenant.to_owned(),
        channel: "room".to_owned(),
        thread: None,
    }
}

/// Ada of acme is in the short flow and has asked to move on, so that the team decides.
async fn world() -> (World, Responder) {
    let mut world = World::empty(crate::world::FLOW, None);
    world.serve(TENANTS);
    let ada = person("acme", "ada", false);
    world.session = world.engine.start("short", &ada, room("acme"), "start").await.unwrap();
    world.rest().await;
    let reason = "no time".to_owned();
    world.command(&ada, Command::Advance { reason }).await;
    (world, ada)
}

/// Everything that somebody of a team may try with a conversation.
async fn tries(world: &World) -> Vec<InboundKind> {
    let reason = "because".to_owned();
    let commands = [
        Command::TakeOver,
        Command::HandBack,
        Command::Write { text: "Hello".to_owned() },
        Command::Nudge,
        Command::End { reason: reason.clone() },
        Command::Hold { reason: reason.clone() },
        Command::Release,
        Command::Advance { reason },
        Command::Stop,
        Command::Resume,
        Command::Human,
        Command::Skip,
        Command::Export,
        Command::Delete,
        Command::Later,
        Command::StopReminders,
        Command::AskAgain,
        Command::Interrupt,
    ];
    let approved = Reply::Decided { decision: Decision::Approved, feedback: None };
    let denied = Reply::Decided { decision: Decision::Denied, feedback: Some("no".to_owned()) };
    let replies = [
        approved,
        denied,
        Reply::Confirmed { yes: true },
        Reply::Chosen { ids: vec!["red".to_owned()], free_text: None },
        Reply::Text { text: "approve".to_owned() },
        Reply::Filled { values: serde_json::Map::new() },
        Reply::Reviewed { verdict: Verdict::Approved, data: Some(json!({})), notes: None },
    ];
    let mut tries: Vec<InboundKind> = commands.into_iter().map(InboundKind::Command).collect();
    for wait in world.state().await.waits.values() {
        let vias = [Via::Component, Via::Typed, Via::Command];
        let all = replies.iter().flat_map(|reply| vias.map(|via| (reply.clone(), via)));
        tries.extend(all.map(|(reply, via)| InboundKind::Answer {
            wait: wait.id,
            revision: wait.revision,
            reply,
            via,
        }));
    }
    for text in ["approve", "deny", "red", "take over", "stop", "delete my data"] {
        tries.push(InboundKind::Said { text: text.to_owned(), source: None });
        let (source, text) = ("1".to_owned(), Some(text.to_owned()));
        tries.push(InboundKind::Amended { source, text });
    }
    tries
}

/// What a team can change of a conversation.
async fn standing(
    world: &World,
) -> (Status, String, bool, BTreeMap<WaitId, WaitStatus>, Vec<String>) {
    let state = world.state().await;
    let waits = state.waits.iter().map(|(id, wait)| (*id, wait.status.clone())).collect();
    let said = world.screen().lines().map(str::to_owned).collect();
    (
        state.status,
        state.phase().unwrap_or_default().to_owned(),
        state.handoff.is_some() || state.keeping.hold.is_some(),
        waits,
        said,
    )
}

#[tokio::test]
async fn a_team_has_no_say_over_the_conversations_of_another_tenant() {
    let (mut world, _) = world().await;
    let before = standing(&world).await;
    let strangers = [
        person("zulu", "zoe", true),
        person("zulu", "grace", true),
        // Staff of a workspace that belongs to no tenant.
        Responder {
            person: PersonId { platform: Platform::Slack, ..person("T0FREE", "U1", true).person },
            ..person("T0FREE", "U1", true)
        },
    ];
    let mut tried = 0;
    for from in &strangers {
        for what in tries(&world).await {
            let asked = format!("{what:?}");
            world.feed(from, what).await;
            assert_eq!(
                standing(&world).await,
                before,
                "{} changed something: {asked}",
                from.person
            );
            tried += 1;
        }
    }
    assert!(tried >= 200, "{tried}");
    world.assert_at_rest().await;
}

/// The request that the team decides on.
async fn request(world: &World) -> InboundKind {
    let state = world.state().await;
    let is_request = |wait: &&Wait| matches!(wait.answerers, Answerers::Deciders { .. });
    let wait = state.pending().find(is_request).expect("a request is open");
    let reply = Reply::Decided { decision: Decision::Approved, feedback: None };
    InboundKind::Answer { wait: wait.id, revision: wait.revision, reply, via: Via::Component }
}

#[tokio::test]
async fn the_own_team_decides_and_the_operators_staff_too() {
    let (mut world, ada) = world().await;
    let what = request(&world).await;
    let zoe = person("zulu", "zoe", true);
    let refused = world.feed(&zoe, what.clone()).await;
    assert!(matches!(refused, Receipt::Settled(Settlement::NotAllowed { .. })), "{refused:?}");
    let decided = world.feed(&person("acme", "grace", true), what).await;
    assert_eq!(decided, Receipt::Settled(Settlement::Applied));
    // Whoever runs the bot looks after everybody.
    let linus = Responder { person: PersonId::web("linus"), ..person("acme", "linus", true) };
    world.command(&linus, Command::TakeOver).await;
    assert!(world.state().await.handoff.is_some());
    // Their own answers are everybody's own.
    world.command(&ada, Command::Stop).await;
    assert_eq!(world.state().await.status, Status::Stopped);
}

/// A flow that speaks of the organisation and of how long things are kept.
const NAMED: &str = r#"
format = 1
id = "named"
version = "1.0.0"
title = "Hello"
vars = ["organisation"]

[retention]
transcript = "90d"
uploads = "90d"
records = "90d"

[[phase]]
id = "one"
title = "One"
mode = "script"
intro = "Welcome to {{organisation}}. We keep this for {{retention}}."

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }
"#;

const WORDS: &str = r#"
[vars]
organisation = "The Host"

[tenant.acme]
vars = { organisation = "Acme" }
retention = { transcript = "30d", uploads = "30d", records = "30d" }

[tenant.zulu]
flows = ["short"]
"#;

/// The library of these tenants, with the two flows.
fn library(config: &str) -> Result<(Library, Settings), String> {
    let settings = Settings::parse("config.toml", config, &Environment::default()).unwrap();
    let mut library = Library::default();
    for source in [NAMED, crate::world::FLOW] {
        let vars = BTreeMap::from([("organisation".to_owned(), "The Host".to_owned())]);
        library.insert(Arc::new(LoadedFlow::load(source, "flow.toml", &vars).unwrap()));
    }
    let shared = library.share(&settings.tenants, (&settings.vars, settings.flows.tenants_only));
    let told = |problems: Vec<_>| anteroom::config::render(&problems);
    shared.map_err(told).map(|()| (library, settings))
}

#[tokio::test]
async fn a_flow_speaks_as_the_tenant_and_keeps_things_no_longer_than_the_tenant_allows() {
    let mut world = World::empty(NAMED, None);
    world.serve(WORDS);
    let ada = person("acme", "ada", false);
    world.session = world.engine.start("named", &ada, room("acme"), "start").await.unwrap();
    world.rest().await;
    assert!(
        world.screen().starts_with("Welcome to Acme. We keep this for 30 days."),
        "{}",
        world.screen()
    );
    // The file of the flow changes meanwhile: an older version reads the same.
    let newer = NAMED.replace("Which colour?", "Which colour, please?");
    world.replace_flow(&newer, WORDS);
    world.clock.advance(chrono::TimeDelta::days(1));
    let flow = world.engine.view(world.session).await.unwrap().flow;
    assert!(flow.source.contains("Which colour?"));
    assert_eq!(flow.vars["organisation"], "Acme");
    assert_eq!(flow.vars["retention"], "30 days");
    // It goes when it was said to go, and not with the flow's ninety days.
    world.pass(chrono::TimeDelta::days(30)).await;
    world.pass(chrono::TimeDelta::hours(2)).await;
    let gone = world.store.load(world.session).await.unwrap();
    assert!(gone.is_none_or(|kept| kept.events.len() <= 2), "still there");
}

#[tokio::test]
async fn what_is_not_a_tenants_cannot_be_started_there() {
    let mut world = World::empty(NAMED, None);
    world.serve(WORDS);
    let zoe = person("zulu", "zoe", false);
    let refused = world.engine.start("named", &zoe, room("zulu"), "start").await;
    assert!(matches!(refused, Err(Error::NoFlow(_))), "{refused:?}");
    world.engine.start("short", &zoe, room("zulu"), "again").await.unwrap();
    // Outside of tenants everything can be, unless the operator serves tenants only.
    let free = person("local", "ada", false);
    world.engine.start("named", &free, room("local"), "free").await.unwrap();
    world.serve(&format!("{WORDS}\n[flows]\ntenants_only = true\n"));
    let refused = world.engine.start("named", &free, room("elsewhere"), "late").await;
    assert!(matches!(refused, Err(Error::NoFlow(_))), "{refused:?}");
}

#[test]
fn what_a_tenants_flows_lack_is_told() {
    let lacks = "[tenant.acme]\nflows = [\"named\", \"shrt\"]\n";
    insta::assert_snapshot!(library(lacks).err().unwrap(), @r#"
    tenant `acme`: there is no flow `shrt` to start. hint: did you mean `short`?
    flow `named`: `organisation` has no value for the tenant `acme`. hint: add `organisation = "…"` under `[tenant.acme.vars]`
    "#);
}

#[test]
fn commands_that_every_server_reads_name_no_flow_of_a_single_tenant() {
    let tenants = "[tenant.acme]\n[tenant.zulu]\nflows = [\"short\", \"survey\"]\n";
    let settings = Settings::parse("config.toml", tenants, &Environment::default()).unwrap();
    let mut library = Library::default();
    for id in ["short", "secret-plan", "survey"] {
        let title = format!("title = \"About {id}\"");
        let flow = crate::world::FLOW.replace("id = \"short\"", &format!("id = \"{id}\"")).replace(
            "title = \"A short talk\"",
            &format!("{title}\n[start.discord]\nplace = \"dm\""),
        );
        let flow = LoadedFlow::load(&flow, "flow.toml", &BTreeMap::new()).unwrap();
        library.insert(Arc::new(flow));
    }
    let commands = |library: &Library| format!("{:?}", manifest::commands(library));
    assert!(commands(&library).contains("About secret-plan"));
    // Zulu does not have it.
    library.share(&settings.tenants, (&settings.vars, false)).unwrap();
    let offered = commands(&library);
    assert!(offered.contains("About survey") && !offered.contains("secret-plan"), "{offered}");
}

/// How much of an account is used.
async fn used(world: &World, account: &str) -> Usage {
    world.store.balance(account).await.unwrap().usage
}

#[tokio::test]
async fn a_tenants_budget_is_its_own() {
    let model = Scripted::new();
    let mut world = World::unbegun(TALK, &model);
    world.serve(
        "[tenant.acme]\nbudget = { calls = 1 }\n[tenant.acme.slack]\nworkspaces = [\"T0ACME\"]\n[tenant.zulu]\n",
    );
    model.next(Turn::says("Do you have a pet?"));
    let ada = person("acme", "ada", false);
    world.session = world.engine.start("talk", &ada, room("acme"), "start").await.unwrap();
    world.rest().await;
    world.say_as(&ada, "Yes.").await;
    assert_eq!(model.seen().len(), 1, "asked without a budget");
    assert!(
        world.screen().contains("I can't respond before 1 December 2026"),
        "{}",
        world.screen()
    );
    assert!(
        world.staff_screen().contains("Your conversations together have used 1 of 1 model calls"),
        "{}",
        world.staff_screen()
    );
    assert_eq!(used(&world, "tenant acme 2026-11").await.calls, 1);
    // The other tenant goes on.
    model.next(Turn::says("And you?"));
    let zoe = person("zulu", "zoe", false);
    world.session = world.engine.start("talk", &zoe, room("zulu"), "zoe").await.unwrap();
    world.rest().await;
    model.assert_played();
    assert_eq!(used(&world, "tenant zulu 2026-11").await.calls, 1);
    assert_eq!(used(&world, "total 2026-11").await.calls, 2);
}

#[tokio::test]
async fn staff_of_each_tenant_are_told_that_a_total_is_used_up_and_not_what_others_used() {
    let model = Scripted::new();
    let mut world = World::unbegun(TALK, &model);
    world.serve("[tenant.acme]\n[tenant.zulu]\n");
    world.bound_total(1);
    model.next(Turn::says("Do you have a pet?"));
    let ada = person("acme", "ada", false);
    world.session = world.engine.start("talk", &ada, room("acme"), "start").await.unwrap();
    world.rest().await;
    world.say_as(&ada, "Yes.").await;
    insta::assert_snapshot!(world.staff_screen(), @"The model can't be used until 1 December 2026. Conversations with a fixed list of questions continue with that; the others wait, or ask for a human. Please tell whoever runs this bot.");
    // The operator reads it in the audit.
    assert_eq!(world.audited("budget_used_up").await, 1);
    for (user, tenant, told) in [("ava", "acme", 1), ("zoe", "zulu", 2), ("zac", "zulu", 2)] {
        let person = person(tenant, user, false);
        world.session = world.engine.start("talk", &person, room(tenant), user).await.unwrap();
        world.rest().await;
        let read = world.staff_screen().matches("The model can't be used until").count();
        assert_eq!(read, told, "{user}");
    }
}

#[tokio::test]
async fn staff_of_each_tenant_are_told_once_what_keeps_the_model_from_answering() {
    let model = Scripted::new();
    let mut world = World::unbegun(TALK, &model);
    world.serve("[tenant.acme]\n[tenant.zulu]\n");
    for (user, tenant, told) in [("ada", "acme", 1), ("ava", "acme", 1), ("zoe", "zulu", 2)] {
        model.next(Turn::fails(llm::Error::Exhausted(llm::error::Told::default())));
        let person = person(tenant, user, false);
        let place = Place { channel: user.to_owned(), ..room(tenant) };
        world.session = world.engine.start("talk", &person, place, user).await.unwrap();
        world.rest().await;
        let screen = world.staff_screen();
        assert_eq!(screen.lines().filter(|line| !line.starts_with('-')).count(), told, "{screen}");
    }
}

#[tokio::test]
async fn a_tenant_with_a_model_of_its_own_uses_no_other() {
    let (ours, theirs) = (Scripted::new(), Scripted::new());
    let mut world = World::unbegun(TALK, &ours);
    world.serve("[tenant.acme]\n[tenant.zulu]\n");
    world.lend_model("acme", &theirs);
    theirs.next(Turn::says("Acme's model asks."));
    let ada = person("acme", "ada", false);
    world.session = world.engine.start("talk", &ada, room("acme"), "start").await.unwrap();
    world.rest().await;
    ours.next(Turn::says("The operator's model asks."));
    let zoe = person("zulu", "zoe", false);
    world.session = world.engine.start("talk", &zoe, room("zulu"), "zoe").await.unwrap();
    world.rest().await;
    ours.assert_played();
    theirs.assert_played();
    assert_eq!((ours.seen().len(), theirs.seen().len()), (1, 1));
}

/// A flow that tells a web hook that it ended.
const TOLD: &str = r#"
format = 1
id = "told"
version = "1.0.0"
title = "Told"

[data.note]
schema_inline = '{"type":"object","properties":{"text":{"type":"string"}}}'

[[phase]]
id = "one"
title = "One"
mode = "script"

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.effect]]
  do = "webhook"
  on = "completed"
  url_from = "ats_webhook"
  include = ["note"]
"#;

#[tokio::test]
async fn a_web_hook_is_sent_to_the_tenants_own_address_and_to_no_other() {
    let (acmes, own, _acme) = keeping::listening().await;
    let (hosts, everybodys, _host) = keeping::listening().await;
    let config = format!(
        "[webhooks.ats_webhook]\nurl = \"{}\"\n[tenant.acme.webhooks.ats_webhook]\nurl = \"{}\"\n[tenant.zulu]\n",
        everybodys["ats_webhook"].url, own["ats_webhook"].url
    );
    let mut world = World::empty(TOLD, None);
    world.serve(&config);
    for (tenant, at_acme, at_host) in [("acme", 1, 0), ("zulu", 1, 0), ("local", 1, 1)] {
        let ada = person(tenant, "ada", false);
        world.session = world.engine.start("told", &ada, room(tenant), tenant).await.unwrap();
        world.rest().await;
        world.press_as(&ada, "Red").await;
        assert_eq!(world.state().await.status, Status::Completed);
        assert_eq!((acmes.seen(), hosts.seen()), (at_acme, at_host), "{tenant}");
    }
}

#[tokio::test]
async fn an_erasure_is_told_to_the_tenants_own_web_hook_and_to_no_other() {
    let (acmes, own, _acme) = keeping::listening().await;
    let (hosts, everybodys, _host) = keeping::listening().await;
    let config = format!(
        "[webhooks.ats_webhook]\nurl = \"{}\"\n[tenant.acme.webhooks.ats_webhook]\nurl = \"{}\"\n",
        everybodys["ats_webhook"].url, own["ats_webhook"].url
    );
    let mut world = World::empty(TOLD, None);
    world.serve(&config);
    for (tenant, at_acme, at_host) in [("acme", 2, 0), ("local", 2, 2)] {
        let ada = person(tenant, "ada", false);
        world.session = world.engine.start("told", &ada, room(tenant), tenant).await.unwrap();
        world.rest().await;
        world.press_as(&ada, "Red").await;
        world.engine.erase(world.session, "operator").await.unwrap();
        world.rest().await;
        assert_eq!((acmes.seen(), hosts.seen()), (at_acme, at_host), "{tenant}");
    }
}

/// Who comes while there is no room is taken in: what is durable is no failure, and its timer has it taken up later.
#[tokio::test]
async fn a_crowd_of_one_tenant_leaves_room_for_the_others() {
    let model = Scripted::new();
    let mut world = World::unbegun(TALK, &model);
    world.serve("[tenant.acme]\n[tenant.zulu]\n");
    world.work_on(NonZeroUsize::new(4).unwrap());
    let gate = Gate::new();
    let asked = async |count: usize| {
        while model.seen().len() < count {
            tokio::task::yield_now().await;
        }
    };
    for n in 0..5 {
        model.next(Turn::says("Hello.").held_by(&gate));
        let (tenant, user) = if n < 4 { ("acme", "ada") } else { ("zulu", "zoe") };
        let them = person(tenant, &format!("{user}{n}"), false);
        let place = Place { channel: format!("room{n}"), ..room(tenant) };
        world.engine.start("talk", &them, place, &format!("start{n}")).await.unwrap();
        if n < 2 {
            asked(n + 1).await;
        }
    }
    asked(3).await;
    assert_eq!(model.seen().len(), 3, "half of four are for one tenant");
    gate.open();
    world.rest().await;
    world.engine.run_due().await;
    world.rest().await;
    assert_eq!(model.seen().len(), 5);
    model.assert_played();
}
