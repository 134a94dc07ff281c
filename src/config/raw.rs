//! The configuration as it is written.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, time::Duration};

use chrono::TimeDelta;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::model::{flow::Period, usage::Per};

/// `config.toml`. Everything has a default; unknown keys are refused.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Where things are kept.
    pub data: Data,
    /// The database of several nodes; without it the data is in the data directory.
    pub postgres: Option<Postgres>,
    /// The bucket that files are kept in; without it they are in the database.
    pub s3: Option<super::s3::S3>,
    /// The local page.
    pub web: Web,
    /// How the pages look.
    pub brand: super::brand::Written,
    /// Values for `{{name}}` in texts of flows.
    pub vars: BTreeMap<String, String>,
    /// Slack; the platform counts as in use where this is written.
    pub slack: Option<Slack>,
    /// Discord; the platform counts as in use where this is written.
    pub discord: Option<Discord>,
    /// Who decides, by alias.
    pub approvers: BTreeMap<String, Approvers>,
    /// Web hooks by alias.
    pub webhooks: BTreeMap<String, Webhook>,
    /// Where contact details come from.
    pub contacts: Contacts,
    /// The operator's flows.
    pub flows: Flows,
    /// Bounds of files, over all flows.
    pub uploads: Uploads,
    /// Models by purpose.
    pub llm: super::llm::Llm,
    /// The service that searches the web.
    pub search: Option<super::search::Search>,
    /// What is logged, and how.
    pub log: Log,
    /// The people behind the bot.
    pub team: Team,
    /// Rates and bounds.
    pub limits: Limits,
    /// What models may use up.
    pub budget: Budget,
    /// Where machines ask how the bot is doing.
    pub metrics: Metrics,
    /// What is offered in a consulting flow, and what it costs.
    pub consulting: super::consulting::Consulting,
    /// Customers of the bot by name, each with their own workspaces, people and channels.
    pub tenant: BTreeMap<String, Tenant>,
}

/// Where things are kept.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Data {
    /// The data directory; by default where the system keeps application data.
    pub dir: Option<PathBuf>,
}

/// Data in PostgreSQL. One node is active, others stand by.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Postgres {
    /// Variable with the address: `postgres://user:password@host:5432/database`.
    pub url_env: Option<String>,
    /// File with that address.
    pub url_file: Option<PathBuf>,
    /// Variable with the key that seals the data, the same on every node: 32 bytes in base64.
    pub key_env: Option<String>,
    /// File with that key.
    pub key_file: Option<PathBuf>,
    /// What this node is called; by default the name of the machine and the number of the process.
    pub node: Option<String>,
    /// Host name or IP address under which other nodes reach this one; by default the addresses that it listens on.
    pub node_host: Option<String>,
    /// How long the active node may stand still before another takes over.
    pub lease: Option<Period>,
}

/// The local page.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Web {
    /// Address and port: `127.0.0.1:4747`.
    pub listen: Option<String>,
    /// Serve other machines too.
    pub allow_remote: bool,
    /// Where receivers of web hooks reach this listener: `https://bot.example.org`. With it, files in web hooks are linked.
    pub public_url: Option<String>,
    /// How long the links are good for, from when a web hook is sent.
    pub links_expire_after: Option<Period>,
    /// Variable with the key that opens the staff page.
    pub staff_key_env: Option<String>,
    /// File with that key.
    pub staff_key_file: Option<PathBuf>,
}

/// Slack. It is connected where a token of the bot, or `oauth`, is written; the rest alone connects nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Slack {
    /// How events come in.
    pub transport: SlackTransport,
    /// Variable with the bot's token, `xoxb-…`, of the one workspace.
    pub bot_token_env: Option<String>,
    /// File with that token.
    pub bot_token_file: Option<PathBuf>,
    /// Variable with the app's token, `xapp-…`, which opens sockets.
    pub app_token_env: Option<String>,
    /// File with that token.
    pub app_token_file: Option<PathBuf>,
    /// Variable with the secret that signs requests over HTTP.
    pub signing_secret_env: Option<String>,
    /// File with that secret.
    pub signing_secret_file: Option<PathBuf>,
    /// Address and port for Slack's requests, and for installing with `oauth`: `127.0.0.1:3000`.
    pub listen: Option<String>,
    /// Sockets that are open at one time.
    #[schemars(range(min = 1, max = 10))]
    pub sockets: Option<u8>,
    /// The slash command.
    pub command: Option<String>,
    /// Ids of users who see what staff see.
    pub staff_users: Vec<String>,
    /// Ids of user groups whose members do.
    pub staff_groups: Vec<String>,
    /// Another address for the Web API, for tests: up to what stands before `/chat.postMessage`.
    pub api_url: Option<String>,
    /// For several workspaces: they install the app themselves.
    pub oauth: Option<SlackOauth>,
    /// How often Slack may be called.
    pub rates: SlackRates,
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
}

