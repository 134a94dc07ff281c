//! How long things are kept: erasure with all it leaves behind, retention, holds, and a chain that shows every touch.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use anteroom::{
    base::{clock::Clock as _, ids::SessionId},
    chat::receipt,
    engine::{CopyTo, Error, Gathered, Receipt, erasure::RESTORE, webhook::Target},
    model::{
        audit::{AuditRecord, CHAIN_START, ChainCheck, Fault, Sealed},
        custody::Kind,
        effect::Handout,
        posted,
        session::{Head, PersonId, Status},
        transcript::Audience,
        wait::{Purpose, Settlement},
    },
    ports::artifacts::check::Kind as Printed,
    session::Command,
    store::{Capacity, Commit, Loaded, unreadable::Unreadable},
    tool::{EffectClass, Handed, Outcome, Tool, ToolCx, ToolResult, ToolSpec},
};
use async_trait::async_trait;
use axum::{
    Router,
    extract::State,
    http::{HeaderMap, StatusCode},
    routing::post,
};
use chrono::{DateTime, TimeDelta, Utc};
use insta::{allow_duplicates, assert_snapshot};
use serde_json::{Map, Value, json};
use uuid::Uuid;

use crate::{
    crashes::{candidate, welcome},
    world::{FLOW, World, ada, grace, room},
};

/// Requests that a receiver saw, and how many of the next it answers with 503.
#[derive(Debug, Default)]
pub(crate) struct Hook {
    pub(crate) seen: Mutex<Vec<(HeaderMap, String)>>,
    busy: AtomicUsize,
}

async fn receive(State(hook): State<Arc<Hook>>, headers: HeaderMap, body: String) -> StatusCode {
    hook.seen.lock().unwrap().push((headers, body));
    let less = |left: usize| left.checked_sub(1);
    match hook.busy.fetch_update(Ordering::SeqCst, Ordering::SeqCst, less) {
        Ok(_) => StatusCode::SERVICE_UNAVAILABLE,
        Err(_) => StatusCode::OK,
    }
}

/// What answers the requests of a web hook for as long as it lives.
pub(crate) type Server = tokio::task::JoinSet<std::io::Result<()>>;

/// A receiver of the operator's web hook `ats_webhook`, known to the next process.
pub(crate) async fn receiver(world: &mut World) -> (Arc<Hook>, Server) {
    let (hook, targets, server) = listening().await;
    world.hook(targets);
    (hook, server)
}

/// A receiver of the web hook `ats_webhook`, as the operator configures it.
pub(crate) async fn listening() -> (Arc<Hook>, BTreeMap<String, Target>, Server) {
    let hook = Arc::new(Hook::default());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    let app = Router::new().route("/hook", post(receive)).with_state(Arc::clone(&hook));
    let mut server = Server::new();
    server.spawn(async move { axum::serve(listener, app).await });
    let targets = BTreeMap::from([("ats_webhook".to_owned(), Target { url, secret: None })]);
    (hook, targets, server)
}

impl Hook {
    /// The next so many requests are answered with 503.
    pub(crate) fn be_away(&self, times: usize) {
        self.busy.store(times, Ordering::SeqCst);
    }

    /// How many requests came.
    pub(crate) fn seen(&self) -> usize {
        self.seen.lock().unwrap().len()
    }

    /// What the last request carried.
    pub(crate) fn last(&self) -> Value {
        let seen = self.seen.lock().unwrap();
        serde_json::from_str(&seen.last().unwrap().1).unwrap()
    }
}

/// A candidate at the end of the flow, whose data went to a web hook.
async fn hooked() -> (World, Arc<Hook>, Server) {
    let mut world = World::on("candidate-onboarding").await;
    let (hook, server) = receiver(&mut world).await;
    candidate(&mut world).await;
    assert_eq!(hook.seen.lock().unwrap().len(), 1);
    (world, hook, server)
}

async fn delete(world: &mut World) -> Receipt {
    world.say("delete my data").await;
    let yes = world.button("Delete everything").await;
    world.feed(&ada(), yes).await
}

