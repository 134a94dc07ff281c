//! What staff see at a glance: what cannot be delivered just now, and what never was.

use anteroom::{
    model::{
        effect::{Cause, CauseKind},
        session::Platform,
    },
    store::Commit,
};

use super::site::Site;

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
    let commit = Commit {
        head,
        expected,
        events: Vec::new(),
        waits: Vec::new(),
        effects: Vec::new(),
        timers: Vec::new(),
        audit: Vec::new(),
        dedup: None,
        charges: Vec::new(),
    };
    store.commit(commit).await.unwrap();

    assert!(grace.get("/staff").await.contains("2 not delivered"));
}