/// How events come in from Slack.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SlackTransport {
    /// Over sockets that this program opens: nothing needs to reach this machine.
    #[default]
    Socket,
    /// Over requests of Slack to this machine.
    Http,
}

/// How workspaces install the app themselves.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlackOauth {
    /// The app's client id.
    pub client_id: String,
    /// Variable with the app's client secret.
    #[serde(default)]
    pub client_secret_env: Option<String>,
    /// File with that secret.
    #[serde(default)]
    pub client_secret_file: Option<PathBuf>,
    /// Where Slack sends the browser back to: `https://bot.example.org/slack/oauth`.
    pub redirect_url: String,
    /// Variable with the key that tokens are sealed with: 32 bytes in base64.
    #[serde(default)]
    pub tokens_key_env: Option<String>,
    /// File with that key.
    #[serde(default)]
    pub tokens_key_file: Option<PathBuf>,
}

/// How often Slack may be called; Slack itself refuses more than the defaults.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SlackRates {
    /// Posts to one channel in a minute.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub posts_per_channel: u32,
    /// Posts to one channel that may go at once.
    #[schemars(range(min = 1, max = 100_000))]
    pub posts_burst: u32,
    /// Posts to one workspace in a minute.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub posts_per_workspace: u32,
    /// Calls of each method of tier 2 in a minute, for one workspace.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub tier_2: u32,
    /// Calls of each method of tier 3 in a minute, for one workspace.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub tier_3: u32,
    /// Calls of each method of tier 4 in a minute, for one workspace.
    #[schemars(range(min = 1, max = 1_000_000))]
    pub tier_4: u32,
}

impl Default for SlackRates {
    fn default() -> Self {
        Self {
            posts_per_channel: 60,
            posts_burst: 5,
            posts_per_workspace: 300,
            tier_2: 20,
            tier_3: 50,
            tier_4: 100,
        }
    }
}

/// Discord.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Discord {
    /// How interactions come in.
    pub transport: DiscordTransport,
    /// Variable with the token of the bot.
    pub token_env: Option<String>,
    /// File with that token.
    pub token_file: Option<PathBuf>,
    /// The application's id.
    pub application_id: Option<String>,
    /// Over HTTP: the application's public key, 64 hexadecimal digits.
    pub public_key: Option<String>,
    /// Over HTTP: where requests of Discord come in.
    pub listen: Option<String>,
    /// Over the gateway: connections that the servers are divided among; by default as many as Discord advises.
    #[schemars(range(min = 1, max = 64))]
    pub shards: Option<u32>,
    /// The privileged intent Message Content is granted: what people write in threads reaches the bot.
    pub message_content: bool,
    /// The privileged intent Server Members is granted: who leaves, and who passes the screening, is known.
    pub members: bool,
    /// Ids of users who see what staff see.
    pub staff_users: Vec<String>,
    /// Ids of roles whose members do.
    pub staff_roles: Vec<String>,
    /// Requests in a second over all routes; Discord lets a bot make fifty, and large ones more by agreement.
    #[schemars(range(min = 1, max = 10_000))]
    pub requests_per_second: Option<u32>,
    /// Another address for the API, for tests: on this machine, up to what stands before `/channels`.
    pub api_base: Option<String>,
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
    /// Role ids by alias.
    pub roles: BTreeMap<String, String>,
}

/// How interactions come in from Discord.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum DiscordTransport {
    /// Over a socket that this program opens: nothing needs to reach this machine.
    #[default]
    Gateway,
    /// Over requests of Discord to this machine.
    Http,
}

