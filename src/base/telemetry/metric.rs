//! Metrics: every name, what it means, and the page that shows them.
//!
//! Labels are closed sets: platforms, tools, outcomes. No id, no name, no word of a person is ever one, so the page
//! may be read by whoever watches machines, and its size has a bound.

use std::{fs, sync::OnceLock, time::Instant};

use metrics::{Unit, counter, describe_counter, describe_gauge, describe_histogram, gauge};
use metrics_exporter_prometheus::{BuildError, Matcher, PrometheusBuilder, PrometheusHandle};

/// What a metric does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Only grows.
    Counter,
    /// Goes up and down.
    Gauge,
    /// Counts values by size.
    Histogram,
}

/// A metric as it is described.
#[derive(Debug, Clone, Copy)]
pub struct Metric {
    /// Its name.
    pub name: &'static str,
    /// What it does.
    pub kind: Kind,
    /// What it is told apart by.
    pub labels: &'static [&'static str],
    /// What it means, in one sentence.
    pub help: &'static str,
}

/// What people did, as gateways handed it in.
pub const INBOUND: &str = "anteroom_inbound_total";
/// What became of answers.
pub const SETTLEMENTS: &str = "anteroom_settlements_total";
/// What was not taken.
pub const REFUSALS: &str = "anteroom_refusals_total";
/// Connections that a listener could not accept.
pub const ACCEPT_ERRORS: &str = "anteroom_accept_errors_total";
/// Answers of the web server.
pub(crate) const RESPONSES: &str = "anteroom_http_responses_total";
/// Commits, whatever came of them.
pub const COMMITS: &str = "anteroom_commits_total";
/// Time of a commit.
pub(crate) const COMMIT_SECONDS: &str = "anteroom_commit_seconds";
/// Time of a sync.
pub(crate) const SYNC_SECONDS: &str = "anteroom_sync_seconds";
/// Tool calls.
pub const CALLS: &str = "anteroom_tool_calls_total";
/// Time of a tool call.
pub(crate) const CALL_SECONDS: &str = "anteroom_tool_call_seconds";
/// Attempts to deliver an effect.
pub const EFFECTS: &str = "anteroom_effects_total";
/// Effects that are tried again.
pub const RETRYING: &str = "anteroom_outbox_retrying";
/// Age of the effect that waits longest.
pub const OLDEST_SECONDS: &str = "anteroom_outbox_oldest_seconds";
/// Effects that wait until somebody outside mends something.
pub(crate) const BLOCKED: &str = "anteroom_outbox_blocked";
/// Records and files that are known to be damaged.
pub(crate) const DAMAGED: &str = "anteroom_damaged";
/// When the last scrub ended.
pub(crate) const SCRUBBED_SECONDS: &str = "anteroom_scrub_timestamp_seconds";
/// Timers that fired.
pub const TIMERS: &str = "anteroom_timers_fired_total";
/// Sessions with work in progress.
pub(crate) const ACTIVE_SESSIONS: &str = "anteroom_active_sessions";
/// What waits in queues.
pub(crate) const QUEUED: &str = "anteroom_queue_depth";
/// Pages that show changes as they happen.
pub(crate) const LIVE: &str = "anteroom_live_connections";
/// Requests to models.
pub(crate) const LLM_REQUESTS: &str = "anteroom_llm_requests_total";
/// Time of a request to a model.
pub(crate) const LLM_SECONDS: &str = "anteroom_llm_seconds";
/// Time until a model's first words.
pub(crate) const LLM_FIRST_WORDS_SECONDS: &str = "anteroom_llm_first_words_seconds";
/// Tokens to and from models.
pub(crate) const LLM_TOKENS: &str = "anteroom_llm_tokens_total";
/// What models cost in a finished interview.
pub const INTERVIEW_COST_DOLLARS: &str = "anteroom_interview_cost_dollars";
/// Budgets that became low or were used up.
pub const BUDGETS: &str = "anteroom_budgets_total";
/// Providers that are left alone.
pub(crate) const LLM_RESTING: &str = "anteroom_llm_resting";
/// Calls of Slack's Web API.
pub(crate) const SLACK_CALLS: &str = "anteroom_slack_calls_total";
/// Time of a call of Slack's Web API.
pub(crate) const SLACK_CALL_SECONDS: &str = "anteroom_slack_call_seconds";
/// What people said of the model's answers in Discord.
pub(crate) const DISCORD_FEEDBACK: &str = "anteroom_discord_feedback_total";
/// What people said of the model's answers in Slack.
pub(crate) const SLACK_FEEDBACK: &str = "anteroom_slack_feedback_total";
/// What Slack delivered.
pub(crate) const SLACK_FRAMES: &str = "anteroom_slack_frames_total";
/// Time until what Slack delivered was acknowledged.
pub(crate) const SLACK_ACK_SECONDS: &str = "anteroom_slack_ack_seconds";
/// Sockets to Slack that are open.
pub(crate) const SLACK_SOCKETS: &str = "anteroom_slack_sockets";
/// Sockets to Slack that were opened anew.
pub(crate) const SLACK_RECONNECTS: &str = "anteroom_slack_reconnects_total";
/// Calls of Discord's API.
pub(crate) const DISCORD_CALLS: &str = "anteroom_discord_calls_total";
/// Time of a call of Discord's API.
pub(crate) const DISCORD_CALL_SECONDS: &str = "anteroom_discord_call_seconds";
/// What Discord delivered.
pub(crate) const DISCORD_FRAMES: &str = "anteroom_discord_frames_total";
/// Time until what Discord delivered was durable.
pub(crate) const DISCORD_TAKE_SECONDS: &str = "anteroom_discord_take_seconds";
/// Connections to Discord's gateway that are open.
pub(crate) const DISCORD_SOCKETS: &str = "anteroom_discord_sockets";
/// Connections to Discord's gateway that were opened anew.
pub(crate) const DISCORD_RECONNECTS: &str = "anteroom_discord_reconnects_total";
/// Whether people can be served.
pub const READY: &str = "anteroom_ready";
/// This program.
pub(crate) const BUILD: &str = "anteroom_build_info";
/// How long the process has run.
pub(crate) const UPTIME_SECONDS: &str = "anteroom_uptime_seconds";
/// Memory of the process.
pub const MEMORY_BYTES: &str = "process_resident_memory_bytes";
/// Open files of the process.
pub const OPEN_FILES: &str = "process_open_fds";
/// How many files the process may open.
pub(crate) const MAX_FILES: &str = "process_max_fds";

