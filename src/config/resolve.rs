//! From the configuration as written to the settings: what a schema cannot say is checked here.

mod approvers;
mod brand;
mod contacts;
mod discord;
mod postgres;
mod s3;
mod search;
mod slack;
mod tenants;

use std::{collections::BTreeMap, num::NonZeroU64, path::PathBuf, sync::Arc};

use chrono::TimeDelta;
use chrono_tz::Tz;

use super::{
    Config, Problem, Settings,
    consulting::Booking,
    environment::{self, Environment},
    llm::{self, Endpoint, Endpoints, Llm, Purpose, Service},
    preset,
    proxy::Proxies,
    raw,
    secret::{self, Secret},
    settings::{self, LISTEN_HINT},
    toml_document::{self, TomlDocument, escaped},
    webhook::{Webhook, is_hook_address},
};
use crate::model::{
    flow::Period,
    usage::{Budget, Budgets},
};

/// Shortest key that opens the staff page, in characters.
const STAFF_KEY_MIN: usize = 16;

/// How short and how long links to files may be good for.
const LINKS_MIN: TimeDelta = TimeDelta::minutes(1);
const LINKS_MAX: TimeDelta = TimeDelta::days(90);

/// Whether secrets are looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Secrets {
    /// Each one that is named must be there.
    Read,
    /// None is looked at, and all count as not set.
    Ignore,
}

pub(super) struct Resolve<'a> {
    document: &'a TomlDocument,
    environment: &'a Environment,
    secrets: Secrets,
    problems: Vec<Problem>,
}

impl<'a> Resolve<'a> {
    /// Continues with the `problems` that reading the document has found.
    pub(super) fn new(
        document: &'a TomlDocument,
        environment: &'a Environment,
        secrets: Secrets,
        problems: Vec<Problem>,
    ) -> Self {
        Self { document, environment, secrets, problems }
    }

    pub(super) fn settings(mut self, config: Config) -> Result<Settings, Vec<Problem>> {
        let web = self.web(&config.web);
        let has_staff_key =
            config.web.staff_key_env.is_some() || config.web.staff_key_file.is_some();
        let metrics = self.metrics(&config.metrics);
        let webhooks = self.webhooks("", &config.webhooks);
        let postgres = config.postgres.map(|postgres| self.postgres(&postgres));
        let bucket = config.s3.map(|s3| self.s3(&s3, postgres.is_some()));
        let slack = config.slack.map(|slack| self.slack(slack));
        let discord = config.discord.map(|discord| self.discord(discord));
        let contacts = self.contacts(config.contacts);
        let llm = self.llm("/llm", config.llm);
        let search = config.search.and_then(|search| self.search(&search));
        let budgets = self.budgets(&config.budget);
        let time_zone = self.time_zone(&config.team);
        self.booking(&config.consulting.booking);
        let brand = self.brand(&config.brand);
        self.approvers("", &config.approvers);
        let tenants = self.tenants(config.tenant, &web);
        let settings = Settings {
            data_dir: self.data_dir(config.data.dir),
            postgres,
            bucket,
            web,
            brand,
            vars: config.vars,
            slack,
            discord,
            approvers: config.approvers,
            webhooks,
            contacts,
            flows: config.flows,
            uploads: config.uploads,
            llm,
            search,
            log: config.log,
            time_zone,
            limits: config.limits,
            budgets,
            metrics,
            consulting: config.consulting,
            tenants: Arc::new(tenants),
        };
        let settings = match settings.overridden(self.environment) {
            Ok(settings) => Some(settings),
            Err(found) => {
                self.problems.extend(found);
                None
            }
        };
        if let Some(settings) = &settings {
            self.loopback(&settings.web, has_staff_key);
        }
        toml_document::sort(&mut self.problems);
        match settings {
            Some(settings) if self.problems.is_empty() => Ok(settings),
            Some(_) | None => Err(self.problems),
        }
    }

    fn tell(&mut self, pointer: &str, message: impl Into<String>, hint: Option<String>) {
        let problem = self.document.problem(pointer, message);
        self.problems.push(Problem { hint, ..problem });
    }

    /// Where things are kept; the environment may still say otherwise.
    fn data_dir(&mut self, written: Option<PathBuf>) -> PathBuf {
        let found = written.or_else(default_data_dir);
        if found.is_none() && self.environment.get(environment::DATA_DIR).is_none() {
            let hint = Some("set `dir` under `[data]`".to_owned());
            self.tell("/data", "no home directory found to store data in", hint);
        }
        found.unwrap_or_default()
    }

