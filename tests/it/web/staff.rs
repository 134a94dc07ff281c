//! What staff see and do: what waits for them, how far people are, whose move it is, and what cannot be delivered.

use std::sync::Arc;

use anteroom::{
    base::ids::{RandomIds, RecordId},
    engine::export,
    gateway::web::limits,
    model::{
        audit::Sealed,
        effect::{Cause, CauseKind},
        session::Platform,
        transcript::{Event, Recorded},
    },
    ports::llm::Models,
    store::{Commit, Store, memory::MemoryStore},
};
use serde_json::json;

use super::{
    growing::Ear,
    site::{FLOW, Site, Visitor},
};
use crate::world::mortal::Mortal;

#[tokio::test]
async fn staff_see_what_keeps_messages_from_arriving_and_what_helps() {
    let site = Site::open().await;
    let grace = site.staff("Grace").await;
    let heading = "Messages that can't be delivered right now";
    assert!(!grace.get("/staff").await.contains(heading));

    site.engine.report_outage(Cause::of_platform(CauseKind::TokenRejected, Platform::Slack));

    let page = grace.get("/staff").await;
    assert!(page.contains(heading), "{page}");
    assert!(page.contains(CauseKind::TokenRejected.remedy()), "{page}");
}

#[tokio::test]
async fn staff_see_at_which_conversation_something_never_arrived() {
    let site = Site::open().await;
    let ada = site.visitor();
    ada.start("tour", "Ada").await;
    let grace = site.staff("Grace").await;
    assert!(!grace.get("/staff").await.contains("not delivered"));

    let (store, session) = (&site.engine.parts().store, site.session().await);
    let mut head = store.load(session).await.unwrap().unwrap().head;
    let expected = head.seq;
    head.undelivered = 2;
    store.commit(Commit::new(head, expected, Vec::new())).await.unwrap();

    assert!(grace.get("/staff").await.contains("2 not delivered"));
}

/// Starts the tour as somebody and accepts the notice.
async fn begun(site: &Site, name: &str) -> (Visitor, String) {
    let visitor = site.visitor();
    let page = visitor.start("tour", name).await;
    let page = visitor.press(&page, "Go on").await;
    (visitor, page)
}

/// The part of a page between two words.
fn between<'a>(page: &'a str, from: &str, to: &str) -> &'a str {
    let rest = &page[page.find(from).unwrap_or_else(|| panic!("no `{from}` in {page}"))..];
    &rest[..rest.find(to).unwrap_or_else(|| panic!("no `{to}` in {page}"))]
}

#[tokio::test]
async fn whoever_asks_for_a_person_is_first_in_what_waits() {
    let site = Site::open().await;
    let (ada, page) = begun(&site, "Ada").await;
    ada.command(&page, &[("command", "advance"), ("reason", "no time")]).await;
    let (bob, page) = begun(&site, "Bob").await;
    bob.command(&page, &[("command", "human")]).await;
    let grace = site.staff("Grace").await;

    let page = grace.get("/staff").await;

    let asked = page.find("Bob</bdi> asked for a human").unwrap_or_else(|| panic!("{page}"));
    assert!(asked < page.find("Move Ada to “Two”?").unwrap(), "{page}");

    let session = between(&page[asked..], "/staff/s/", "/order").to_owned();
    let theirs = grace.get(&session).await;
    grace.order(&theirs, &[("command", "take_over")]).await;
    let page = grace.get("/staff").await;
    assert!(!page.contains("Bob</bdi> asked for a human"), "{page}");
    assert!(page.contains("Taken over by Grace"), "{page}");
}

#[tokio::test]
async fn whoever_votes_the_same_twice_is_told_that_it_takes_others() {
    let flow = FLOW.replace("[approvals.override]", "[approvals.override]\nquorum = 2");
    let site = Site::modelled(&flow, Models::default()).await;
    let ada = site.visitor();
    let page = ada.start("tour", "Ada").await;
    let page = ada.press(&page, "Go on").await;
    ada.command(&page, &[("command", "advance"), ("reason", "no time")]).await;
    let grace = site.staff("Grace").await;

    let page = grace.get("/staff").await;
    let page = grace.press(&page, "Yes, approve").await;
    assert!(page.contains("Grace</bdi> approved.") && !page.contains("already approved"), "{page}");
    let page = grace.press(&page, "Yes, approve").await;

    assert!(page.contains("You've already approved this. 2 people must agree."), "{page}");
}

