//! The configuration as the program uses it.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::SocketAddr,
    path::PathBuf,
    sync::Arc,
    time::Duration,
};

use chrono::TimeDelta;

use super::{
    Approvers, ContactSource, Flows, Limits, Log, MacosVia, Problem, SlackRates, Uploads,
    brand::Brand,
    consulting::Consulting,
    environment::{self, Environment},
    llm::Endpoints,
    proxy::Proxies,
    raw,
    s3::Bucket,
    search::Searching,
    secret::Secret,
    tenants::Tenants,
    webhook::Webhook,
};
use crate::model::{
    session::{PersonId, Platform},
    usage::Budgets,
};

/// Everything the operator decides, checked.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Where everything is kept.
    pub data_dir: PathBuf,
    /// The database, where the data is not in the data directory.
    pub postgres: Option<Postgres>,
    /// The bucket that files are kept in, where they are not in the database.
    pub bucket: Option<Bucket>,
    /// The local page.
    pub web: Web,
    /// How the pages look.
    pub brand: Brand,
    /// Values for `{{name}}` in texts of flows.
    pub vars: BTreeMap<String, String>,
    /// Slack, where it is in use.
    pub slack: Option<Slack>,
    /// Discord, where it is in use.
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
    /// The services behind the models.
    pub llm: Endpoints,
    /// The service that searches the web, where there is one.
    pub search: Option<Searching>,
    /// What is logged, and how.
    pub log: Log,
    /// Rates and bounds.
    pub limits: Limits,
    /// Where the team's days begin and end.
    pub time_zone: Option<chrono_tz::Tz>,
    /// What models may use up.
    pub budgets: Budgets,
    /// Where machines ask how the bot is doing.
    pub metrics: Metrics,
    /// What is offered in a consulting flow, and what it costs.
    pub consulting: Consulting,
    /// Customers of the bot, each with their own workspaces, people and channels.
    pub tenants: Arc<Tenants>,
}

/// Data in PostgreSQL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Postgres {
    /// Where it is; `None` if nobody has looked up the secrets, or they are not set.
    pub access: Option<PostgresAccess>,
    /// What this node is called.
    pub node: Option<String>,
    /// The host under which other nodes reach this one; `None`: where it listens.
    pub node_host: Option<String>,
    /// How long the active node may stand still before another takes over.
    pub lease: Duration,
}

/// How the database is reached and read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostgresAccess {
    /// `postgres://user:password@host:5432/database`.
    pub url: Secret,
    /// Seals the data: 32 bytes in standard base64, which was checked.
    pub key: Secret,
}

/// Slack.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Slack {
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
    /// How the bot is connected; `None`: only the aliases are known.
    pub connection: Option<SlackConnection>,
}

/// How the bot is connected to Slack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlackConnection {
    /// How events come in.
    pub transport: SlackTransport,
    /// Whose tokens are used.
    pub tokens: SlackTokens,
    /// Where requests of Slack and browsers that install come in; used with HTTP and with OAuth.
    pub listen: SocketAddr,
    /// The slash command, with its slash.
    pub command: String,
    /// Users who see what staff see.
    pub staff_users: BTreeSet<String>,
    /// User groups whose members do.
    pub staff_groups: BTreeSet<String>,
    /// The Web API, without a slash at the end: `https://slack.com/api`. Plain `http` only on this machine.
    pub api_url: String,
    /// How often Slack may be called.
    pub rates: SlackRates,
    /// What connections to Slack go through.
    pub proxies: Proxies,
}

/// How events come in from Slack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlackTransport {
    /// Over sockets.
    Socket {
        /// Opens them.
        app_token: Secret,
        /// How many are open at one time.
        sockets: u8,
    },
    /// Over requests of Slack.
    Http {
        /// Signs them.
        signing_secret: Secret,
    },
}

/// Whose tokens are used with Slack.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SlackTokens {
    /// One workspace.
    One {
        /// Its token of the bot.
        bot_token: Secret,
        /// The file that the token stands in, where another one may be put in its place.
        bot_token_file: Option<PathBuf>,
    },
    /// Whoever installs the app.
    Many(SlackOauth),
}

