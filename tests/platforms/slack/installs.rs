//! Several workspaces: they install the app in a browser, and their tokens are renewed.

use std::sync::Arc;

use anteroom::{
    base::clock::FixedClock,
    config::{Secret, SlackRates, settings::SlackOauth},
    gateway::slack::{
        api::{Api, Failure, Method},
        installations::{Installations, routes},
    },
    store::{Store, memory::MemoryStore},
};
use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::json;
use tokio::{net::TcpListener, task::JoinSet};

use crate::slack::emulator::{CLIENT_ID, CLIENT_SECRET, Settings, Slack, TEAM, state::Team};

/// An app that workspaces install themselves.
struct Office {
    slack: Slack,
    clock: Arc<FixedClock>,
    store: Arc<dyn Store>,
    oauth: SlackOauth,
    installations: Arc<Installations>,
    url: String,
    _tasks: JoinSet<()>,
}

impl Office {
    async fn open() -> Self {
        let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
        let slack = Slack::start(Settings::new().on(Arc::clone(&clock) as _)).await;
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let oauth = SlackOauth {
            client_id: CLIENT_ID.to_owned(),
            client_secret: Secret::new(CLIENT_SECRET),
            redirect_url: format!("{url}/slack/oauth"),
            tokens_key: Secret::new("AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="),
        };
        let store: Arc<dyn Store> = Arc::new(MemoryStore::default());
        let base = slack.api_url().trim_end_matches('/');
        let installations =
            Installations::open(&oauth, base, Arc::clone(&store), Arc::clone(&clock) as _).await;
        let installations = Arc::new(installations.unwrap());
        let app = routes(Arc::clone(&installations));
        let mut tasks = JoinSet::new();
        tasks.spawn(async move { axum::serve(listener, app).await.unwrap() });
        Self { slack, clock, store, oauth, installations, url, _tasks: tasks }
    }

    fn api(&self) -> Api {
        Api::new(self.slack.api_url(), Arc::clone(&self.installations), &SlackRates::default())
            .unwrap()
    }

    /// Somebody installs the app in their browser.
    async fn install(&self) -> (StatusCode, String) {
        let browser = reqwest::Client::builder().cookie_store(true).build().unwrap();
        let page = browser.get(format!("{}/slack/install", self.url)).send().await.unwrap();
        (page.status(), page.text().await.unwrap())
    }
}

async fn test(api: &Api, team: &str) -> Result<String, Failure> {
    let answer = api.call(team, Method::AuthTest, &json!({})).await?;
    Ok(answer["team_id"].as_str().unwrap().to_owned())
}

#[tokio::test]
async fn two_workspaces_install_the_app_and_are_told_apart_after_a_restart() {
    let mut office = Office::open().await;
    let (status, page) = office.install().await;
    assert_eq!((status, page.contains("Installed")), (StatusCode::OK, true), "{page}");
    office.slack.with(|state| {
        let team = Team { name: "Other".to_owned(), domain: "other".to_owned(), ..Team::default() };
        state.teams.insert("T0ZULU".to_owned(), team);
    });
    assert_eq!(office.install().await.0, StatusCode::OK);

    let base = office.slack.api_url().trim_end_matches('/').to_owned();
    let clock = Arc::clone(&office.clock) as _;
    let installations =
        Installations::open(&office.oauth, &base, Arc::clone(&office.store), clock).await;
    office.installations = Arc::new(installations.unwrap());
    let api = office.api();
    assert_eq!(test(&api, TEAM).await.as_deref(), Ok(TEAM));
    assert_eq!(test(&api, "T0ZULU").await.as_deref(), Ok("T0ZULU"));
    assert_eq!(test(&api, "T0NONE").await, Err(Failure::NotInstalled));
    let kept = office.store.notes("slack/").await.unwrap();
    assert!(!format!("{kept:?}").contains("xoxb-"), "a token lies open in the store");
}

#[tokio::test]
async fn tokens_that_have_run_out_are_renewed_once() {
    let office = Office::open().await;
    office.slack.with(|state| state.rotates = true);
    office.install().await;
    let api = office.api();
    for _ in 0..3 {
        office.clock.advance(TimeDelta::hours(13));
        let (first, second) = tokio::join!(test(&api, TEAM), test(&api, TEAM));
        assert_eq!((first.as_deref(), second.as_deref()), (Ok(TEAM), Ok(TEAM)));
    }
    let renewals = office.slack.calls_of("oauth.v2.access").len();
    assert_eq!(renewals, 4, "one installation, three renewals");
}

#[tokio::test]
async fn a_visit_that_began_elsewhere_installs_nothing() {
    let office = Office::open().await;
    let code = office.slack.with(|state| state.consent(TEAM, false));
    let url = format!("{}/slack/oauth?code={code}&state=forged", office.url);
    assert_eq!(reqwest::get(url).await.unwrap().status(), StatusCode::FORBIDDEN);
    assert!(office.slack.calls_of("oauth.v2.access").is_empty());
}

#[tokio::test]
async fn an_organisation_installs_the_app_for_all_its_workspaces() {
    let office = Office::open().await;
    office.slack.with(|state| {
        state.teams.get_mut(TEAM).unwrap().enterprise = Some("E0GROUP".to_owned());
        state.org_installs = true;
    });
    let (status, page) = office.install().await;
    assert_eq!(status, StatusCode::OK, "{page}");
    let workspace = anteroom::gateway::slack::inbound::Workspace {
        team: TEAM.to_owned(),
        enterprise: Some("E0GROUP".to_owned()),
        is_enterprise_install: true,
    };
    office.installations.met(&workspace).await;
    let body = json!({ "channel": "C0DESK", "text": "hello" });
    assert_eq!(office.api().call(TEAM, Method::PostMessage, &body).await.unwrap()["ok"], true);
}