#[tokio::test]
async fn asking_twice_for_erasure_asks_once_and_erases_once() {
    let mut world = World::new().await;
    world.press("Blue").await;
    world.say("delete my data").await;
    world.say("delete my data").await;
    let state = world.state().await;
    let asked: Vec<_> =
        state.pending().filter(|wait| wait.purpose == Purpose::Erase).map(|wait| wait.id).collect();
    assert_eq!(asked.len(), 1, "{}", world.screen());
    let yes = world.button("Delete everything").await;
    let late = world.event(&ada(), yes.clone());

    let receipt = world.feed(&ada(), yes).await;

    assert!(matches!(receipt, Receipt::Erased { .. }), "{receipt:?}");
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    assert!(matches!(world.deliver(late).await, Err(Error::NoSession)));
    assert_eq!(world.audited("session_erased").await, 1);
}

fn files(world: &World) -> Vec<String> {
    let folder = world.folder().join("artifacts");
    let mut found = Vec::new();
    for session in std::fs::read_dir(folder).unwrap() {
        for file in std::fs::read_dir(session.unwrap().path()).unwrap() {
            found.push(file.unwrap().file_name().into_string().unwrap());
        }
    }
    found
}

#[tokio::test]
async fn a_web_hook_that_was_sent_something_is_told_of_the_erasure_and_of_nothing_else() {
    let (mut world, hook, _server) = hooked().await;
    hook.be_away(2);

    let Receipt::Erased { receipt, .. } = delete(&mut world).await else { panic!("not erased") };
    world.restart().await;
    for _ in 0..4 {
        world.pass(TimeDelta::minutes(1)).await;
    }

    let told = hook.seen.lock().unwrap()[1..].to_vec();
    assert_eq!(told.len(), 3, "twice refused, then taken: {told:?}");
    for (headers, body) in &told {
        assert_eq!(headers["x-anteroom-event"], "session_erased");
        assert_eq!(headers["x-anteroom-delivery"], told[0].0["x-anteroom-delivery"]);
        let body: Map<String, Value> = serde_json::from_str(body).unwrap();
        let keys: Vec<&str> = body.keys().map(String::as_str).collect();
        assert_eq!(keys, ["event", "session", "receipt", "by", "erasedAt"]);
        assert_eq!(body["receipt"], json!(receipt));
        assert_eq!(body["session"], json!(world.session));
    }
    let chain = world.audit().await;
    let line = &chain.last().unwrap().record;
    assert_eq!(
        line.facts["outside"],
        json!(["summary to recruiting_desk: delivered", "web hook ats_webhook: delivered"])
    );
}

#[tokio::test]
async fn a_web_hook_that_never_answers_is_given_up_and_keeps_nothing_alive() {
    let (mut world, hook, _server) = hooked().await;
    hook.be_away(usize::MAX);
    delete(&mut world).await;
    let left = world.disk().claim(world.clock.now(), Capacity::of_any(9)).await.unwrap();
    assert!(left.is_empty(), "the first attempt was made");

    for _ in 0..60 {
        world.pass(TimeDelta::hours(2)).await;
    }

    assert_eq!(hook.seen.lock().unwrap().len(), 1 + 24, "as often as any effect");
    assert_eq!(world.disk().claim(world.clock.now(), Capacity::of_any(9)).await.unwrap(), []);
}

#[tokio::test]
async fn an_erasure_takes_files_and_leaves_those_of_others_alone() {
    let mut world = World::new().await;
    world.press("Blue").await;
    world.press("Large").await;
    world.upload("note.txt", b"the very same note").await.unwrap();
    let other = {
        let mut inbound = world.event(&grace(), world_said("hello"));
        let place = room("another");
        inbound.session = world.engine.start("short", &grace(), place, "other").await.unwrap();
        world.rest().await;
        inbound.session
    };
    let kept =
        world.engine.keep_file(other, None, "copy.txt", b"the very same note".to_vec()).await;
    kept.unwrap().unwrap();
    assert_eq!(files(&world).len(), 2);

    world.engine.erase(world.session, "operator").await.unwrap();
    assert_eq!(files(&world).len(), 1, "the other conversation needs its own");
    world.engine.erase(other, "operator").await.unwrap();
    assert_eq!(files(&world), [""; 0]);
    // Again: nothing, and one more line.
    world.engine.erase(other, "operator").await.unwrap();
    assert_eq!(world.audited("session_erased").await, 3);
}

fn world_said(text: &str) -> anteroom::engine::InboundKind {
    anteroom::engine::InboundKind::Said { text: text.to_owned(), source: None }
}