#[tokio::test]
async fn old_work_stays_in_reach_behind_any_number_of_newer_conversations() {
    let site = Site::open().await;
    for n in 0..limits::SESSIONS_PER_PAGE + 2 {
        let visitor = site.visitor();
        let page = visitor.start("tour", &format!("Person {n:03}")).await;
        if n <= limits::WAITING_PER_PAGE {
            visitor.command(&page, &[("command", "human")]).await;
        }
    }
    let grace = site.staff("Grace").await;

    let first = grace.get("/staff").await;
    assert!(first.contains("Person 000</bdi> asked for a human"), "{first}");
    let last = format!("Person {:03}</bdi> asked for a human", limits::WAITING_PER_PAGE);
    assert!(!first.contains(&last), "{first}");
    let more = grace.get("/staff?waiting=2").await;
    assert!(more.contains(&last), "{more}");

    let table = between(&first, "<table", "</table>");
    assert!(!table.contains("Person 000"), "{table}");
    let address = |page: &str| {
        let pager = between(page, "Pages of conversations", "</nav>");
        between(pager, "/staff?", "\"").replace("&amp;", "&")
    };
    let older = grace.get(&address(&first)).await;
    assert!(between(&older, "<table", "</table>").contains("Person 000"), "{older}");
    let again = grace.get(&address(&older)).await;
    assert_eq!(between(&again, "<table", "</table>"), table, "back to the newest");
}

/// Each of them reads of the call, and the list of what waits isn't read once for each.
#[tokio::test]
async fn what_waits_is_read_once_for_all_of_the_staff_who_look_on() {
    let store = Arc::new(Mortal::new(Arc::new(MemoryStore::default()), None));
    let site = Site::over(Arc::clone(&store) as Arc<dyn Store>).await;
    let (ada, page) = begun(&site, "Ada").await;
    let mut staff = Vec::new();
    for number in 0..8 {
        staff.push(site.staff(&format!("Grace {number}")).await);
    }
    let mut ears = Vec::new();
    for visitor in &staff {
        let mut ear = Ear::to(visitor, "/staff").await;
        ear.receives("event: keep").await;
        ears.push(ear);
    }
    let before = store.staff_lists();
    ada.command(&page, &[("command", "human")]).await;
    for ear in &mut ears {
        ear.receives("asked for a human").await;
    }
    let read = store.staff_lists() - before;
    assert!((1..8).contains(&read), "read {read} times for 8 who look on");
}

#[tokio::test]
async fn progress_is_the_same_for_participants_and_staff() {
    let site = Site::open().await;
    let (ada, page) = begun(&site, "Ada").await;
    let page = ada.press(&page, "Red").await;
    let notes = reqwest::multipart::Part::bytes(b"Plain notes.".to_vec()).file_name("notes.txt");
    let page = ada.upload(&page, notes).await.text().await.unwrap();
    assert!(page.contains("Step 2 of 2 · Two"), "{page}");
    let grace = site.staff("Grace").await;

    let own = between(&page, "<progress", ">");
    assert!(own.contains("value=\"50\""), "{own}");
    let list = grace.get("/staff").await;
    let in_list = between(&list, "<progress", ">");
    assert!(in_list.contains("value=\"50\""), "{in_list}");
    assert!(list.contains("Step 2 of 2 · Two"), "{list}");
    let theirs = grace.get(&format!("/staff/s/{}", site.session().await)).await;
    assert!(between(&theirs, "<progress", ">").contains("value=\"50\""), "{theirs}");
}

#[tokio::test]
async fn staff_move_somebody_on_as_in_chat() {
    let site = Site::open().await;
    let (ada, _) = begun(&site, "Ada").await;
    let session = site.session().await;
    let grace = site.staff("Grace").await;
    let page = grace.get(&format!("/staff/s/{session}")).await;
    assert!(page.contains("value=\"advance\""), "{page}");

    grace.order(&page, &[("command", "advance"), ("reason", "She told me on the phone.")]).await;

    let page = ada.get(&format!("/s/{session}")).await;
    assert!(page.contains("Step 2 of 2 · Two"), "{page}");
    let audit = export::audit_of(site.engine.parts().store.as_ref(), session).await.unwrap();
    let attempt = |sealed: &&Sealed| sealed.record.event == "phase_advance_attempt";
    let facts = &audit.iter().rev().find(attempt).unwrap().record.facts;
    assert_eq!(facts["by_user"], true, "{facts:?}");
    assert_eq!(facts["status"], "approved", "{facts:?}");
}

