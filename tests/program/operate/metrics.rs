//! What the page of metrics says after a story: all that is described, nothing else, and nobody in it.

use std::{
    collections::{BTreeMap, BTreeSet},
    net::{TcpListener, TcpStream},
};

use anteroom::base::telemetry::metric::{self, Kind};

use super::program::{Person, Place, Program, SECRETS, asked, delivered, nobody, receiver, until};

/// One line of the page: name, labels, value.
type Sample = (String, BTreeMap<String, String>, f64);

/// A page in the text format, as a scraper reads it.
#[derive(Debug, Default)]
struct Page {
    help: BTreeMap<String, String>,
    kinds: BTreeMap<String, String>,
    samples: Vec<Sample>,
}

impl Page {
    fn scraped(program: &Program) -> Self {
        let answer = program.asked("/metrics");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.1 200 "), "{head}");
        assert!(head.contains("content-type: text/plain; version=0.0.4"), "{head}");
        let mut page = Self::default();
        for line in body.lines().filter(|line| !line.is_empty()) {
            if let Some(rest) = line.strip_prefix("# HELP ") {
                let (name, help) = rest.split_once(' ').unwrap();
                page.help.insert(name.to_owned(), help.to_owned());
            } else if let Some(rest) = line.strip_prefix("# TYPE ") {
                let (name, kind) = rest.split_once(' ').unwrap();
                page.kinds.insert(name.to_owned(), kind.to_owned());
            } else {
                page.samples.push(sample(line));
            }
        }
        page
    }

    /// The sum over all lines of a name that have these labels.
    fn sum(&self, name: &str, labels: &[(&str, &str)]) -> f64 {
        let has = |(own, with, _): &&Sample| {
            own == name && labels.iter().all(|(k, v)| with.get(*k).is_some_and(|own| own == v))
        };
        self.samples.iter().filter(has).map(|(_, _, value)| value).sum()
    }
}

fn sample(line: &str) -> Sample {
    let (series, value) = line.rsplit_once(' ').unwrap();
    let value = value.parse().unwrap_or_else(|_| panic!("no number: {line}"));
    let Some((name, labels)) = series.split_once('{') else {
        return (series.to_owned(), BTreeMap::new(), value);
    };
    let labels = labels.strip_suffix('}').unwrap().split(',').map(|label| {
        let (name, value) = label.split_once('=').unwrap();
        (name.to_owned(), value.trim_matches('"').to_owned())
    });
    (name.to_owned(), labels.collect(), value)
}

/// The metric that a line belongs to: a histogram has three names.
fn family<'a>(page: &Page, name: &'a str) -> &'a str {
    ["_bucket", "_sum", "_count"]
        .iter()
        .filter_map(|end| name.strip_suffix(end))
        .find(|base| page.kinds.get(*base).is_some_and(|kind| kind == "histogram"))
        .unwrap_or(name)
}