#[tokio::test]
async fn files_that_were_left_behind_their_session_go_with_the_next_start_or_day() {
    let mut world = World::new().await;
    let stray = world.folder().join("artifacts/ses_0000000000000000000000000000dead");
    let leave = || {
        std::fs::create_dir_all(&stray).unwrap();
        std::fs::write(stray.join("00"), "Ada Byron").unwrap();
    };
    leave();
    world.press("Blue").await;
    world.press("Large").await;
    world.upload("note.txt", b"a note").await.unwrap();

    world.restart().await;
    world.pass(TimeDelta::zero()).await;

    assert!(!stray.exists());
    // A crash is not all that can leave some: a backup may have been put back by hand.
    leave();
    world.pass(TimeDelta::hours(25)).await;
    assert!(!stray.exists());
    assert_eq!(files(&world).len(), 1);
}

/// A bucket may not have answered when it was to remove them.
#[tokio::test]
async fn files_that_could_not_be_removed_are_tried_again_within_the_hour() {
    let mut world = World::new().await;
    world.press("Blue").await;
    world.press("Large").await;
    world.upload("note.txt", b"a note").await.unwrap();
    world.pass(TimeDelta::zero()).await;
    let folder = world.folder().join("artifacts").join(world.session.to_string());
    let aside = world.folder().join("aside");
    std::fs::rename(&folder, &aside).unwrap();
    std::fs::write(&folder, "no folder").unwrap();
    world.engine.order_erasure(world.session, "operator").await.unwrap();
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&aside, &folder).unwrap();

    world.pass(TimeDelta::minutes(61)).await;

    assert!(!folder.exists());
}

#[tokio::test]
async fn child_runs_are_looked_through_once_a_day() {
    let mut world = World::on("candidate-onboarding").await;
    candidate(&mut world).await;
    let Loaded { head, events } = world.disk().load(world.session).await.unwrap().unwrap();
    for number in 1..=3 {
        let id = SessionId::from_uuid(Uuid::from_u128(number << 64));
        let head = Head { id, parent: Some(world.session), ..head.clone() };
        world.disk().commit(Commit::new(head, 0, events.clone())).await.unwrap();
    }
    let mut read = Vec::new();
    for hours in [0, 2, 2, 21] {
        let before = world.store.heads();
        world.pass(TimeDelta::hours(hours)).await;
        read.push(world.store.heads() - before);
    }
    assert_eq!(read, [3, 0, 0, 3]);
}

#[tokio::test]
async fn everything_goes_when_it_was_promised_to_go_and_not_before() {
    let mut world = World::on("candidate-onboarding").await;
    let notice = world.open().await.unwrap().prompt.body.common_mark();
    assert!(notice.contains("deleted 180 days after the conversation ends"), "{notice}");
    candidate(&mut world).await;
    let goes_at = world.disk().load(world.session).await.unwrap().unwrap().head.goes_at;
    assert_eq!(goes_at, Some(world.clock.now() + TimeDelta::days(180)));

    world.pass(TimeDelta::days(179)).await;
    assert_eq!(world.state().await.status, Status::Completed);
    world.pass(TimeDelta::days(1)).await;

    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    assert_eq!(files(&world), [""; 0]);
    let chain = world.audit().await;
    let line = &chain.last().unwrap().record;
    assert_eq!((line.event.as_str(), &line.facts["by"]), ("session_erased", &json!("retention")));
    world.pass(TimeDelta::days(400)).await;
    assert_eq!(world.audited("session_erased").await, 1);
}

/// Nobody's data is kept because of a damaged list, and the report doesn't say that everything was removed.
#[tokio::test]
async fn an_erasure_of_which_a_list_or_a_question_is_damaged_says_that_some_may_be_left() {
    for is_list in [true, false] {
        let mut world = World::new().await;
        world.press("Blue").await;
        let question = world.state().await.asked[0].to_string();
        world.store.damage(if is_list { posted::ledger_of(world.session) } else { question });

        delete(&mut world).await;

        assert_eq!(world.disk().load(world.session).await.unwrap(), None);
        let report = world.engine.erasure_report(world.session).await.unwrap().unwrap();
        allow_duplicates! { assert_snapshot!(receipt::lines(&report).join("\n"), @"Earlier messages of mine may still be here: my list of them was damaged. An admin can delete them."); }
    }
}