/// How workspaces install the app themselves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlackOauth {
    /// The app's client id.
    pub client_id: String,
    /// The app's client secret.
    pub client_secret: Secret,
    /// Where Slack sends the browser back to.
    pub redirect_url: String,
    /// Seals tokens at rest: 32 bytes in standard base64, which was checked.
    pub tokens_key: Secret,
}

/// Discord.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discord {
    /// Channel ids by alias.
    pub channels: BTreeMap<String, String>,
    /// Role ids by alias.
    pub roles: BTreeMap<String, String>,
    /// How the bot is connected; `None`: only the aliases are known.
    pub connection: Option<DiscordConnection>,
}

/// How the bot is connected to Discord.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiscordConnection {
    /// The bot's token, without `Bot ` before it.
    pub token: Secret,
    /// The application's id, a snowflake.
    pub application_id: String,
    /// How interactions come in.
    pub transport: DiscordTransport,
    /// What people write in servers reaches the bot, and not only what replies to it or mentions it.
    pub message_content: bool,
    /// Who joins, leaves and passes the screening is known.
    pub members: bool,
    /// Users who see what staff see.
    pub staff_users: BTreeSet<String>,
    /// Roles whose members do.
    pub staff_roles: BTreeSet<String>,
    /// Requests in a second over all routes; `None`: as many as Discord lets any bot make.
    pub requests_per_second: Option<u32>,
    /// The API, without a slash at the end: `https://discord.com/api/v10`. Any other is on this machine.
    pub api_base: String,
    /// What sockets to Discord go through; calls find it by themselves.
    pub proxies: Proxies,
}

/// How interactions come in from Discord.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DiscordTransport {
    /// Over a socket.
    Gateway {
        /// Connections that the servers are divided among; `None`: as many as Discord advises.
        shards: Option<u32>,
    },
    /// Over requests of Discord.
    Http {
        /// Where they come in.
        listen: SocketAddr,
        /// What Discord signs with: 64 hexadecimal digits, which was checked.
        public_key: String,
    },
}

/// The local page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// Address and port.
    pub listen: SocketAddr,
    /// Serve other machines too.
    pub allow_remote: bool,
    /// Where others reach `/files/` of the page, without a final slash; `None`: web hooks name files without links.
    pub public_url: Option<String>,
    /// How long links to files are good for.
    pub links_expire_after: TimeDelta,
    /// The key that opens the staff page; `None`: everyone on this machine may.
    pub staff_key: Option<Secret>,
}

/// Where machines ask how the bot is doing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Metrics {
    /// An address of its own.
    pub listen: Option<SocketAddr>,
}

/// Where contact details come from.
#[derive(Debug, Clone, PartialEq)]
pub struct Contacts {
    /// The sources to ask, best first.
    pub sources: Vec<ContactSource>,
    /// The Contacts application.
    pub macos: Option<Macos>,
    /// A vCard file.
    pub vcard: Option<PathBuf>,
    /// A directory of people.
    pub directory: Option<PathBuf>,
}

/// The Contacts application.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Macos {
    /// The one person the card belongs to.
    pub owner: PersonId,
    /// How the application is asked.
    pub via: MacosVia,
    /// The app that this program was started from, where that is known.
    pub launcher: Option<String>,
}

impl SlackConnection {
    /// Where requests come in, where any do.
    pub fn address(&self) -> Option<SocketAddr> {
        let is_http = matches!(self.transport, SlackTransport::Http { .. });
        (is_http || matches!(self.tokens, SlackTokens::Many(_))).then_some(self.listen)
    }
}

impl DiscordConnection {
    /// Where requests come in, where any do.
    pub const fn address(&self) -> Option<SocketAddr> {
        match self.transport {
            DiscordTransport::Http { listen, .. } => Some(listen),
            DiscordTransport::Gateway { .. } => None,
        }
    }
}