#[test]
#[expect(clippy::too_many_lines, reason = "one story, and then all that it counted")]
fn the_page_shows_all_that_is_described_and_nothing_else() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let deliveries = receiver(listener, Some("503 Service Unavailable"));
    let place = Place::new(address, "info");
    let program = place.start();
    let person = Person::up_to_the_file(&program, "Marker Ada");
    person.sends(&program, "marker-file.txt", b"marker words".to_vec());
    delivered(&deliveries);
    person.card(&program, "A word, please");
    // A name that is not ours, as a page elsewhere would make a browser send it.
    program.asked_as("elsewhere.example", "/");
    // The reminder, a second after the last question, and the web hook that nobody takes.
    let page = until("a reminder and a retry", || {
        let page = Page::scraped(&program);
        let retried = page.sum(metric::RETRYING, &[]) > 0.0;
        let reminded = page.sum(metric::TIMERS, &[("timer", "remind")]) > 0.0;
        (retried && reminded).then_some(page)
    });

    let described: BTreeMap<&str, &metric::Metric> =
        metric::ALL.iter().map(|metric| (metric.name, metric)).collect();
    let shown: BTreeSet<&str> = page.samples.iter().map(|(name, ..)| family(&page, name)).collect();
    let known: BTreeSet<&str> = described.keys().copied().collect();
    assert_eq!(shown.difference(&known).collect::<Vec<_>>(), Vec::<&&str>::new());
    // Models, Slack and Discord count for themselves, nothing is blocked on the page, and there are files enough; this story has
    // none of them.
    let missing = |name: &&&str| {
        let elsewhere = [
            "anteroom_llm_",
            "anteroom_slack_",
            "anteroom_discord_",
            "anteroom_interview_cost_dollars",
            "anteroom_outbox_blocked",
            "anteroom_accept_errors_total",
        ];
        !elsewhere.iter().any(|elsewhere| name.starts_with(elsewhere))
    };
    assert_eq!(known.difference(&shown).filter(missing).collect::<Vec<_>>(), Vec::<&&str>::new());
    for (name, metric) in described.iter().filter(|(name, _)| shown.contains(**name)) {
        assert_eq!(page.help[*name], metric.help);
        let kind = match metric.kind {
            Kind::Counter => "counter",
            Kind::Gauge => "gauge",
            Kind::Histogram => "histogram",
        };
        assert_eq!(page.kinds[*name], kind, "{name}");
    }
    for (name, labels, _) in &page.samples {
        let metric = described[family(&page, name)];
        let own = labels.keys().map(String::as_str).filter(|label| *label != "le");
        assert_eq!(own.collect::<BTreeSet<_>>(), metric.labels.iter().copied().collect(), "{name}");
        for value in labels.values() {
            let private = ["Marker", "marker", "ses_", "wait_", "eff_", "web:", SECRETS[0].1];
            assert!(!private.iter().any(|private| value.contains(private)), "{name}: {value}");
        }
    }

    let counted = |name: &str, labels: &[(&str, &str)]| page.sum(name, labels).to_string();
    assert_eq!(counted(metric::INBOUND, &[("what", "start"), ("outcome", "taken")]), "1");
    assert_eq!(counted(metric::INBOUND, &[("what", "answer"), ("outcome", "settled")]), "2");
    assert_eq!(counted(metric::INBOUND, &[("platform", "web"), ("what", "sent")]), "1");
    assert_eq!(counted(metric::SETTLEMENTS, &[("outcome", "applied")]), "3");
    assert_eq!(counted(metric::REFUSALS, &[("why", "host")]), "1");
    assert_eq!(counted(metric::CALLS, &[("tool", "extract_document"), ("outcome", "ok")]), "1");
    assert!(page.sum(metric::EFFECTS, &[("act", "webhook"), ("delivery", "retry")]) >= 1.0);
    assert!(page.sum(metric::OLDEST_SECONDS, &[]) > 0.0);
    assert_eq!(counted(metric::READY, &[]), "1");
    assert!(page.sum(metric::COMMITS, &[]) > 5.0);
    // A page may be drawn after a commit was timed and before it is counted.
    until("as many commits as were timed", || {
        let page = Page::scraped(&program);
        let [counted, timed] =
            [metric::COMMITS, "anteroom_commit_seconds_count"].map(|name| page.sum(name, &[]));
        (counted.to_bits() == timed.to_bits()).then_some(())
    });
    assert!(page.sum("anteroom_sync_seconds_count", &[]) > 0.0);
    assert!(page.sum(metric::MEMORY_BYTES, &[]) > 1e6 && page.sum(metric::OPEN_FILES, &[]) > 5.0);
}

#[test]
fn metrics_have_an_address_of_their_own_where_the_page_is_for_others() {
    let place = Place::new(nobody(), "info");
    let own = nobody();
    place.configure(&format!("[metrics]\nlisten = \"{own}\"\n"), "allow_remote = true");
    let program = place.start();
    assert!(program.asked("/metrics").starts_with("HTTP/1.1 404 "));
    let monitor = |path| asked(TcpStream::connect(own).unwrap(), "10.0.0.7", path);
    for path in ["/metrics", "/readyz", "/healthz"] {
        let answer = monitor(path);
        assert!(answer.starts_with("HTTP/1.1 200 "), "{path}: {answer}");
    }
    assert!(monitor("/staff").starts_with("HTTP/1.1 404 "));
}

#[test]
#[cfg(target_os = "linux")]
fn running_out_of_file_descriptors_is_logged_and_counted() {
    let place = Place::new(nobody(), "info");
    let program = place.start();
    let before = Page::scraped(&program);
    assert!(before.sum("process_max_fds", &[]) > before.sum("process_open_fds", &[]));
    let usual =
        program.limited_to_files(before.samples.iter().fold(0, |open, (name, _, value)| {
            if name == "process_open_fds" { files(*value) + 8 } else { open }
        }));
    // More than fit: the last ones wait until somebody can accept them.
    let crowd: Vec<TcpStream> = (0..24).map(|_| program.connect()).collect();
    until("the log of it", || place.log().contains("too many open files").then_some(()));
    program.limited_to_files(usual);
    drop(crowd);
    let page = until("a page", || {
        let page = Page::scraped(&program);
        let errors = [("what", "http"), ("why", "open_files")];
        (page.sum(metric::ACCEPT_ERRORS, &errors) > 0.0).then_some(page)
    });
    assert!(page.kinds.contains_key(metric::ACCEPT_ERRORS));
    assert!(place.log().contains("LimitNOFILE"), "{}", place.log());
    program.stopped();
}

/// A count out of a page.
#[cfg(target_os = "linux")]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a small count")]
fn files(value: f64) -> u64 {
    value as u64
}
