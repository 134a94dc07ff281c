//! Workspaces and their tokens.
//!
//! One workspace by the bot token of the configuration is the simple way. Several install the app themselves
//! ([`routes`]): their tokens are sealed in the store's notes, renewed before they run out, and gone with the app.
//! An organisation that installed the app for all its workspaces has one token for them.
//!
//! A token that Slack does not accept is kept and asked about again ([`super::tokens`]): what was to leave waits.

mod enterprise_workspaces;
mod grant;
mod install;
mod rejected;
mod renewal;
mod vault;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    sync::{Arc, PoisonError, RwLock},
};

use chrono::{DateTime, TimeDelta, Utc};
use serde::{Deserialize, Serialize};
use tokio::sync::{Mutex, broadcast};
use tokio_util::task::TaskTracker;

use self::{
    grant::{Asker, Refusal},
    vault::{Tokens, Unsealed, Vault},
};
use super::inbound;
use crate::{
    base::clock::Clock,
    config::{Secret, settings::SlackOauth},
    store::{self, Note, Store},
};

pub use self::install::routes;

/// What the bot's token must be allowed to do. Manifests and `doctor` are made from it too.
pub const BOT_SCOPES: [&str; 16] = [
    "app_mentions:read",
    "assistant:write",
    "channels:history",
    "channels:read",
    "chat:write",
    "commands",
    "files:read",
    "files:write",
    "groups:history",
    "groups:read",
    "im:history",
    "im:read",
    "im:write",
    "usergroups:read",
    "users:read",
    "users:read.email",
];

/// The app as it is installed in a workspace, or in all workspaces of an organisation.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installation {
    /// The workspace; empty where an organisation installed the app.
    #[serde(default)]
    pub team: String,
    /// The organisation, where there is one.
    #[serde(default)]
    pub enterprise: Option<String>,
    /// For all workspaces of the organisation.
    #[serde(default)]
    pub is_enterprise_install: bool,
    /// The bot's user id.
    #[serde(default)]
    pub bot_user: String,
    /// The bot's own id, which stands in the messages that it wrote.
    #[serde(default)]
    pub bot: String,
}

impl Installation {
    /// What it is kept under: the organisation, or the workspace.
    pub(super) fn id(&self) -> &str {
        match &self.enterprise {
            Some(enterprise) if self.is_enterprise_install => enterprise,
            _ => &self.team,
        }
    }
}

/// Why tokens cannot be used or kept.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The key is not one.
    #[error(
        "the key that seals Slack tokens is not 32 bytes in base64. hint: make one with `openssl rand -base64 32`"
    )]
    BadKey,
    /// They could not be kept.
    #[error(transparent)]
    Store(#[from] store::Error),
    /// Slack gave none.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// No client can be made.
    #[error("no TLS client: {0}")]
    Client(#[from] reqwest::Error),
}

/// Why there is no token for a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoToken {
    /// Slack does not accept it.
    Rejected,
    /// The app is not installed there.
    NotInstalled,
}

/// An installation with its token.
#[derive(Debug, Clone)]
struct Entry {
    installation: Installation,
    token: Secret,
    /// Gets the next token, once.
    refresh: Option<Secret>,
    /// From when to until when the token lives.
    life: Option<(DateTime<Utc>, DateTime<Utc>)>,
    status: TokenStatus,
    /// It is used, and could not be saved yet.
    is_unsaved: bool,
}

/// Whether Slack accepts a token.
#[derive(Debug, Clone, PartialEq, Eq)]
enum TokenStatus {
    /// As far as is known.
    Accepted,
    /// It does not, with this code, and is asked about it again.
    Rejected(String),
    /// The app was taken away, and the token with it.
    Gone,
}

impl Entry {
    const fn is_live(&self) -> bool {
        matches!(self.status, TokenStatus::Accepted)
    }

    /// The token, or why there is none.
    fn token(&self) -> Result<&Secret, NoToken> {
        match self.status {
            TokenStatus::Accepted => Ok(&self.token),
            TokenStatus::Rejected(_) => Err(NoToken::Rejected),
            TokenStatus::Gone => Err(NoToken::NotInstalled),
        }
    }
}