/// Every metric, as `docs/metrics.md` lists them.
pub const ALL: &[Metric] = &[
    counter(
        INBOUND,
        &["platform", "what", "outcome"],
        "What people did: starts, answers, messages, files, orders",
    ),
    counter(SETTLEMENTS, &["outcome"], "What became of answers to questions"),
    counter(REFUSALS, &["why"], "What was not taken: wrong host or form, file, rate, too busy"),
    counter(
        ACCEPT_ERRORS,
        &["what", "why"],
        "Connections that a listener could not accept, such as with too many open files",
    ),
    counter(RESPONSES, &["class"], "Answers of the web server by class of status"),
    counter(COMMITS, &["outcome"], "Commits to the store"),
    histogram(COMMIT_SECONDS, &[], "Time until a commit is durable, queueing included"),
    histogram(SYNC_SECONDS, &[], "Time of one sync to the device, which many commits share"),
    counter(CALLS, &["tool", "outcome"], "Tool calls, first runs and resumptions"),
    histogram(CALL_SECONDS, &["tool"], "Time of a tool call, waiting for people not counted"),
    counter(EFFECTS, &["act", "delivery"], "Attempts to deliver what leaves the bot"),
    gauge_of(RETRYING, &[], "Effects that failed and are tried again"),
    gauge_of(OLDEST_SECONDS, &[], "Age of the effect that has waited longest for its delivery"),
    gauge_of(BLOCKED, &["cause"], "Deliveries that wait until somebody outside mends the cause"),
    gauge_of(DAMAGED, &[], "Records and files that are known to be damaged"),
    gauge_of(
        SCRUBBED_SECONDS,
        &[],
        "When the last scrub ended, in seconds since 1970; 0 before the first",
    ),
    counter(TIMERS, &["timer"], "Timers that fired"),
    gauge_of(ACTIVE_SESSIONS, &[], "Sessions with work in progress; those that wait cost nothing"),
    gauge_of(QUEUED, &["queue"], "What waits for sessions or for the store"),
    gauge_of(LIVE, &[], "Pages that show changes as they happen"),
    counter(LLM_REQUESTS, &["purpose", "outcome"], "Requests to models, each attempt counted"),
    histogram(LLM_SECONDS, &["purpose"], "Time of one attempt to ask a model"),
    histogram(LLM_FIRST_WORDS_SECONDS, &["purpose"], "Time until a model's first words"),
    counter(LLM_TOKENS, &["purpose", "direction"], "Tokens to and from models"),
    histogram(
        INTERVIEW_COST_DOLLARS,
        &[],
        "What models cost in an interview that was finished, where the provider or a price tells it",
    ),
    counter(BUDGETS, &["scope", "level"], "Budgets that became low (four fifths) or were used up"),
    gauge_of(LLM_RESTING, &["purpose"], "1 while a provider is left alone after failures"),
    counter(SLACK_CALLS, &["method", "outcome"], "Calls of Slack's Web API"),
    histogram(SLACK_CALL_SECONDS, &["method"], "Time until Slack answered, own rates not counted"),
    counter(DISCORD_FEEDBACK, &["outcome"], "What people said of the model's answers in Discord"),
    counter(SLACK_FEEDBACK, &["outcome"], "What people said of the model's answers in Slack"),
    counter(
        SLACK_FRAMES,
        &["what", "outcome"],
        "What Slack delivered, by transport's kind, and what became of it",
    ),
    histogram(SLACK_ACK_SECONDS, &[], "Time until what Slack delivered was acknowledged"),
    gauge_of(SLACK_SOCKETS, &[], "Sockets to Slack that are open"),
    counter(SLACK_RECONNECTS, &["why"], "Sockets to Slack that were opened anew"),
    counter(DISCORD_CALLS, &["method", "outcome"], "Calls of Discord's API"),
    histogram(
        DISCORD_CALL_SECONDS,
        &["method"],
        "Time until Discord answered, own rates not counted",
    ),
    counter(
        DISCORD_FRAMES,
        &["what", "outcome"],
        "What Discord delivered, by its name, and what became of it",
    ),
    histogram(DISCORD_TAKE_SECONDS, &[], "Time until what Discord delivered was durable"),
    gauge_of(DISCORD_SOCKETS, &[], "Connections to Discord's gateway that are open"),
    counter(DISCORD_RECONNECTS, &["why"], "Connections to Discord's gateway that were opened anew"),
    gauge_of(BUILD, &["version"], "Always 1; says which program this is"),
    gauge_of(READY, &[], "1 if people can be served, 0 if not; `/readyz` has the reason"),
    gauge_of(UPTIME_SECONDS, &[], "Time since the start"),
    gauge_of(MEMORY_BYTES, &[], "Resident memory of the process (Linux)"),
    gauge_of(OPEN_FILES, &[], "Open files of the process (Linux)"),
    gauge_of(MAX_FILES, &[], "How many files the process may have open"),
];