    fn web(&mut self, web: &raw::Web) -> settings::Web {
        let mut listen = raw::LISTEN;
        if let Some(text) = &web.listen {
            if let Ok(address) = text.parse() {
                listen = address;
            } else {
                let message = format!("`{text}` is not an IP address with a port");
                self.tell("/web/listen", message, Some(LISTEN_HINT.to_owned()));
            }
        }
        let written = (web.staff_key_env.as_deref(), web.staff_key_file.as_ref());
        let staff_key = self.staff_key("/web", written);
        settings::Web {
            listen,
            allow_remote: web.allow_remote,
            public_url: self.public_url(web.public_url.as_deref()),
            links_expire_after: self.links_expire_after(web.links_expire_after),
            staff_key,
        }
    }

    fn staff_key(
        &mut self,
        pointer: &str,
        written: (Option<&str>, Option<&PathBuf>),
    ) -> Option<Secret> {
        let key = self.secret(pointer, ("staff_key_env", "staff_key_file"), written);
        if key.as_ref().is_some_and(|key| key.expose().chars().count() < STAFF_KEY_MIN) {
            let hint = format!(
                "use at least {STAFF_KEY_MIN} characters, for example from `openssl rand -hex 16`"
            );
            self.tell(pointer, "the staff page's key is too short", Some(hint));
        }
        key
    }

    fn public_url(&mut self, written: Option<&str>) -> Option<String> {
        let written = written?;
        let is_base = reqwest::Url::parse(written)
            .is_ok_and(|url| url.query().is_none() && url.fragment().is_none());
        if is_base && is_hook_address(written) {
            return Some(written.trim_end_matches('/').to_owned());
        }
        // What stands before an `@` may be a password.
        let shown = written.rsplit('@').next().unwrap_or_default();
        let hint = "use an address like `https://bot.example.org`, or `http://127.0.0.1:4747` on this machine, with no \
                    password, query or fragment";
        let message = format!("`{shown}` can't be used as the public address");
        self.tell("/web/public_url", message, Some(hint.to_owned()));
        None
    }

    fn links_expire_after(&mut self, written: Option<Period>) -> TimeDelta {
        let Some(period) = written else { return raw::LINKS_EXPIRE_AFTER };
        let wanted = period.delta();
        if !(LINKS_MIN..=LINKS_MAX).contains(&wanted) {
            let message = "links can be good for 1 minute to 90 days";
            let hint = Some("for example, `7d`".to_owned());
            self.tell("/web/links_expire_after", message, hint);
        }
        wanted
    }

    fn time_zone(&mut self, team: &raw::Team) -> Option<Tz> {
        let name = team.time_zone.as_deref()?;
        let zone = name.parse().ok();
        if zone.is_none() {
            let hint = Some("write a name such as `Europe/Berlin`".to_owned());
            self.tell("/team/time_zone", format!("`{name}` is not a time zone"), hint);
        }
        zone
    }

    fn metrics(&mut self, metrics: &raw::Metrics) -> settings::Metrics {
        let listen = metrics.listen.as_ref().and_then(|text| {
            let address = text.parse().ok();
            if address.is_none() {
                let message = format!("`{text}` is not an IP address with a port");
                self.tell("/metrics/listen", message, Some(LISTEN_HINT.to_owned()));
            }
            address
        });
        settings::Metrics { listen }
    }

    /// The page is for this machine; serving others takes two decisions.
    fn loopback(&mut self, web: &settings::Web, has_staff_key: bool) {
        if web.listen.ip().is_loopback() {
            return;
        }
        if !web.allow_remote {
            let hint = "use `127.0.0.1`, or set `allow_remote = true`".to_owned();
            let message = format!("`{}` can be reached from other machines", web.listen);
            self.tell("/web/listen", message, Some(hint));
        } else if !has_staff_key {
            let hint = "set `staff_key_env` or `staff_key_file`".to_owned();
            self.tell(
                "/web/allow_remote",
                "the staff page would be open to other machines without a key",
                Some(hint),
            );
        }
    }

    fn webhooks(
        &mut self,
        table: &str,
        written: &BTreeMap<String, raw::Webhook>,
    ) -> BTreeMap<String, Webhook> {
        let mut webhooks = BTreeMap::new();
        for (alias, webhook) in written {
            let pointer = format!("{table}/webhooks/{}", escaped(alias));
            if !is_hook_address(&webhook.url) {
                // What stands before an `@` may be a password.
                let shown = webhook.url.rsplit('@').next().unwrap_or_default();
                let message = format!("`{shown}` can't be used as a web hook");
                let hint = "use an address that begins with `https://` or `http://127.0.0.1` and contains no password";
                let hint = hint.to_owned();
                self.tell(&format!("{pointer}/url"), message, Some(hint));
            }
            let secret = self.secret(
                &pointer,
                ("secret_env", "secret_file"),
                (webhook.secret_env.as_deref(), webhook.secret_file.as_ref()),
            );
            webhooks.insert(alias.clone(), Webhook { url: webhook.url.clone(), secret });
        }
        webhooks
    }