/// An installation as it is kept in a note; the tokens are sealed.
#[derive(Serialize, Deserialize)]
struct Kept {
    installation: Installation,
    key: String,
    sealed: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    life: Option<(DateTime<Utc>, DateTime<Utc>)>,
}

impl Kept {
    /// Without tokens, it waits until the app is installed there again; nothing that is to be posted is lost.
    fn entry(self, tokens: Option<Tokens>) -> Entry {
        let is_sealed = tokens.is_none();
        let Tokens { access, refresh } = tokens.unwrap_or_default();
        let status = if is_sealed {
            TokenStatus::Rejected("unreadable".to_owned())
        } else {
            TokenStatus::Accepted
        };
        Entry {
            installation: self.installation,
            token: Secret::new(access),
            refresh: refresh.map(Secret::new),
            life: self.life,
            status,
            is_unsaved: false,
        }
    }
}

/// Says that a workspace can't be served, which is no reason to serve none.
fn tell_sealed(team: &str, why: Unsealed) {
    tracing::error!(
        slack.team = team, %why,
        "the Slack tokens of a workspace can't be read. hint: start with the key they were sealed with, or install the app \
         there again"
    );
}

/// What several workspaces need.
#[derive(Debug)]
struct Many {
    asker: Asker,
    vault: Vault,
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    /// One renewal at a time: a refresh token works once.
    renewing: Arc<Mutex<()>>,
    /// Tokens are saved and shredded one after the other, so that the note says the same as what is used.
    saving: Mutex<()>,
    /// Renewals, which nobody who asked for one can break off.
    renewals: TaskTracker,
}

/// Every workspace that the app is installed in.
#[derive(Debug)]
pub struct Installations {
    known: RwLock<Known>,
    /// The one token of the configuration, until [`super::tokens::identify`] has asked whose it is; and the file it stands in.
    plain: Option<(Secret, Option<PathBuf>)>,
    many: Option<Many>,
    installed: broadcast::Sender<Installation>,
    /// Workspaces whose token Slack has just refused.
    rejected: broadcast::Sender<String>,
}

#[derive(Debug, Default)]
struct Known {
    /// By workspace, or by organisation.
    entries: BTreeMap<String, Entry>,
    /// Workspaces of organisations that installed the app for all of theirs.
    homes: BTreeMap<String, String>,
}

impl Known {
    fn key(&self, team: &str) -> Option<String> {
        if self.entries.contains_key(team) {
            return Some(team.to_owned());
        }
        self.homes.get(team).filter(|home| self.entries.contains_key(*home)).cloned()
    }

    /// What an event of a workspace is about: its own installation, or that of its organisation.
    fn of(&self, workspace: &inbound::Workspace) -> Option<String> {
        if self.entries.contains_key(&workspace.team) {
            return Some(workspace.team.clone());
        }
        workspace.enterprise.clone().filter(|_| workspace.is_enterprise_install)
    }

    fn entry(&self, team: &str) -> Option<&Entry> {
        self.entries.get(team).or_else(|| self.entries.get(self.homes.get(team)?))
    }
}

/// Notes of installations.
const INSTALLS: &str = "slack/install/";

/// Notes of workspaces that belong to an organisation's installation.
const HOMES: &str = "slack/home/";

/// Installations that a slow listener may fall behind.
const INSTALLED_KEPT: usize = 16;

/// A token that lives no longer than this is not used any more.
const LAST_MOMENT: TimeDelta = TimeDelta::seconds(30);

impl Default for Installations {
    fn default() -> Self {
        Self {
            known: RwLock::default(),
            plain: None,
            many: None,
            installed: broadcast::Sender::new(INSTALLED_KEPT),
            rejected: broadcast::Sender::new(INSTALLED_KEPT),
        }
    }
}

impl Installations {
    /// One workspace, by the bot token of the configuration; whose it is, [`super::tokens::identify`] asks.
    pub fn plain(token: Secret) -> Self {
        Self { plain: Some((token, None)), ..Self::default() }
    }

    /// One workspace, by a bot token that stands in `file`, where another one may be put in its place.
    pub(crate) fn plain_in(file: Option<PathBuf>, token: Secret) -> Self {
        Self { plain: Some((token, file)), ..Self::default() }
    }