/// Upper bounds of the buckets of [`INTERVIEW_COST_DOLLARS`].
const DOLLARS: &[f64] =
    &[0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0];

/// Upper bounds of the buckets of every other histogram, in seconds: from a write in memory to the longest tool call.
const BUCKETS: &[f64] =
    &[0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0];

const fn counter(
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Counter, labels, help }
}

const fn gauge_of(
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Gauge, labels, help }
}

const fn histogram(
    name: &'static str,
    labels: &'static [&'static str],
    help: &'static str,
) -> Metric {
    Metric { name, kind: Kind::Histogram, labels, help }
}

/// The media type of the page.
pub const CONTENT_TYPE: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Where the page comes from, once somebody collects.
static COLLECTED: OnceLock<(PrometheusHandle, Instant)> = OnceLock::new();

/// Begins to collect; nothing is kept before. Once in a process.
pub fn collect() -> Result<(), BuildError> {
    let cost = Matcher::Full(INTERVIEW_COST_DOLLARS.to_owned());
    let handle = PrometheusBuilder::new()
        .set_buckets(BUCKETS)?
        .set_buckets_for_metric(cost, DOLLARS)?
        .install_recorder()?;
    for Metric { name, kind, help, .. } in ALL {
        match kind {
            Kind::Counter => describe_counter!(*name, *help),
            Kind::Gauge => describe_gauge!(*name, *help),
            Kind::Histogram if name.ends_with("_seconds") => {
                describe_histogram!(*name, Unit::Seconds, *help);
            }
            Kind::Histogram => describe_histogram!(*name, *help),
        }
    }
    gauge!(BUILD, "version" => env!("CARGO_PKG_VERSION")).set(1.0);
    // Alerts on the outbox must not wait for the first delivery, and what first appears as 1 has not risen for Prometheus.
    gauge!(RETRYING).set(0.0);
    gauge!(OLDEST_SECONDS).set(0.0);
    counter!(COMMITS, "outcome" => "failed").increment(0);
    for scope in ["workspace", "total"] {
        for level in ["low", "used_up"] {
            counter!(BUDGETS, "scope" => scope, "level" => level).increment(0);
        }
    }
    COLLECTED.get_or_init(|| (handle, Instant::now()));
    Ok(())
}