#[tokio::test]
async fn of_a_conversation_that_cannot_be_read_the_erasure_says_that_messages_may_be_left() {
    let mut world = World::new().await;
    world.press("Blue").await;
    world.store.damage(world.session.to_string());
    world.restart().await;

    let erased = world.engine.erase(world.session, "operator").await.unwrap();

    assert_eq!(erased.report.left.len(), 1, "{:?}", erased.report);
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    let report = world.engine.erasure_report(world.session).await.unwrap().unwrap();
    assert_eq!(report.left.len(), 1, "{report:?}");
}

/// The hold had ended by the time of the erasure, and the backup is older than that.
#[tokio::test]
async fn what_a_backup_holds_back_is_erased_again_after_it_was_restored() {
    let mut world = World::new().await;
    world.press("Blue").await;
    world.engine.hold(world.session, "operator", Some("a claim")).await.unwrap();
    let error = world.engine.erase(world.session, "operator").await.unwrap_err();
    assert!(matches!(error, Error::Held(_)), "{error}");

    world.engine.order_erasure(world.session, RESTORE).await.unwrap();

    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
}

/// Then no note of it is left, and whoever asks is told that there is no such conversation.
#[tokio::test]
async fn the_report_of_an_erasure_is_kept_for_180_days_once_it_is_complete() {
    let mut world = World::new().await;
    world.press("Blue").await;
    delete(&mut world).await;
    let kept = world.disk().notes("erasure/").await.unwrap();
    assert_eq!(kept.len(), 2, "the report, and the question: {kept:?}");
    world.pass(TimeDelta::days(179)).await;
    assert!(world.engine.erasure_report(world.session).await.unwrap().is_some());

    world.pass(TimeDelta::days(3)).await;

    assert_eq!(world.engine.erasure_report(world.session).await.unwrap(), None);
    assert_eq!(world.disk().notes("erasure/").await.unwrap(), []);
}

/// Nobody asked for it, so nobody asks for its report.
#[tokio::test]
async fn the_report_of_an_erasure_by_time_goes_once_it_is_complete() {
    let mut world = World::on("candidate-onboarding").await;
    candidate(&mut world).await;
    world.pass(TimeDelta::days(180)).await;
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    let report = world.engine.erasure_report(world.session).await.unwrap().unwrap();
    assert_eq!((report.by.as_str(), report.left.len()), ("retention", 0));

    for _ in 0..2 {
        world.pass(TimeDelta::hours(25)).await;
    }

    assert_eq!(world.disk().notes("erasure/").await.unwrap(), []);
}

#[tokio::test]
async fn much_that_is_due_at_once_goes_a_few_at_a_time() {
    let mut world = World::on("candidate-onboarding").await;
    candidate(&mut world).await;
    let Loaded { head, events } = world.disk().load(world.session).await.unwrap().unwrap();
    for number in 1..=40 {
        let id = SessionId::from_uuid(Uuid::from_u128(number << 64));
        let other = Commit::new(Head { id, ..head.clone() }, 0, events.clone());
        world.disk().commit(other).await.unwrap();
    }
    world.clock.advance(TimeDelta::days(180));
    let mut due = Vec::new();
    while due.last() != Some(&0) {
        due.push(world.engine.sweep().await);
        world.rest().await;
    }
    assert_eq!(due, [16, 16, 9, 0]);
    assert_eq!(world.disk().sessions(None, 99).await.unwrap(), []);
}

/// Nobody knows what of it is to stay, so whoever runs the bot is told until they erase it.
#[tokio::test]
async fn what_is_due_and_cannot_be_read_is_told_until_it_is_erased() {
    let flow = FLOW.replace("id = \"short\"", "id = \"lost\"");
    let mut world = World::empty(&flow, None);
    world.begin("lost").await;
    world.press("Blue").await;
    world.lose_flows().await;
    assert_eq!(world.engine.damage(), []);

    // Just now, and long ago.
    for days in [181, 10] {
        world.pass(TimeDelta::days(days)).await;
        let damage = world.engine.damage();
        let [Unreadable { what, why }] = damage.as_slice() else { panic!("{damage:?}") };
        assert_eq!(*what, format!("session `{}`", world.session));
        let hint = format!("`anteroom erase {} --yes` erases it all the same", world.session);
        assert!(why.contains("due to be erased") && why.ends_with(&hint), "{why}");
    }

    world.engine.order_erasure(world.session, "operator").await.unwrap();
    assert_eq!(world.engine.damage(), []);
}