    /// Those that installed the app themselves, out of the store. `base` is where the Web API is.
    pub async fn open(
        oauth: &SlackOauth,
        base: &str,
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, Error> {
        let vault = Vault::new(&oauth.tokens_key).ok_or(Error::BadKey)?;
        let mut known = Known::default();
        for note in store.notes(INSTALLS).await? {
            let name = note.key.trim_start_matches(INSTALLS).to_owned();
            let value = note.value.unwrap_or_default();
            let Ok(kept) = serde_json::from_str::<Kept>(&value) else {
                tell_sealed(&name, Unsealed::Damaged);
                continue;
            };
            let tokens = vault.open(&note.key, &kept.key, &kept.sealed);
            let entry = kept.entry(tokens.inspect_err(|why| tell_sealed(&name, *why)).ok());
            known.entries.insert(name, entry);
        }
        for note in store.notes(HOMES).await? {
            let team = note.key.trim_start_matches(HOMES).to_owned();
            known.homes.insert(team, note.value.unwrap_or_default());
        }
        let asker = Asker::new(oauth, base)?;
        let many = Many {
            asker,
            vault,
            store,
            clock,
            renewing: Arc::default(),
            saving: Mutex::default(),
            renewals: TaskTracker::new(),
        };
        Ok(Self { known: RwLock::new(known), many: Some(many), ..Self::default() })
    }

    /// The bot token of the configuration, where that is the simple way.
    pub(super) fn plain_token(&self) -> Option<&Secret> {
        self.plain.as_ref().map(|(token, _)| token)
    }

    /// Takes an installation in, for this process.
    pub fn put(&self, installation: Installation, token: Secret) {
        let status = TokenStatus::Accepted;
        let (refresh, life, is_unsaved) = (None, None, false);
        self.enter(Entry { installation, token, refresh, life, status, is_unsaved });
    }

    /// Every installation whose token Slack accepts.
    pub fn live(&self) -> Vec<Installation> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let live = known.entries.values().filter(|entry| entry.is_live());
        live.map(|entry| entry.installation.clone()).collect()
    }