/// Who decides under one alias.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Approvers {
    /// Slack user ids.
    pub slack_users: Vec<String>,
    /// Slack user group ids.
    pub slack_groups: Vec<String>,
    /// Discord user ids.
    pub discord_users: Vec<String>,
    /// Discord role ids.
    pub discord_roles: Vec<String>,
    /// Names of people on the local page.
    pub web_users: Vec<String>,
    /// Everyone who can open the staff page.
    pub web_staff: bool,
}

/// A web hook.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Webhook {
    /// Where it goes: an `https` address, or `http` on this machine.
    pub url: String,
    /// Variable with the secret that signs it.
    #[serde(default)]
    pub secret_env: Option<String>,
    /// File with that secret.
    #[serde(default)]
    pub secret_file: Option<PathBuf>,
}

/// Where contact details come from.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Contacts {
    /// The sources to ask, best first.
    pub sources: Vec<ContactSource>,
    /// The Contacts application.
    pub macos: Option<Macos>,
    /// A vCard file.
    pub vcard: Option<ContactFile>,
    /// A directory of people.
    pub directory: Option<ContactFile>,
}

impl Default for Contacts {
    fn default() -> Self {
        Self {
            sources: vec![ContactSource::Profile, ContactSource::Vcard],
            macos: None,
            vcard: None,
            directory: None,
        }
    }
}

/// A source of contact details.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ContactSource {
    /// The Contacts application, for the owner of this machine alone.
    Macos,
    /// vCard files that the participant sends, and the configured one.
    Vcard,
    /// What the platform says of the participant.
    Profile,
    /// A file that lists people.
    Directory,
}

/// The Contacts application.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Macos {
    /// The one person the card belongs to: `slack:T01/U01`.
    pub owner: String,
    /// How the application is asked.
    #[serde(default)]
    pub via: MacosVia,
}

/// How the Contacts application is asked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MacosVia {
    /// Through the framework, by script where that breaks.
    #[default]
    Auto,
    /// Through the Contacts framework.
    Contacts,
    /// By a script for `osascript`.
    Osascript,
}

/// A file with contact details.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContactFile {
    /// Where it lies.
    pub file: PathBuf,
}

/// The operator's flows.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Flows {
    /// Directory of `*.toml` files.
    pub dir: Option<PathBuf>,
    /// Flows that can be started; all where empty.
    pub enabled: Vec<String>,
    /// Directory of `*.toml` files with templates of child runs.
    pub tasks: Option<PathBuf>,
    /// Nothing is started in workspaces that belong to no `[tenant]`.
    pub tenants_only: bool,
}

/// Bounds of files, over all flows.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Uploads {
    /// Largest file of any flow, in megabytes of 1,048,576 bytes.
    #[schemars(range(min = 1, max = 32))]
    pub max_mb: u64,
}

impl Default for Uploads {
    fn default() -> Self {
        Self { max_mb: 25 }
    }
}

/// What is logged, and how.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Log {
    /// How a line is written.
    pub format: LogFormat,
    /// What is written: `info`, or `anteroom=debug,info`.
    pub level: String,
}

impl Default for Log {
    fn default() -> Self {
        Self { format: LogFormat::Auto, level: "info".to_owned() }
    }
}

/// How a log line is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LogFormat {
    /// `pretty` on a terminal, `plain` elsewhere.
    Auto,
    /// With colours.
    Pretty,
    /// Without.
    Plain,
    /// One JSON object a line.
    Json,
}

/// Where machines ask how the bot is doing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Metrics {
    /// Another address and port for `/metrics`, `/healthz` and `/readyz`.
    pub listen: Option<String>,
}

/// Rates and bounds.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Events that may wait for one conversation.
    #[schemars(range(min = 1, max = 10_000))]
    pub session_queue: u32,
    /// Conversations that may be worked on at one time.
    #[schemars(range(min = 1, max = 10_000))]
    pub active_sessions: u32,
    /// What one person may send in a minute.
    #[schemars(range(min = 1, max = 100_000))]
    pub person_per_minute: u32,
    /// Effects delivered at one time.
    #[schemars(range(min = 1, max = 1_000))]
    pub outbox_workers: u32,
    /// Tokens that a request to a model may have before the conversation is shortened.
    #[schemars(range(min = 4_000, max = 10_000_000))]
    pub window_tokens: u64,
    /// Messages that somebody writes within so long are read by the model together.
    pub burst: Period,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            session_queue: 64,
            active_sessions: 256,
            person_per_minute: 240,
            outbox_workers: 64,
            window_tokens: 60_000,
            burst: Period(Duration::from_secs(2)),
        }
    }
}