#[tokio::test]
async fn a_child_run_without_a_parent_goes_whenever_it_appears() {
    let mut world = World::on("candidate-onboarding").await;
    candidate(&mut world).await;
    world.pass(TimeDelta::zero()).await;
    let Loaded { head, events } = world.disk().load(world.session).await.unwrap().unwrap();
    let [child, gone] = [1, 2].map(|number| SessionId::from_uuid(Uuid::from_u128(number << 64)));
    let head = Head { id: child, parent: Some(gone), ..head };
    world.disk().commit(Commit::new(head, 0, events)).await.unwrap();
    world.pass(TimeDelta::hours(25)).await;
    assert_eq!(world.disk().load(child).await.unwrap(), None);
    assert!(world.disk().load(world.session).await.unwrap().is_some());
}

#[tokio::test]
async fn each_kind_goes_at_its_own_time_also_after_months_of_being_down() {
    let mut world = World::on("community-welcome").await;
    let notice = world.open().await.unwrap().prompt.body.common_mark();
    assert!(notice.contains("keeps your answers for 90 days"), "{notice}");
    welcome(&mut world).await;
    let records = world.state().await.records;
    assert!(!records.is_empty());

    world.pass(TimeDelta::days(30)).await;
    let state = world.state().await;
    assert_eq!(state.records, records, "stored data stays for 90 days");
    assert_eq!((state.status, state.asked.len()), (Status::Completed, 0));
    assert!(state.keeping.forgotten.iter().eq(&[Kind::Transcript, Kind::Uploads]));
    let text = serde_json::to_string(&world.events().await).unwrap();
    for gone in ["\"type\":\"said\"", "\"type\":\"answered\"", "\"type\":\"asked\""] {
        assert!(!text.contains(gone), "{text}");
    }
    assert!(world.audit().await.iter().all(|sealed| sealed.record.words.is_empty()));
    assert_eq!(world.audited("retention_applied").await, 1);

    // The process is down for long; the next one catches up, once, when a day has shown that the clock is right.
    world.clock.advance(TimeDelta::days(200));
    world.restart().await;
    world.pass(TimeDelta::zero()).await;
    assert_eq!(world.audited("session_erased").await, 0);
    world.pass(TimeDelta::days(1)).await;
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    assert_eq!(world.audited("session_erased").await, 1);
}

#[tokio::test]
async fn a_clock_that_is_wrong_by_years_erases_nothing_when_it_is_set_right_within_a_day() {
    let mut world = World::on("community-welcome").await;
    welcome(&mut world).await;
    let years = TimeDelta::days(800);

    world.pass(years).await;
    world.pass(TimeDelta::hours(20)).await;
    world.restart().await;
    world.pass(TimeDelta::zero()).await;
    world.pass(-years).await;

    assert_eq!(world.audited("session_erased").await, 0);
    assert!(world.state().await.keeping.forgotten.is_empty());
    // It leaps again, and nobody notices for a day.
    world.pass(years).await;
    assert_eq!(world.audited("session_erased").await, 0);
    world.pass(TimeDelta::days(1)).await;
    assert_eq!(world.audited("session_erased").await, 1);
}

#[tokio::test]
async fn files_may_go_before_the_talk_that_goes_on() {
    let retention =
        "[retention]\ntranscript = \"20d\"\nuploads = \"5d\"\nrecords = \"20d\"\n\n[pace]";
    let mut world = World::with(&FLOW.replacen("[pace]", retention, 1), None).await;
    world.press("Blue").await;
    world.press("Large").await;
    world.upload("note.txt", b"a note").await.unwrap();
    world.pass(TimeDelta::days(4)).await;
    assert_eq!(files(&world).len(), 1);

    world.pass(TimeDelta::days(1)).await;
    assert_eq!(files(&world), [""; 0]);
    world.say("word").await;
    assert_eq!(world.state().await.status, Status::Completed);
    // Abandoned or complete: it goes when nothing has happened for long enough.
    world.pass(TimeDelta::days(19)).await;
    assert!(world.disk().load(world.session).await.unwrap().is_some());
    world.pass(TimeDelta::days(1)).await;
    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
}

/// Makes a document of the conversation.
#[derive(Debug)]
struct SumUp(ToolSpec);