    /// The installation that a workspace uses, whether or not its token is still accepted.
    pub fn installation(&self, team: &str) -> Option<Installation> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.entry(team).map(|entry| entry.installation.clone())
    }

    /// Every workspace that the bot serves, as far as it knows them.
    pub fn teams(&self) -> BTreeSet<String> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        let own = known.entries.values().filter(|entry| entry.is_live());
        let own = own.map(|entry| entry.installation.team.clone()).filter(|team| !team.is_empty());
        let homes = known.homes.keys().filter(|team| known.entry(team).is_some_and(Entry::is_live));
        own.chain(homes.cloned()).collect()
    }

    /// Whether a workspace is one of those that an installation is for.
    pub fn covers(&self, installation: &Installation, team: &str) -> bool {
        if !installation.is_enterprise_install {
            return installation.team == team;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        installation.enterprise.is_some()
            && known.homes.get(team) == installation.enterprise.as_ref()
    }

    /// Hears of installations while they happen: of new ones, and of those that come back.
    pub fn installed(&self) -> broadcast::Receiver<Installation> {
        self.installed.subscribe()
    }

    /// Hears of workspaces whose token Slack refuses from now on. That it accepts one again is an installation that comes
    /// back.
    pub fn rejected(&self) -> broadcast::Receiver<String> {
        self.rejected.subscribe()
    }

    /// Which installation ends where the app is uninstalled in a workspace.
    pub(crate) fn revoked_by(&self, workspace: &inbound::Workspace) -> Option<Installation> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.of(workspace).and_then(|id| Some(known.entries.get(&id)?.installation.clone()))
    }

    /// The app was uninstalled, or its tokens were revoked: they are not used again, and shredded. Which installation
    /// that was; again, the same.
    pub async fn revoke(
        &self,
        workspace: &inbound::Workspace,
    ) -> Result<Option<Installation>, store::Error> {
        let _one_at_a_time = match &self.many {
            Some(many) => Some(many.saving.lock().await),
            None => None,
        };
        let gone = {
            let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
            let key = known.of(workspace);
            if let Some(entry) = key.as_ref().and_then(|key| known.entries.get_mut(key)) {
                entry.status = TokenStatus::Gone;
                entry.token = Secret::new("");
                entry.refresh = None;
                entry.is_unsaved = false;
            }
            key.and_then(|key| Some(known.entries.get(&key)?.installation.clone()))
        };
        if let (Some(many), Some(gone)) = (&self.many, &gone) {
            let key = format!("{INSTALLS}{}", gone.id());
            many.store.note(Note { key, session: None, value: None }).await?;
        }
        Ok(gone)
    }

    /// The token for a workspace, or why there is none.
    pub(super) async fn token(self: &Arc<Self>, team: &str) -> Result<Secret, NoToken> {
        let (id, token) = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            let entry = known.entry(team).ok_or(NoToken::NotInstalled)?;
            let token = entry.token()?.clone();
            let is_old = match (&self.many, entry.life) {
                (Some(many), Some((_, until))) => many.clock.now() + LAST_MOMENT >= until,
                _ => false,
            };
            if !is_old {
                return Ok(token);
            }
            (entry.installation.id().to_owned(), token)
        };
        if let Some(many) = &self.many {
            self.renew(many, &id, Some(&token)).await;
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.entry(team).ok_or(NoToken::NotInstalled)?.token().cloned()
    }

    /// Slack does not accept this token. True where there is another one by now.
    pub(super) async fn distrust(self: &Arc<Self>, team: &str, token: &Secret, code: &str) -> bool {
        let id = {
            let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
            let Some(id) = known.key(team) else { return false };
            if known.entries.get(&id).is_some_and(|entry| entry.token != *token) {
                return true;
            }
            id
        };
        if let (Some(many), "token_expired") = (&self.many, code)
            && self.renew(many, &id, Some(token)).await
        {
            return true;
        }
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let Some(entry) = known.entries.get_mut(&id) else { return false };
        if entry.token == *token && entry.is_live() {
            entry.status = TokenStatus::Rejected(code.to_owned());
            let hint = self.remedy();
            tracing::error!(
                slack.team = team,
                error = code,
                "Slack does not accept the bot's token any more: what was to be posted waits. hint: {hint}"
            );
            // Nobody may listen yet; whoever asks whether the bot is ready is told all the same.
            _ = self.rejected.send(team.to_owned());
        }
        entry.token != *token
    }

    /// Changes the code that a browser brought into an installation, and keeps it.
    async fn install(&self, code: &str) -> Result<(), Error> {
        let Some(many) = &self.many else { return Ok(()) };
        let granted = many.asker.exchange(code).await?;
        let entry = Entry::granted(granted, many.clock.now());
        let _one_at_a_time = many.saving.lock().await;
        // Whoever installs is told that it was not kept, and does it once more.
        many.save(&entry).await?;
        tracing::info!(
            slack.team = entry.installation.id(),
            "the app was installed in a workspace"
        );
        self.enter(entry);
        Ok(())
    }

    fn enter(&self, entry: Entry) {
        let installation = entry.installation.clone();
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let before = known.entries.insert(installation.id().to_owned(), entry);
        drop(known);
        if before.is_none_or(|before| !before.is_live()) {
            // Nobody listening is no failure.
            _ = self.installed.send(installation);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex as Plain;

    use axum::{Router, body::Bytes, extract::State, http::Uri};
    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use reqwest::{Client, Response, StatusCode, Url, redirect::Policy};
    use serde_json::{Value, json};
    use tokio::{net::TcpListener, sync::Semaphore};

    use super::*;
    use crate::{
        base::clock::FixedClock,
        base::telemetry::ready::Ready as _,
        config::SlackRates,
        gateway::slack::api::{Api, Failure, Method},
        store::memory::MemoryStore,
    };

    /// A Slack that gives tokens: `xoxb-1`, `xoxb-2`, … and takes each refresh token once.
    #[derive(Debug, Default)]
    pub(super) struct Giver {
        pub(super) given: u32,
        pub(super) is_organisation: bool,
        pub(super) expires_in: Option<u32>,
        pub(super) asked: Vec<String>,
        /// Tokens that are given arrive when it is opened.
        pub(super) gate: Option<Arc<Semaphore>>,
    }

    type Shared = Arc<Plain<Giver>>;

    async fn slack(State(giver): State<Shared>, uri: Uri, body: Bytes) -> axum::Json<Value> {
        let answer = answer(&mut giver.lock().unwrap(), &uri, &body);
        let gate = giver.lock().unwrap().gate.clone();
        if let Some(gate) = gate {
            gate.acquire().await.unwrap().forget();
        }
        axum::Json(answer)
    }

    fn answer(giver: &mut Giver, uri: &Uri, body: &Bytes) -> Value {
        let body = String::from_utf8_lossy(body).into_owned();
        giver.asked.push(format!("{} {body}", uri.path()).trim_end().to_owned());
        let is_current = body.contains(&format!("refresh_token=xoxe-1-{}", giver.given));
        match uri.path() {
            "/api/auth.test" => json!({"ok": true, "bot_id": "B01"}),
            "/api/oauth.v2.access" if body.contains("refresh_token") && !is_current => {
                json!({"ok": false, "error": "invalid_refresh_token"})
            }
            "/api/oauth.v2.access" => {
                giver.given += 1;
                let mut answer = json!({
                    "ok": true, "access_token": format!("xoxb-{}", giver.given), "token_type": "bot",
                    "bot_user_id": "U0BOT", "team": {"id": "T01", "name": "Example"}, "enterprise": null,
                    "is_enterprise_install": false,
                });
                if giver.is_organisation {
                    answer["team"] = Value::Null;
                    answer["enterprise"] = json!({"id": "E01", "name": "Example"});
                    answer["is_enterprise_install"] = json!(true);
                }
                if let Some(seconds) = giver.expires_in {
                    answer["refresh_token"] = json!(format!("xoxe-1-{}", giver.given));
                    answer["expires_in"] = json!(seconds);
                }
                answer
            }
            _ => json!({"ok": false, "error": "unknown_method"}),
        }
    }

    /// A bot that may be installed, and the Slack it belongs to.
    pub(super) struct World {
        pub(super) giver: Shared,
        pub(super) base: String,
        pub(super) store: Arc<dyn Store>,
        pub(super) clock: Arc<FixedClock>,
        pub(super) installations: Arc<Installations>,
        own: String,
        browser: Client,
    }

    async fn serve(app: Router) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        #[expect(clippy::disallowed_methods, reason = "it ends with the test's runtime")]
        tokio::spawn(async move { axum::serve(listener, app).await });
        format!("http://{address}")
    }

    fn settings(key: u8) -> SlackOauth {
        SlackOauth {
            client_id: "1.2".to_owned(),
            client_secret: Secret::new("client-secret"),
            redirect_url: "http://127.0.0.1/slack/oauth".to_owned(),
            tokens_key: Secret::new(STANDARD.encode([key; 32])),
        }
    }

    impl World {
        pub(super) async fn new(giver: Giver) -> Self {
            Self::kept_in(Arc::new(MemoryStore::default()), giver).await
        }

        pub(super) async fn kept_in(store: Arc<dyn Store>, giver: Giver) -> Self {
            let giver = Arc::new(Plain::new(giver));
            let app = Router::new().fallback(slack).with_state(Arc::clone(&giver));
            let base = format!("{}/api", serve(app).await);
            let clock = Arc::new(FixedClock::new("2026-11-02T10:00:00Z".parse().unwrap()));
            let installations = open(&store, &clock, &base, 1).await.unwrap();
            let own = serve(routes(Arc::clone(&installations))).await;
            let browser =
                Client::builder().cookie_store(true).redirect(Policy::none()).build().unwrap();
            Self { giver, base, store, clock, installations, own, browser }
        }

        /// What a browser does: visits, is sent to Slack, comes back.
        pub(super) async fn install(&self) -> StatusCode {
            let state = self.visit().await;
            self.come_back(&state).await
        }

        async fn visit(&self) -> String {
            let answer =
                self.browser.get(format!("{}/slack/install", self.own)).send().await.unwrap();
            let to: Url = answer.headers()["location"].to_str().unwrap().parse().unwrap();
            assert_eq!(to.path(), "/oauth/v2/authorize");
            to.query_pairs().find(|(name, _)| name == "state").unwrap().1.into_owned()
        }

        async fn come_back(&self, state: &str) -> StatusCode {
            self.answer_to(state).await.status()
        }

        async fn answer_to(&self, state: &str) -> Response {
            let url = format!("{}/slack/oauth?code=a+b&state={state}", self.own);
            self.browser.get(url).send().await.unwrap()
        }

        /// What a browser shows at the end.
        pub(super) async fn installed_page(&self) -> (StatusCode, String) {
            let state = self.visit().await;
            let answer = self.answer_to(&state).await;
            (answer.status(), answer.text().await.unwrap())
        }

        pub(super) async fn token(&self, team: &str) -> Option<String> {
            self.installations.token(team).await.ok().map(|token| token.expose().to_owned())
        }
    }

    pub(super) async fn open(
        store: &Arc<dyn Store>,
        clock: &Arc<FixedClock>,
        base: &str,
        key: u8,
    ) -> Result<Arc<Installations>, Error> {
        let clock: Arc<dyn Clock> = Arc::<FixedClock>::clone(clock);
        Installations::open(&settings(key), base, Arc::clone(store), clock).await.map(Arc::new)
    }

    pub(super) fn workspace(team: &str, enterprise: Option<&str>) -> inbound::Workspace {
        let enterprise = enterprise.map(str::to_owned);
        let is_enterprise_install = enterprise.is_some();
        inbound::Workspace { team: team.to_owned(), enterprise, is_enterprise_install }
    }

    #[tokio::test]
    async fn a_workspace_installs_the_app_and_is_known_after_a_restart() {
        let world = World::new(Giver::default()).await;
        let mut installed = world.installations.installed();
        assert_eq!(world.token("T01").await, None);
        assert_eq!(world.install().await, StatusCode::OK);
        assert_eq!(world.token("T01").await.as_deref(), Some("xoxb-1"));
        assert_eq!(installed.recv().await.unwrap().bot, "B01");
        let kept = world.store.notes(INSTALLS).await.unwrap();
        assert!(!kept[0].value.as_ref().unwrap().contains("xoxb"), "sealed at rest");
        let again = open(&world.store, &world.clock, &world.base, 1).await.unwrap();
        assert_eq!(again.token("T01").await.unwrap().expose(), "xoxb-1");
        let asked = world.giver.lock().unwrap().asked.join("\n");
        insta::assert_snapshot!(asked, @"
        /api/oauth.v2.access code=a%20b&redirect_uri=http%3A%2F%2F127.0.0.1%2Fslack%2Foauth
        /api/auth.test
        ");
    }

    #[tokio::test]
    async fn one_that_cannot_be_read_costs_its_own_workspace_alone() {
        let world = World::new(Giver::default()).await;
        world.install().await;
        let damaged =
            Note { key: format!("{INSTALLS}T02"), session: None, value: Some("{".to_owned()) };
        world.store.note(damaged).await.unwrap();
        let sealed = open(&world.store, &world.clock, &world.base, 2).await.unwrap();
        insta::assert_snapshot!(sealed.ready().unwrap_err(), @"Slack does not accept the bot's token: `unreadable`. What was to be posted waits. hint: install the app in that workspace again");
        assert_eq!(sealed.token("T01").await.unwrap_err(), NoToken::Rejected);
        assert_eq!(sealed.token("T02").await.unwrap_err(), NoToken::NotInstalled);
        let rejected = sealed.all_rejected().remove(0);
        assert!(sealed.token_to_ask_about(&rejected).await.is_none(), "there is none");
    }

    #[tokio::test]
    async fn a_visit_that_began_elsewhere_or_long_ago_installs_nothing() {
        let world = World::new(Giver::default()).await;
        let state = world.visit().await;
        let other = World::new(Giver::default()).await;
        other.visit().await;
        assert_eq!(other.come_back(&state).await, StatusCode::FORBIDDEN, "another browser's visit");
        assert_eq!(world.come_back("1.2.3").await, StatusCode::FORBIDDEN, "made up");
        world.clock.advance(TimeDelta::seconds(VISIT + 1));
        assert_eq!(world.come_back(&state).await, StatusCode::FORBIDDEN, "too late");
        assert!(world.giver.lock().unwrap().asked.is_empty());
    }

    const VISIT: i64 = 600;

    #[tokio::test]
    async fn an_organisation_has_one_token_for_its_workspaces() {
        let world = World::new(Giver { is_organisation: true, ..Giver::default() }).await;
        assert_eq!(world.install().await, StatusCode::OK);
        assert_eq!(world.token("T07").await, None, "nothing came from there yet");
        world.installations.met(&workspace("T07", Some("E01"))).await;
        assert_eq!(world.token("T07").await.as_deref(), Some("xoxb-1"));
        world.installations.met(&workspace("T08", Some("E02"))).await;
        assert_eq!(world.token("T08").await, None, "of another organisation");
        let again = open(&world.store, &world.clock, &world.base, 1).await.unwrap();
        assert_eq!(again.token("T07").await.unwrap().expose(), "xoxb-1");
        world.installations.revoke(&workspace("T07", Some("E01"))).await.unwrap();
        assert_eq!(world.token("T07").await, None);
    }

    #[tokio::test]
    async fn tokens_are_renewed_once_for_all_who_ask() {
        let world = World::new(Giver { expires_in: Some(43_200), ..Giver::default() }).await;
        world.install().await;
        assert!(world.installations.ageing(world.clock.now()).is_empty());
        world.clock.advance(TimeDelta::hours(6));
        assert_eq!(world.installations.ageing(world.clock.now()), ["T01"], "half its life is over");
        world.clock.advance(TimeDelta::hours(6));
        let (one, two) = tokio::join!(world.token("T01"), world.token("T01"));
        assert_eq!((one.as_deref(), two.as_deref()), (Some("xoxb-2"), Some("xoxb-2")));
        let again = open(&world.store, &world.clock, &world.base, 1).await.unwrap();
        assert_eq!(again.token("T01").await.unwrap().expose(), "xoxb-2");
        // Slack may end a token early.
        assert!(world.installations.distrust("T01", &Secret::new("xoxb-2"), "token_expired").await);
        assert_eq!(world.token("T01").await.as_deref(), Some("xoxb-3"));
    }

    #[tokio::test]
    async fn what_was_uninstalled_is_gone_until_it_is_installed_again() {
        let world = World::new(Giver::default()).await;
        world.install().await;
        world.installations.revoke(&workspace("T01", None)).await.unwrap();
        assert_eq!(world.token("T01").await, None);
        assert!(world.store.notes(INSTALLS).await.unwrap().is_empty(), "shredded");
        let api = Api::new(&world.base, Arc::clone(&world.installations), &SlackRates::default())
            .unwrap();
        let failure = api.call("T01", Method::PostMessage, &json!({})).await.unwrap_err();
        assert_eq!(failure, Failure::NotInstalled);
        let mut installed = world.installations.installed();
        assert_eq!(world.install().await, StatusCode::OK);
        assert_eq!(installed.recv().await.unwrap().team, "T01");
        assert_eq!(world.token("T01").await.as_deref(), Some("xoxb-2"));
    }

    #[tokio::test]
    async fn an_organisations_installation_is_for_the_workspaces_that_were_met() {
        let world = World::new(Giver { is_organisation: true, ..Giver::default() }).await;
        world.install().await;
        let installation = world.installations.live().remove(0);
        assert!(!world.installations.covers(&installation, "T02"), "not met yet");
        world.installations.met(&workspace("T02", Some("E01"))).await;
        world.installations.met(&workspace("T03", Some("E02"))).await;
        let covered = |installations: &Installations| {
            ["", "T02", "T03"].map(|team| installations.covers(&installation, team))
        };
        assert_eq!(covered(&world.installations), [false, true, false]);
        let gone = world.installations.revoke(&workspace("", Some("E01"))).await.unwrap();
        assert_eq!(gone.as_ref(), Some(&installation));
        assert_eq!(world.token("T02").await, None);
        // Also in the process after this one, and where the app is installed again.
        let again = open(&world.store, &world.clock, &world.base, 1).await.unwrap();
        assert_eq!(covered(&again), [false, true, false]);
        let one = Installation { team: "T02".to_owned(), ..Installation::default() };
        assert_eq!(["T02", "T03"].map(|team| again.covers(&one, team)), [true, false]);
    }
}