/// The people behind the bot.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Team {
    /// Where the team's days begin and end, such as `Europe/Berlin`. It also counts for participants of whom no time
    /// zone is known, where their flow names none.
    pub time_zone: Option<String>,
}

/// What models may use up; nothing is bounded that is not written, but for the tokens of a session, which flows bound.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Budget {
    /// When the accounts of workspaces and the total begin anew, by UTC.
    pub per: Per,
    /// By one turn of a conversation.
    pub turn: Bounds,
    /// By one conversation.
    pub session: Bounds,
    /// By all conversations of one Slack workspace or Discord server, in each period.
    pub workspace: Bounds,
    /// By all conversations, in each period.
    pub total: Bounds,
}

/// How much may be used up.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Bounds {
    /// Tokens in and out.
    #[schemars(range(min = 1))]
    pub tokens: Option<u64>,
    /// Calls of models.
    #[schemars(range(min = 1))]
    pub calls: Option<u64>,
    /// Time that models and tools work.
    pub time: Option<Period>,
    /// Money, in the unit in which the provider reports prices.
    #[schemars(range(min = 0.01, max = 1_000_000_000.0))]
    pub cost: Option<f64>,
}

/// A customer: who is in it, whom it answers to, and what it may use. Its workspaces know none of the channels, roles,
/// deciders, staff and web hooks that are set up outside of it.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Tenant {
    /// Flows that can be started there; all where empty.
    pub flows: Vec<String>,
    /// Values for `{{name}}` in texts of flows, before those under `[vars]`.
    pub vars: BTreeMap<String, String>,
    /// Variable with the key that opens the staff page for its conversations alone.
    pub staff_key_env: Option<String>,
    /// File with that key.
    pub staff_key_file: Option<PathBuf>,
    /// Its Slack workspaces.
    pub slack: Option<TenantSlack>,
    /// Its Discord servers.
    pub discord: Option<TenantDiscord>,
    /// Who decides, by alias.
    pub approvers: BTreeMap<String, Approvers>,
    /// Web hooks by alias.
    pub webhooks: BTreeMap<String, Webhook>,
    /// What its conversations may use up together, in each period of `[budget]`.
    pub budget: Bounds,
    /// How long anything is kept at most, whatever a flow allows.
    pub retention: Retention,
    /// Conversations that may be worked on at one time; by default half of those of all.
    #[schemars(range(min = 1, max = 10_000))]
    pub active_sessions: Option<u32>,
    /// Models by purpose, in place of those under `[llm]`.
    pub llm: Option<super::llm::Llm>,
}

/// The Slack workspaces of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TenantSlack {
    /// Ids of the workspaces: `T0123456789`.
    pub workspaces: Vec<String>,
    /// Ids of users who see what staff see.
    pub staff_users: Vec<String>,
    /// Ids of user groups whose members do.
    pub staff_groups: Vec<String>,
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
}

/// The Discord servers of a tenant.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct TenantDiscord {
    /// Ids of the servers.
    pub servers: Vec<String>,
    /// Ids of users who see what staff see.
    pub staff_users: Vec<String>,
    /// Ids of roles whose members do.
    pub staff_roles: Vec<String>,
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
    /// Role ids by alias.
    pub roles: BTreeMap<String, String>,
}

/// How long anything of a tenant's is kept at most.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Retention {
    /// What was said.
    pub transcript: Option<Period>,
    /// Files that were sent.
    pub uploads: Option<Period>,
    /// What was collected.
    pub records: Option<Period>,
}

/// Where the page is served unless told otherwise.
pub const LISTEN: SocketAddr =
    SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 4747);

/// How long links to files are good for unless told otherwise.
pub(crate) const LINKS_EXPIRE_AFTER: TimeDelta = TimeDelta::days(7);