impl Default for SumUp {
    fn default() -> Self {
        let parameters = json!({ "type": "object", "properties": {} });
        Self(ToolSpec::new("sum_up", "Sums up.", EffectClass::Pure, parameters))
    }
}

#[async_trait]
impl Tool for SumUp {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, _args: Value) -> ToolResult {
        let file = cx.make("summary.pdf", Printed::Pdf, b"%PDF".to_vec()).await?;
        let handed = vec![Handed { what: Handout::File { file }, text: "All of it.".to_owned() }];
        Ok(Outcome::Made { value: json!({}), handed })
    }
}

#[tokio::test]
async fn files_that_were_made_go_with_the_talk_and_files_that_were_sent_by_themselves() {
    for (transcript, uploads, left) in [("20d", "5d", b"%PDF".as_slice()), ("5d", "20d", b"a note")]
    {
        let retention = format!(
            "[retention]\ntranscript = \"{transcript}\"\nuploads = \"{uploads}\"\nrecords = \"20d\"\n\n[pace]"
        );
        let flow = FLOW.replacen("[pace]", &retention, 1);
        let flow = flow.replacen("\"get_user_upload\"]", "\"get_user_upload\", \"sum_up\"]", 1);
        let step =
            "  [[phase.step]]\n  id = \"sum\"\n  tool = \"sum_up\"\n\n[[phase]]\nid = \"two\"";
        let flow = flow.replacen("[[phase]]\nid = \"two\"", step, 1);
        let mut world = World::empty(&flow, None);
        world.with_tool(Arc::new(SumUp::default()));
        world.begin("short").await;
        world.press("Blue").await;
        world.press("Large").await;
        world.upload("note.txt", b"a note").await.unwrap();
        world.say("word").await;
        assert_eq!(world.state().await.status, Status::Completed);
        assert_eq!(files(&world).len(), 2);

        world.pass(TimeDelta::days(6)).await;
        assert_eq!(files(&world).len(), 1);
        let state = world.state().await;
        let mut readable = Vec::new();
        for file in state.artifacts.iter().chain(&state.made) {
            let read = world.engine.parts().artifacts.read(world.session, file).await;
            readable.extend(read.unwrap());
        }
        assert_eq!(readable, [left]);
        world.pass(TimeDelta::days(20)).await;
        assert_eq!(files(&world), [""; 0]);
    }
}

#[tokio::test]
async fn what_is_held_stays_and_an_erasure_waits_for_the_end_of_the_hold() {
    let mut world = World::new().await;
    world.press("Blue").await;
    let hold = Command::Hold { reason: "a claim, 12/2026".to_owned() };
    let refused = world.command(&ada(), hold.clone()).await;
    assert_eq!(refused, Receipt::Refused("You can't do that here.".into()));
    assert_eq!(world.command(&grace(), hold).await, Receipt::Taken);

    let receipt = delete(&mut world).await;
    assert_eq!(receipt, Receipt::Settled(Settlement::Applied));
    assert_snapshot!(world.screen().lines().last().unwrap(), @"I've recorded your request. The team has to keep this conversation for now, for this reason: a claim, 12/2026. Once that ends, everything is deleted; you don't need to ask again.");
    let error = world.engine.erase(world.session, "operator").await.unwrap_err();
    assert!(matches!(error, Error::Held(_)), "{error}");
    assert_snapshot!(error, @"this conversation is held: a claim, 12/2026. hint: release it first, with `anteroom hold SESSION --release`");
    world.restart().await;
    world.pass(TimeDelta::days(400)).await;
    assert!(world.state().await.keeping.erasure_asked);

    assert_eq!(world.command(&grace(), Command::Release).await, Receipt::Taken);

    assert_eq!(world.disk().load(world.session).await.unwrap(), None);
    let chain = world.audit().await;
    let events: Vec<&str> = chain.iter().map(|sealed| sealed.record.event.as_str()).collect();
    for event in ["hold_placed", "erasure_put_off", "hold_released"] {
        assert!(events.contains(&event), "{events:?}");
    }
    let line = &chain.last().unwrap().record;
    assert_eq!((line.event.as_str(), &line.facts["by"]), ("session_erased", &json!("participant")));
}

