//! The staff of one tenant see and decide nothing of another's, by any address.

use anteroom::{
    base::ids::SessionId,
    engine::{Inbound, InboundKind},
    model::{
        session::{PersonId, Place, Platform},
        transcript::Via,
        ui::{Control, Reply},
    },
    session::{Command, Responder},
};
use reqwest::StatusCode;

use super::site::{Site, Visitor, csrf};

const KEY: &str = "correct horse battery";

/// Somebody's conversation at a tenant, in which they have asked to move on.
async fn asked(site: &Site, tenant: &str, name: &str) -> SessionId {
    let person = PersonId { workspace: tenant.to_owned(), ..PersonId::web(name) };
    let from = Responder::without_rights(person, name.to_owned());
    let place = Place {
        platform: Platform::Web,
        workspace: tenant.to_owned(),
        channel: name.to_owned(),
        thread: None,
    };
    let session = site.engine.start("tour", &from, place, name).await.unwrap();
    site.engine.settle_down().await;
    // They accept the notice.
    let look = site.engine.look(session).await.unwrap();
    let notice = look.state.pending().next().expect("the notice").clone();
    let Control::Choose(choose) = &notice.prompt.control else { panic!("{notice:?}") };
    let reply = Reply::Chosen { ids: vec![choose.choices[0].id.clone()], free_text: None };
    let (wait, revision, via) = (notice.id, notice.revision, Via::Component);
    let what = InboundKind::Answer { wait, revision, reply, via };
    let inbound = Inbound { key: format!("accept {name}"), session, from: from.clone(), what };
    site.engine.receive(inbound).await.unwrap();
    site.engine.settle_down().await;
    let reason = format!("because of {name}");
    let what = InboundKind::Command(Command::Advance { reason });
    let key = format!("advance {name}");
    site.engine.receive(Inbound { key, session, from, what }).await.unwrap();
    site.engine.settle_down().await;
    session
}

/// Every address of the staff's about a conversation.
fn addresses(session: SessionId) -> Vec<String> {
    let ends = ["", "?before=2", "/live", "/export", "/made/1", "/answer", "/order"];
    ends.iter().map(|end| format!("/staff/s/{session}{end}")).collect()
}

/// Forms that somebody may send to them.
fn forms() -> Vec<Vec<(&'static str, &'static str)>> {
    let mut forms: Vec<Vec<(&str, &str)>> =
        ["take_over", "hand_back", "nudge", "end", "hold", "release", "advance", "write", "delete"]
            .into_iter()
            .map(|command| {
                vec![("command", command), ("reason", "x"), ("text", "Hello"), ("key", "once")]
            })
            .collect();
    for element in ["v1.AAAAAAAAAAAAAAAAAAAAAA.0.yes", "v1.AAAAAAAAAAAAAAAAAAAAAA.0.approve"] {
        forms.push(vec![("element", element), ("key", "once")]);
    }
    forms
}

async fn sends(visitor: &Visitor, site: &Site, path: &str, form: &[(&str, &str)]) -> StatusCode {
    let token = csrf(&visitor.get("/staff").await);
    let mut fields = form.to_vec();
    fields.push(("csrf", &token));
    visitor.client.post(format!("{}{path}", site.url)).form(&fields).send().await.unwrap().status()
}

#[tokio::test]
async fn staff_of_a_tenant_reach_their_own_conversations_and_no_others() {
    let site = Site::shared(KEY, &["acme", "zulu"]).await;
    let ada = asked(&site, "acme", "Ada").await;
    let mut others = Vec::new();
    for n in 0..6 {
        others.push(asked(&site, "zulu", &format!("Zoe {n}")).await);
    }
    // One that belongs to no tenant is the operator's.
    others.push(asked(&site, "local", "Bob").await);
    let grace = site.staff_with("acmeacmeacme", "Grace").await;

    let overview = grace.get("/staff").await;
    assert!(overview.contains("Ada") && overview.contains(&ada.to_string()), "{overview}");
    for name in ["Zoe", "Bob"] {
        assert!(!overview.contains(name), "{overview}");
    }
    let mut guesses = 0;
    for session in &others {
        let before = site.engine.look(*session).await.unwrap().loaded.events.len();
        for path in addresses(*session) {
            if !path.ends_with("/answer") && !path.ends_with("/order") {
                let answer = grace.fetch(&path).await;
                assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
                let shown = answer.text().await.unwrap();
                assert!(!shown.contains("because of"), "{path}: {shown}");
                guesses += 1;
                continue;
            }
            for form in forms() {
                assert_eq!(
                    sends(&grace, &site, &path, &form).await,
                    StatusCode::NOT_FOUND,
                    "{path}"
                );
                guesses += 1;
            }
        }
        site.engine.settle_down().await;
        let after = site.engine.look(*session).await.unwrap().loaded.events.len();
        assert_eq!(after, before, "something happened in {session}");
    }
    assert!(guesses >= 180, "{guesses}");
    // Their own they read and decide.
    let page = grace.get(&format!("/staff/s/{ada}")).await;
    assert!(page.contains("because of Ada"), "{page}");
    let page = grace.press(&page, "Yes, approve").await;
    assert!(page.contains("Grace"), "{page}");
    let transcript = site.engine.look(ada).await.unwrap().loaded;
    let decided = format!("{:?}", transcript.events);
    assert!(decided.contains("workspace: \"acme\""), "whose staff decided is written down");
}

#[tokio::test]
async fn whoever_runs_the_bot_sees_the_conversations_of_all_tenants() {
    let site = Site::shared(KEY, &["acme", "zulu"]).await;
    let ada = asked(&site, "acme", "Ada").await;
    asked(&site, "zulu", "Zoe").await;
    let linus = site.staff_with(&KEY.replace(' ', "+"), "Linus").await;
    let overview = linus.get("/staff").await;
    assert!(overview.contains("Ada") && overview.contains("Zoe"), "{overview}");
    let page = linus.get(&format!("/staff/s/{ada}")).await;
    linus.order(&page, &[("command", "take_over")]).await;
    assert!(linus.get("/staff").await.contains("Taken over by Linus"));
}

#[tokio::test]
async fn the_key_of_a_tenant_is_no_key_of_another() {
    let site = Site::shared(KEY, &["acme", "zulu"]).await;
    let eve = site.visitor();
    for key in ["", "acme", "acmeacme", "zuluzuluzulu0", "acmeacmeacmezuluzuluzulu"] {
        let answer = eve.fetch(&format!("/staff?key={key}")).await;
        assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{key}");
    }
    // Pages of older conversations lead no further either.
    let last = asked(&site, "zulu", "Zoe").await;
    let grace = site.staff_with("acmeacmeacme", "Grace").await;
    for page in ["/staff?waiting=2".to_owned(), format!("/staff?before={last}")] {
        assert!(!grace.get(&page).await.contains("Zoe"), "{page}");
    }
}

#[tokio::test]
async fn the_local_page_offers_nothing_where_only_tenants_are_served() {
    let site = Site::hosted().await;
    let page = site.visitor().get("/").await;
    assert!(!page.contains("A short tour"), "{page}");
    assert!(page.contains("no interview"), "{page}");
}