impl Settings {
    /// What `anteroom play` runs on when nobody has configured anything: the local page, example names in the texts,
    /// and whoever opens the staff page decides.
    pub fn playground(data_dir: PathBuf) -> Self {
        let everyone = Approvers { web_staff: true, ..Approvers::default() };
        let example = [
            ("organisation", "Example Ltd"),
            ("privacy_url", "https://example.org/privacy"),
            ("contact", "people@example.org"),
        ];
        Self {
            data_dir,
            postgres: None,
            bucket: None,
            web: Web {
                listen: raw::LISTEN,
                allow_remote: false,
                public_url: None,
                links_expire_after: raw::LINKS_EXPIRE_AFTER,
                staff_key: None,
            },
            brand: Brand::default(),
            vars: example.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            slack: None,
            discord: None,
            approvers: ["recruiting_approvals", "staff_approvals"]
                .map(|alias| (alias.to_owned(), everyone.clone()))
                .into(),
            webhooks: BTreeMap::new(),
            contacts: Contacts {
                sources: raw::Contacts::default().sources,
                macos: None,
                vcard: None,
                directory: None,
            },
            flows: Flows::default(),
            uploads: Uploads::default(),
            llm: Endpoints::default(),
            search: None,
            log: Log::default(),
            limits: Limits::default(),
            time_zone: None,
            consulting: Consulting::default(),
            budgets: Budgets::default(),
            metrics: Metrics::default(),
            tenants: Arc::default(),
        }
    }

    /// Where the page is served and what is kept where, as the environment wants it instead (for the playground,
    /// which reads no file).
    pub fn overridden(mut self, environment: &Environment) -> Result<Self, Vec<Problem>> {
        let mut problems = Vec::new();
        if let Some(dir) = environment.get(environment::DATA_DIR) {
            self.data_dir = PathBuf::from(dir);
        }
        if let Some(listen) = environment.get(environment::LISTEN) {
            match listen.parse() {
                Ok(listen) => self.web.listen = listen,
                Err(_) => problems.push(
                    Problem::whole(
                        "environment",
                        format!(
                            "`{}` is `{listen}`, which is not an IP address with a port",
                            environment::LISTEN
                        ),
                    )
                    .hint(LISTEN_HINT),
                ),
            }
        }
        if let Some(level) = environment.get(environment::LOG) {
            level.clone_into(&mut self.log.level);
        }
        if let Some(format) = environment.get(environment::LOG_FORMAT) {
            match serde_json::from_value(format.into()) {
                Ok(format) => self.log.format = format,
                Err(_) => problems.push(
                    Problem::whole(
                        "environment",
                        format!(
                            "`{}` is `{format}`, which is not a log format",
                            environment::LOG_FORMAT
                        ),
                    )
                    .hint("one of `auto`, `pretty`, `plain`, `json`"),
                ),
            }
        }
        if problems.is_empty() { Ok(self) } else { Err(problems) }
    }
}

impl Approvers {
    /// Whether a person is among them.
    pub fn includes(&self, person: &PersonId, groups: &BTreeSet<String>, staff: bool) -> bool {
        let is_of_page = person.platform == Platform::Web && self.web_staff && staff;
        let mut listed = self.groups(person.platform).iter();
        self.users(person.platform).contains(&person.user)
            || is_of_page
            || listed.any(|group| groups.contains(group))
    }

    /// People who are among them one by one.
    pub fn users(&self, platform: Platform) -> &[String] {
        match platform {
            Platform::Slack => &self.slack_users,
            Platform::Discord => &self.discord_users,
            Platform::Web => &self.web_users,
        }
    }

    /// Groups whose members are among them; a page in a browser knows none.
    pub fn groups(&self, platform: Platform) -> &[String] {
        match platform {
            Platform::Slack => &self.slack_groups,
            Platform::Discord => &self.discord_roles,
            Platform::Web => &[],
        }
    }
}

/// What an address with a port looks like.
pub(super) const LISTEN_HINT: &str = "for example, `127.0.0.1:4747`";