/// Every member of an archive by its name.
fn members(bytes: Vec<u8>) -> BTreeMap<String, Vec<u8>> {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(bytes)).unwrap();
    let mut members = BTreeMap::new();
    for index in 0..archive.len() {
        let mut member = archive.by_index(index).unwrap();
        let mut content = Vec::new();
        std::io::Read::read_to_end(&mut member, &mut content).unwrap();
        members.insert(member.name().unwrap().into_owned(), content);
    }
    members
}

#[tokio::test]
async fn an_export_holds_everything_that_is_stored() {
    let mut world = World::new().await;
    world.press("Blue").await;
    world.say("A word in between").await;
    world.press("Large").await;
    world.upload("note.txt", b"the note itself").await.unwrap();
    world.command(&ada(), Command::Advance { reason: "Enough for today".to_owned() }).await;
    let gathered = world.engine.gather(world.session).await.unwrap();
    let Gathered { loaded, audit, .. } = &gathered;

    let all =
        members(world.engine.copy(&gathered, Audience::Staff, CopyTo::Page).await.unwrap().bytes);
    let json = |name: &str| serde_json::from_slice::<Value>(&all[name]).unwrap();
    assert_eq!(json("events.json"), json!(loaded.events));
    assert_eq!(json("session.json"), json!(loaded.head));
    assert_eq!(all["files/01-note.txt"], b"the note itself");
    let decisions = json("decisions.json");
    assert_eq!(decisions.as_array().unwrap().len(), audit.len());
    for (told, sealed) in decisions.as_array().unwrap().iter().zip(audit) {
        for (key, value) in sealed.record.facts.iter().chain(&sealed.record.words) {
            assert_eq!(told[key], *value, "{key} of {}", sealed.index);
        }
    }

    // The participant gets all that they said, chose and sent; what staff said among themselves is not theirs.
    let theirs = members(
        world.engine.copy(&gathered, Audience::Participant, CopyTo::Page).await.unwrap().bytes,
    );
    assert!(!theirs.contains_key("events.json"));
    let text: String = theirs.values().map(|bytes| String::from_utf8_lossy(bytes)).collect();
    for words in
        ["A word in between", "Blue", "Large", "note.txt", "the note itself", "web:local/ada"]
    {
        assert!(text.contains(words), "`{words}` is missing");
    }
}

fn at(minute: i64) -> DateTime<Utc> {
    DateTime::UNIX_EPOCH + TimeDelta::minutes(minute)
}

/// Six records of two sessions, with words in some.
fn chain() -> Vec<Sealed> {
    let mut chain: Vec<Sealed> = Vec::new();
    for number in 0..6_u128 {
        let session = SessionId::from_uuid(Uuid::from_u128(number % 2 + 1));
        let words = if number == 2 { json!({ "reason": "quince" }) } else { json!({}) };
        let record = AuditRecord {
            event: "phase_advance_attempt".to_owned(),
            timestamp: at(i64::try_from(number).unwrap()),
            session: Some(session),
            facts: json!({ "by": PersonId::web("ada") }).as_object().unwrap().clone(),
            words: words.as_object().unwrap().clone(),
        };
        let previous =
            chain.last().map_or_else(|| CHAIN_START.to_owned(), |sealed| sealed.seal.clone());
        chain.push(Sealed::seal(chain.len() as u64, &previous, record, "salt".to_owned()));
    }
    chain
}

/// What the check of a whole chain finds.
fn examine(chain: &[Sealed]) -> Result<(), Fault> {
    let mut check = ChainCheck::default();
    for sealed in chain {
        check.add(sealed);
    }
    assert_eq!(check.records(), chain.len() as u64);
    assert_eq!(check.seal(), chain.last().map_or(CHAIN_START, |sealed| sealed.seal.as_str()));
    check.finish()
}