/// Sorts what was measured into its buckets; what is measured is kept one by one until then.
pub(crate) fn tidy_up() {
    if let Some((handle, _)) = COLLECTED.get() {
        handle.run_upkeep();
    }
}

/// The page in the text format of Prometheus; `None` if nobody collects.
pub fn page() -> Option<String> {
    let (handle, since) = COLLECTED.get()?;
    gauge!(UPTIME_SECONDS).set(since.elapsed().as_secs_f64());
    if let Some(bytes) = resident_bytes() {
        gauge!(MEMORY_BYTES).set(bytes);
    }
    if let Some(most) = rustix::process::getrlimit(rustix::process::Resource::Nofile).current {
        gauge!(MAX_FILES).set(as_f64(usize::try_from(most).unwrap_or(usize::MAX)));
    }
    if let Ok(files) = fs::read_dir("/proc/self/fd") {
        // One of them is the directory that is being read.
        gauge!(OPEN_FILES).set(as_f64(files.count().saturating_sub(1)));
    }
    Some(handle.render())
}

/// From `/proc/self/status`: `VmRSS:     12345 kB`.
fn resident_bytes() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u32 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(f64::from(kilobytes) * 1024.0)
}

/// A count as a gauge takes it.
pub fn as_f64(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn names_are_their_own_and_say_their_unit() {
        let names: BTreeSet<&str> = ALL.iter().map(|metric| metric.name).collect();
        assert_eq!(names.len(), ALL.len());
        for Metric { name, kind, help, .. } in ALL {
            assert!(name.starts_with("anteroom_") || name.starts_with("process_"), "{name}");
            assert_eq!(name.ends_with("_total"), *kind == Kind::Counter, "{name}");
            let has_unit = name.ends_with("_seconds") || name.ends_with("_dollars");
            assert!(*kind != Kind::Histogram || has_unit, "{name}");
            assert!(!help.ends_with('.'), "{help}");
        }
    }

    #[test]
    fn labels_never_name_somebody() {
        let known =
            ["platform", "cause", "what", "outcome", "why", "class", "tool", "act", "delivery"];
        let known = [
            &known[..],
            &["timer", "queue", "version", "purpose", "direction", "scope", "level", "method"],
        ]
        .concat();
        for label in ALL.iter().flat_map(|metric| metric.labels) {
            assert!(known.contains(label), "{label}: is its set of values closed?");
        }
    }
}