    /// People are sent to these addresses.
    fn booking(&mut self, booking: &Booking) {
        for (kind, url) in booking.links() {
            let is_address = reqwest::Url::parse(url).is_ok_and(|url| {
                url.scheme() == "https" && url.username().is_empty() && url.password().is_none()
            });
            if !is_address {
                let message = "this can't be used as a booking link";
                let hint = Some(
                    "use an address that begins with `https://` and contains no password"
                        .to_owned(),
                );
                self.tell(&format!("/consulting/booking/{kind}"), message, hint);
            }
        }
    }

    fn llm(&mut self, table: &str, written: Llm) -> Endpoints {
        let mut endpoints = BTreeMap::new();
        let mut pointers = BTreeMap::new();
        let (allowed, prices) = (written.allow_http.clone(), written.price.clone());
        if let Some(rule) = allowed.iter().find(|rule| !llm::is_rule(rule)) {
            let hint = "for example, `ollama` or `192.168.0.0/16`".to_owned();
            self.tell(
                &format!("{table}/allow_http"),
                format!("`{rule}` is neither a host nor a network"),
                Some(hint),
            );
        }
        for (name, pointer, service) in written.services(table) {
            let mut endpoint = self.endpoint(&pointer, service, &allowed);
            endpoint.price = prices.get(&endpoint.service.model).copied();
            endpoints.insert(name.clone(), endpoint);
            pointers.insert(name, pointer);
        }
        let known: Vec<String> = endpoints.keys().cloned().collect();
        for (name, pointer) in &pointers {
            let at = format!("{pointer}/fallback");
            let Some(endpoint) = endpoints.get_mut(name) else { continue };
            let Some(wanted) = endpoint.service.fallback.as_mut() else { continue };
            let spare = llm::spare_name(wanted);
            if known.contains(&spare) {
                *wanted = spare;
            } else if !Purpose::ALL.iter().any(|purpose| purpose.word() == wanted)
                || !known.contains(wanted)
            {
                let hint =
                    format!("add a table `[{}.spare.{wanted}]`", table[1..].replace('/', "."));
                self.tell(&at, format!("there is no service `{wanted}`"), Some(hint));
            } else if (wanted == Purpose::Embed.word()) != (name == Purpose::Embed.word()) {
                let message = format!("`{wanted}` can't replace `{name}`");
                self.tell(&at, message, Some("use a service of the same kind".to_owned()));
            }
        }
        let next = |name: &String| endpoints.get(name)?.service.fallback.as_ref();
        for (name, pointer) in &pointers {
            let chain = std::iter::successors(next(name), |at| next(at)).take(endpoints.len());
            if chain.into_iter().any(|at| at == name) {
                let message = format!("circular fallback: `{name}` leads back to itself");
                self.tell(&format!("{pointer}/fallback"), message, None);
            }
        }
        Endpoints(endpoints)
    }

    fn endpoint(&mut self, pointer: &str, mut service: Service, allowed: &[String]) -> Endpoint {
        let at = format!("{pointer}/base_url");
        if service.base_url.is_empty() {
            let address = preset::of(&service).endpoint.unwrap_or_default();
            address.clone_into(&mut service.base_url);
        }
        let plain = llm::is_allowed(&service.base_url, allowed);
        if service.base_url.is_empty() {
            let hint = "set it to the service's address, or name a `provider`".to_owned();
            self.tell(pointer, "`base_url` is missing", Some(hint));
        } else if llm::holds_secret(&service.base_url) {
            let hint = "use `key_env` or `key_file` instead".to_owned();
            self.tell(&at, "the address contains a key", Some(hint));
        } else if llm::is_bare(&service.base_url) && !plain {
            let message = format!(
                "`{}` would send the key and what people write unencrypted",
                service.base_url
            );
            let hint = "use `https://`; plain `http` is only allowed on this machine, as `http://127.0.0.1`, and to hosts in `[llm] allow_http`";
            self.tell(&at, message, Some(hint.to_owned()));
        } else if !plain && !llm::is_service_address(&service.base_url) {
            let message = format!("`{}` can't be used as a model's address", service.base_url);
            let hint =
                "use an address that begins with `https://` or `http://127.0.0.1`".to_owned();
            self.tell(&at, message, Some(hint));
        }
        if let Some(base) = llm::before_call(&service.base_url) {
            let message = "the address goes further than that of the service";
            let hint = format!("leave out the end, which is added: `{base}`");
            self.tell(&at, message, Some(hint));
        }
        let header = service.dialect.key_header.as_deref();
        if header
            .is_some_and(|name| reqwest::header::HeaderName::from_bytes(name.as_bytes()).is_err())
        {
            let at = format!("{pointer}/dialect/key_header");
            self.tell(
                &at,
                "this is not a valid header name",
                Some("for example, `api-key`".to_owned()),
            );
        }
        let key = self.secret(
            pointer,
            ("key_env", "key_file"),
            (service.key_env.as_deref(), service.key_file.as_ref()),
        );
        let sendable = |key: &Secret| key.expose().bytes().all(|byte| byte.is_ascii_graphic());
        if key.as_ref().is_some_and(|key| !sendable(key)) {
            self.tell(pointer, "the key contains invalid characters", None);
        }
        Endpoint { service, key, price: None, plain }
    }