#[tokio::test]
async fn approving_and_denying_are_confirmed_alike() {
    let site = Site::open().await;
    let (ada, page) = begun(&site, "Ada").await;
    ada.command(&page, &[("command", "advance"), ("reason", "no time")]).await;
    let grace = site.staff("Grace").await;

    let page = grace.get("/staff").await;

    for (unfolds, confirms) in [("Approve", "Yes, approve"), ("Deny", "Yes, deny")] {
        assert!(page.contains(&format!("<summary>{unfolds}</summary>")), "{page}");
        assert!(page.contains(&format!(">{confirms}</button>")), "{page}");
        assert!(!page.contains(&format!(">{unfolds}</button>")), "{page}");
    }
    let page = grace.press(&page, "Yes, deny").await;
    assert!(page.contains("Denied by <bdi>Grace</bdi>"), "{page}");
}

#[tokio::test]
async fn what_the_engine_does_is_folded_away_in_the_transcript() {
    let site = Site::open().await;
    let (ada, page) = begun(&site, "Ada").await;
    ada.press(&page, "Red").await;
    let grace = site.staff("Grace").await;

    let page = grace.get(&format!("/staff/s/{}", site.session().await)).await;

    assert!(page.contains("Show technical details"), "{page}");
    let calls = page.split("<div class=\"row ").filter(|row| row.contains("get_user_option"));
    let calls: Vec<&str> = calls.collect();
    assert!(calls.len() > 1, "{page}");
    for call in calls {
        assert!(call.starts_with("middle engine"), "{call}");
    }
    assert!(page.contains("get_user_option returned a result."), "{page}");
    assert!(!page.contains("get user option"), "{page}");
    assert!(page.contains("Interview started."), "{page}");
}

#[tokio::test]
async fn staff_read_the_name_in_the_approved_profile() {
    let site = Site::open().await;
    let (ada, page) = begun(&site, "").await;
    let (store, session) = (&site.engine.parts().store, site.session().await);
    let mut head = store.load(session).await.unwrap().unwrap().head;
    let expected = head.seq;
    head.seq += 1;
    let saved = Event::Saved {
        record: RecordId::mint(&RandomIds),
        data_type: "applicant_profile".to_owned(),
        data: json!({ "basics": { "name": "Ada Byron" } }),
        reviewed: true,
    };
    let event = Recorded { v: 1, seq: head.seq, at: head.updated_at, event: saved.into() };
    store.commit(Commit::new(head, expected, vec![event])).await.unwrap();
    ada.say(&page, "I am not sure").await;
    let grace = site.staff("Grace").await;

    for path in ["/staff".to_owned(), format!("/staff/s/{session}")] {
        let page = grace.get(&path).await;
        assert!(page.contains("Ada Byron"), "{page}");
        assert!(!page.contains("No name given"), "{page}");
    }
}

#[tokio::test]
async fn an_empty_list_says_how_conversations_begin() {
    let site = Site::open().await;
    let grace = site.staff("Grace").await;

    let page = grace.get("/staff").await;

    assert!(page.contains("Nothing to decide right now."), "{page}");
    assert!(page.contains("No conversations yet"), "{page}");
    assert!(page.contains("Open the start page"), "{page}");
}

#[tokio::test]
async fn message_of_staff_over_the_limit_comes_back_whole() {
    let site = Site::open().await;
    let (_ada, _) = begun(&site, "Ada").await;
    let session = site.session().await;
    let grace = site.staff("Grace").await;
    let page = grace.get(&format!("/staff/s/{session}")).await;
    assert!(!page.contains("maxlength=\"8000\""), "browsers would cut it");
    let long = format!("{} end", "word ".repeat(limits::TEXT_MAX / 5));

    let page = grace.order(&page, &[("command", "write"), ("text", &long)]).await;

    assert!(page.contains("a message holds 8000"), "{page}");
    assert!(page.contains(&long), "what was typed is in the field");
}