#[test]
fn every_touch_of_the_chain_is_found_and_said_in_words() {
    let touched = |touch: fn(&mut Vec<Sealed>)| {
        let mut chain = chain();
        touch(&mut chain);
        examine(&chain)
    };
    assert!(touched(|_| ()).is_ok());
    let edits: [fn(&mut Sealed); 6] = [
        |sealed| sealed.record.event.push('x'),
        |sealed| sealed.record.timestamp = at(99),
        |sealed| sealed.record.session = None,
        |sealed| _ = sealed.record.facts.insert("by".to_owned(), json!("web:local/eve")),
        |sealed| sealed.words_sha256.replace_range(..1, "x"),
        |sealed| sealed.seal.replace_range(..1, "x"),
    ];
    for (number, edit) in edits.into_iter().enumerate() {
        for at in 0..6 {
            let mut chain = chain();
            edit(&mut chain[at]);
            let fault = examine(&chain).unwrap_err();
            assert_eq!(fault, Fault::Changed { at: at as u64 }, "edit {number} of record {at}");
        }
    }
    let words = |touch: fn(&mut Vec<Sealed>)| touched(touch).unwrap_err().to_string();
    assert_snapshot!(words(|chain| _ = chain.remove(3)), @"record 3 is missing");
    assert_snapshot!(words(|chain| _ = chain.drain(..2)), @"records 0 to 1 are missing");
    assert_snapshot!(words(|chain| chain.swap(1, 4)), @"record 4 stands where record 1 belongs");
    assert_snapshot!(words(|chain| { let again = chain[2].clone(); chain.insert(3, again); }), @"record 2 stands where record 3 belongs");
    assert_snapshot!(
        words(|chain| _ = chain[2].record.words.insert("reason".to_owned(), json!("pear"))), @"the words of record 2 were changed after it was sealed");
    assert_snapshot!(words(|chain| chain[2].erase_words()), @"the words of record 2 were removed, and no erasure of its session is on record");
    assert_snapshot!(
        words(|chain| {
            let forged = AuditRecord { event: "approved".to_owned(), ..chain[3].record.clone() };
            chain[3] = Sealed::seal(3, &chain[2].seal, forged, String::new());
        }),
        @"record 4 does not follow from the one before it: one of them was put in or exchanged"
    );
    assert_snapshot!(
        words(|chain| {
            chain[1].erase_words();
            chain[4].record.event.push('x');
        }),
        @"the words of record 1 were removed, and no erasure of its session is on record"
    );
    // Cut off at the end: the chain alone cannot tell; `audit verify` has its anchor for that.
    assert!(touched(|chain| chain.truncate(3)).is_ok());
}

#[test]
fn words_may_go_where_an_erasure_is_on_record() {
    let mut chain = chain();
    chain[2].erase_words();
    let receipt = AuditRecord {
        event: "session_erased".to_owned(),
        words: Map::new(),
        ..chain[2].record.clone()
    };
    let previous = chain[5].seal.clone();
    chain.push(Sealed::seal(6, &previous, receipt, String::new()));
    assert!(examine(&chain).is_ok());
    // What comes after the erasure has one of its own, or keeps its words.
    let mut later = AuditRecord { event: "approved".to_owned(), ..chain[2].record.clone() };
    later.words.insert("reason".to_owned(), json!("pear"));
    let mut later = Sealed::seal(7, &chain[6].seal, later, "salt".to_owned());
    later.erase_words();
    chain.push(later);
    assert_eq!(examine(&chain), Err(Fault::WordsRemoved { at: 7 }));
    // A fault further on does not hide that an erasure is on record.
    chain.pop();
    chain[5].record.event.push('x');
    assert_eq!(examine(&chain), Err(Fault::Changed { at: 5 }));
}

#[tokio::test]
async fn a_session_on_hold_keeps_no_other_of_its_person_nor_their_receipts() {
    let world = World::embedded("short").await;
    let mut sessions = vec![world.session];
    for key in ["second", "third"] {
        sessions.push(world.engine.start("short", &ada(), room(key), key).await.unwrap());
    }
    world.engine.hold(sessions[1], "operator", Some("A dispute")).await.unwrap();
    let person = world.state().await.participant.to_string();
    let data = world.left().await;

    let mut program = std::process::Command::new(env!("CARGO_BIN_EXE_anteroom"));
    let program = program.args(["erase", "--yes", "--json", "--person", &person, "--data"]);
    let output = program.arg(data.path()).env_clear().current_dir(data.path()).output().unwrap();
    let erased: Value = serde_json::from_slice(&output.stdout).unwrap();
    let erased = erased.as_array().unwrap().iter();
    let erased: BTreeSet<String> =
        erased.map(|one| one["erased"].as_str().unwrap().to_owned()).collect();
    assert_eq!(erased, BTreeSet::from([sessions[0], sessions[2]].map(|id| id.to_string())));
    let told = String::from_utf8(output.stderr).unwrap();
    let held = format!("session `{}`: this conversation is held: A dispute", sessions[1]);
    assert!(told.contains(&held) && told.contains("--release"), "{told}");
    assert!(!output.status.success());
}