    fn budgets(&mut self, written: &raw::Budget) -> Budgets {
        let budgets = Budgets {
            turn: budget(&written.turn),
            session: budget(&written.session),
            workspace: budget(&written.workspace),
            total: budget(&written.total),
            per: written.per,
        };
        for (name, bounds) in [
            ("turn", &written.turn),
            ("session", &written.session),
            ("workspace", &written.workspace),
            ("total", &written.total),
        ] {
            if bounds.time.is_some_and(|time| time.0.as_millis() == 0) {
                let hint = "leave it out for unlimited time".to_owned();
                self.tell(&format!("/budget/{name}/time"), "the time limit is zero", Some(hint));
            }
        }
        let wider = [
            ("turn", budgets.turn, "session", budgets.session),
            ("session", budgets.session, "workspace", budgets.workspace),
            ("workspace", budgets.workspace, "total", budgets.total),
        ];
        for (inner, one, outer, all) in wider {
            for (key, one, all) in [
                ("tokens", one.tokens, all.tokens),
                ("calls", one.calls, all.calls),
                ("time", one.millis, all.millis),
                ("cost", one.cost_micros, all.cost_micros),
            ] {
                if one.zip(all).is_some_and(|(one, all)| one > all) {
                    let message =
                        format!("a {inner} could use more than the {outer} it is part of");
                    let hint = format!("lower it, or raise `{key}` under `[budget.{outer}]`");
                    self.tell(&format!("/budget/{inner}/{key}"), message, Some(hint));
                }
            }
        }
        budgets
    }

    /// Refuses `id` unless it is a Slack id that begins with one of `kinds`, the usual one first: a name in its place
    /// never works.
    fn slack_id(&mut self, pointer: &str, id: &str, kinds: &[char]) {
        if !slack::is_id(id, kinds) {
            let usual = kinds.first().copied().unwrap_or_default();
            self.refuse_name(pointer, id, &format!("`{usual}0123456789`"));
        }
    }

    /// Refuses `id` unless it is a Discord id; those all look alike.
    fn discord_id(&mut self, pointer: &str, id: &str) {
        if !discord::is_snowflake(id) {
            self.refuse_name(pointer, id, "17 to 20 digits");
        }
    }

    fn refuse_name(&mut self, pointer: &str, name: &str, id: &str) {
        let hint = format!("copy the id, not the name: {id}");
        self.tell(pointer, format!("`{name}` is not an id"), Some(hint));
    }

    /// What connections of a platform's go through.
    fn proxies(&mut self, pointer: &str) -> Proxies {
        Proxies::of(self.environment).unwrap_or_else(|name| {
            let hint = "use an address like `http://proxy.example:3128`, optionally with `name:password@` before the host";
            self.tell(pointer, format!("`{name}` is not a usable proxy address"), Some(hint.to_owned()));
            Proxies::default()
        })
    }

    fn secret(
        &mut self,
        pointer: &str,
        keys: (&'static str, &'static str),
        written: (Option<&str>, Option<&PathBuf>),
    ) -> Option<Secret> {
        if self.secrets == Secrets::Ignore {
            return None;
        }
        let file = written.1.map(PathBuf::as_path);
        match secret::read(keys, written.0, file, self.environment) {
            Ok(secret) => secret,
            Err(unread) => {
                self.tell(&format!("{pointer}/{}", unread.key), unread.message, unread.hint);
                None
            }
        }
    }
}

fn budget(written: &raw::Bounds) -> Budget {
    let millis = |time: Period| u64::try_from(time.0.as_millis()).unwrap_or(u64::MAX);
    Budget {
        tokens: written.tokens.and_then(NonZeroU64::new),
        calls: written.calls.and_then(NonZeroU64::new),
        millis: written.time.map(millis).and_then(NonZeroU64::new),
        cost_micros: written.cost.map(micros).and_then(NonZeroU64::new),
    }
}

/// The schema bounds it to what fits.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked before")]
fn micros(cost: f64) -> u64 {
    (cost * 1e6).round() as u64
}

/// Where the system keeps application data.
pub fn default_data_dir() -> Option<PathBuf> {
    directories::ProjectDirs::from("", "", "anteroom").map(|dirs| dirs.data_dir().to_owned())
}
