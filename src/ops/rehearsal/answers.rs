//! The answers that a question can be given: what a willing person would answer first, then every other one.

use chrono::NaiveDate;
use serde_json::{Map, Value};

use super::probes::{Probe, Probes};
use crate::{
    chat::form::review_editor::set,
    flow::check::quiz::worth,
    model::{
        flow::Step,
        ui::{Choose, Control, Decision, Field, Input, List, Reply, Review, Upload, Verdict},
        wait::{Answerers, Wait},
    },
    ops::sample::{PDF, PNG, WORDS, nth_sample, sample},
    session::answer::check_data,
    tool::catalog::interview::submit_for_validation::card,
};

/// What is tried in fields.
#[derive(Debug, Clone, Copy)]
pub(super) struct Probing<'a> {
    pub(super) probes: &'a Probes,
    pub(super) today: NaiveDate,
    /// The options that earn points, where there are several.
    pub(super) right: &'a [String],
}

/// One answer.
#[derive(Debug, Clone)]
pub(super) struct Given {
    /// What it is called in the way that led somewhere.
    pub(super) label: String,
    pub(super) answer: Answer,
}

/// What is done.
#[derive(Debug, Clone)]
pub(super) enum Answer {
    Reply(Reply),
    File {
        name: &'static str,
        bytes: &'static [u8],
    },
    /// Nothing is done until it is too late.
    Late,
}

/// Every answer worth trying; the first goes on.
pub(super) fn of(wait: &Wait, probing: &Probing<'_>) -> Vec<Given> {
    let mut all = in_time(wait, probing);
    if wait.answerers == Answerers::Participant && wait.expires_at.is_some() {
        all.push(Given { label: "no answer in time".to_owned(), answer: Answer::Late });
    }
    all
}

fn in_time(wait: &Wait, probing: &Probing<'_>) -> Vec<Given> {
    match &wait.prompt.control {
        Control::Choose(choose) => choices(choose, probing.right),
        Control::Form(form) => {
            let values = form.fields.iter().filter_map(|f| Some((f.path.clone(), sample(f)?)));
            let filled = given("filled in", Reply::Filled { values: values.collect() });
            optional(vec![filled], form.skippable)
        }
        Control::Review(review) => reviews(review, probing),
        Control::Upload(upload) => optional(files(upload), !upload.required),
        Control::Ask(ask) => {
            let most = usize::try_from(ask.max).unwrap_or(usize::MAX);
            let text = WORDS.chars().take(most).collect();
            let mut all = vec![given("some words", Reply::Text { text })];
            let others = probing.probes.texts().iter().filter(|text| text.len() <= most);
            all.extend(
                others.map(|text| given(&format!("“{text}”"), Reply::Text { text: text.clone() })),
            );
            optional(all, !ask.required)
        }
        Control::Decide(decide) => decisions(wait, decide.deny_and_tell.is_some()),
        Control::Confirm(_) => vec![
            given("yes", Reply::Confirmed { yes: true }),
            given("no", Reply::Confirmed { yes: false }),
        ],
    }
}

fn given(label: &str, reply: Reply) -> Given {
    Given { label: label.to_owned(), answer: Answer::Reply(reply) }
}

fn optional(mut all: Vec<Given>, may_be_skipped: bool) -> Vec<Given> {
    if may_be_skipped {
        all.push(given("skipped", Reply::Skipped));
    }
    all
}

fn decisions(wait: &Wait, can_tell: bool) -> Vec<Given> {
    let decided = |label: &str, decision, words: Option<&str>| {
        given(label, Reply::Decided { decision, feedback: words.map(str::to_owned) })
    };
    let mut all = vec![
        decided("approved", Decision::Approved, None),
        decided("denied", Decision::Denied, None),
    ];
    if can_tell {
        all.push(decided("denied with words", Decision::DeniedWithFeedback, Some(WORDS)));
    }
    if wait.expires_at.is_some() {
        all.push(Given { label: "no decision in time".to_owned(), answer: Answer::Late });
    }
    all
}

/// Whether an answer picks these options, and no other.
pub(super) fn is_pick(given: &Given, wanted: &[String]) -> bool {
    let Answer::Reply(Reply::Chosen { ids, .. }) = &given.answer else { return false };
    ids.len() == wanted.len() && wanted.iter().all(|id| ids.contains(id))
}

/// The options with which somebody earns the most points; empty if a question gives no points.
pub(super) fn right(step: &Step) -> Vec<String> {
    let options = step.args.get("options").and_then(Value::as_array);
    let mut worths: Vec<(f64, String)> = options
        .into_iter()
        .flatten()
        .filter_map(|option| Some((worth(option)?, option["id"].as_str()?.to_owned())))
        .filter(|(worth, _)| *worth > 0.0)
        .collect();
    worths.sort_by(|(one, _), (other, _)| other.total_cmp(one));
    let several = step.args.get("allowMultiple") == Some(&Value::Bool(true));
    let most = step.args.get("maxChoices").and_then(Value::as_u64).filter(|_| several);
    let most = most.and_then(|most| usize::try_from(most).ok());
    worths.truncate(if several { most.unwrap_or(usize::MAX) } else { 1 });
    worths.into_iter().map(|(_, id)| id).collect()
}

fn choices(choose: &Choose, right: &[String]) -> Vec<Given> {
    let chosen = |ids: Vec<String>| {
        given(&ids.join(" and "), Reply::Chosen { ids: ids.clone(), free_text: None })
    };
    let ids: Vec<String> = choose.choices.iter().map(|choice| choice.id.clone()).collect();
    // Each with as many of the next ones as must be picked besides.
    let with_next = |n: usize| ids.iter().cycle().skip(n).take(choose.fewest()).cloned().collect();
    let mut all: Vec<Given> = (0..ids.len()).map(|n| chosen(with_next(n))).collect();
    if choose.most() > choose.fewest() {
        all.push(chosen(ids.iter().take(choose.most()).cloned().collect()));
    }
    let is_possible = (choose.fewest()..=choose.most()).contains(&right.len())
        && right.iter().all(|id| ids.contains(id));
    if right.len() > 1 && is_possible && !all.iter().any(|given| is_pick(given, right)) {
        all.push(chosen(right.to_vec()));
    }
    optional(all, !choose.required)
}

fn reviews(review: &Review, probing: &Probing<'_>) -> Vec<Given> {
    let reviewed =
        |label: &str, verdict, data| given(label, Reply::Reviewed { verdict, data, notes: None });
    let fits = |data: &Value| check_data(&review.schema, data).is_empty();
    let mut all = Vec::new();
    if fits(&review.data) {
        all.push(reviewed("approved", Verdict::Approved, None));
    }
    let mut known = vec![review.data.clone()];
    let full = Filling { is_least: false, entries: 1, nth: 0 };
    let least = Filling { is_least: true, ..full };
    let ways: [(&str, &[Filling]); 4] = [
        ("filled in", &[full, least]),
        ("filled in with what is required", &[least]),
        ("filled in without entries", &[Filling { entries: 0, ..full }]),
        ("filled in with two entries", &[Filling { entries: 2, ..full }]),
    ];
    for (label, fillings) in ways {
        let filled = fillings.iter().map(|filling| filled(review, *filling)).find(fits);
        let is_new = |data: &Value| label == "filled in" || !known.contains(data);
        if let Some(data) = filled.filter(is_new) {
            known.push(data.clone());
            all.push(reviewed(label, Verdict::Modified, Some(data)));
        }
    }
    let base = [full, least].iter().map(|filling| filled(review, *filling)).find(fits);
    let fields = review.groups.iter().flat_map(|group| &group.fields);
    for (field, base) in fields.filter_map(|field| Some((field, base.clone()?))) {
        for probe in probing.probes.at(&field.path) {
            let mut data = base.clone();
            let Some(value) = probe.value(probing.today) else { continue };
            set(&mut data, &field.path, value);
            if fits(&data) && !known.contains(&data) {
                let label = format!("filled in with {} {}", field.path, probe.words());
                known.push(data.clone());
                all.push(reviewed(&label, Verdict::Modified, Some(data)));
            }
        }
    }
    let apart = base.and_then(|base| days_apart(review, base, probing));
    if let Some(data) = apart.filter(|data| fits(data) && !known.contains(data)) {
        all.push(reviewed("filled in with days a week apart", Verdict::Modified, Some(data)));
    }
    all.push(reviewed("rejected", Verdict::Rejected, None));
    optional(all, review.skippable)
}

/// The draft with each of several days a week after the one before it, where a condition looks at one of them.
fn days_apart(review: &Review, base: Value, probing: &Probing<'_>) -> Option<Value> {
    let fields = review.groups.iter().flat_map(|group| &group.fields);
    let days: Vec<&Field> =
        fields.filter(|field| matches!(field.input, Input::Day | Input::Date)).collect();
    if days.len() < 2 || days.iter().all(|field| probing.probes.at(&field.path).is_empty()) {
        return None;
    }
    let mut data = base;
    for (field, week) in days.into_iter().zip(1..) {
        set(&mut data, &field.path, Probe::Day(7 * week).value(probing.today)?);
    }
    Some(data)
}

/// How a draft is filled in.
#[derive(Debug, Clone, Copy)]
struct Filling {
    /// Only what must have something.
    is_least: bool,
    /// How many entries each list gets.
    entries: usize,
    /// The first of its kind is 0; another one has other words.
    nth: usize,
}

/// Data that fits a schema, as a card fills it in; `None` if a card can't.
pub(super) fn draft(schema: &Value, is_least: bool, nth: usize) -> Option<Value> {
    let data = Value::Object(Map::new());
    let card = card::draw(schema, &data, &[]);
    let review = Review {
        data_type: String::new(),
        data,
        schema: schema.clone(),
        groups: card.groups,
        lists: card.lists,
        skippable: false,
    };
    let ways = [(is_least, 1), (is_least, 2), (!is_least, 1)];
    let mut drafts = ways
        .into_iter()
        .map(|(is_least, entries)| filled(&review, Filling { is_least, entries, nth }));
    drafts.find(|draft| check_data(schema, draft).is_empty())
}

/// The draft with something in every empty field, or in those only that must have something.
fn filled(review: &Review, Filling { is_least, entries, nth }: Filling) -> Value {
    let mut data = review.data.clone();
    let is_in_list =
        |path: &str| review.lists.iter().any(|list| path.starts_with(&format!("{}.", list.path)));
    let fields = review.groups.iter().flat_map(|group| &group.fields);
    for field in fields.filter(|field| !is_in_list(&field.path)) {
        let is_empty = match &field.value {
            Value::Null => true,
            Value::String(text) => text.trim().is_empty(),
            Value::Array(entries) => entries.is_empty(),
            _ => false,
        };
        if is_empty
            && (field.required || !is_least)
            && let Some(value) = nth_sample(field, nth)
        {
            set(&mut data, &field.path, enough(review, field, value));
        }
    }
    for list in review.lists.iter().filter(|_| !is_least) {
        let entries = (0..entries).map(|n| entry(list, nth + n)).collect();
        set(&mut data, &list.path, Value::Array(entries));
    }
    data
}

/// An entry of a list.
fn entry(list: &List, nth: usize) -> Value {
    let mut entry = Value::Object(Map::new());
    for field in &list.fields {
        if let Some(value) = nth_sample(field, nth) {
            set(&mut entry, &field.path, value);
        }
    }
    entry
}

/// A list of choices with as many as must be picked.
fn enough(review: &Review, field: &Field, value: Value) -> Value {
    let Input::Select { choices, multiple: true } = &field.input else { return value };
    let place = field.path.replace('.', "/properties/");
    let least = review.schema.pointer(&format!("/properties/{place}/minItems"));
    let least = least.and_then(Value::as_u64).and_then(|least| usize::try_from(least).ok());
    choices.iter().take(least.unwrap_or(1).max(1)).map(|choice| choice.id.clone()).collect()
}

/// A file of a kind that is taken; empty if no such kind is simple enough to be made up.
fn files(upload: &Upload) -> Vec<Given> {
    let known = [
        ("txt", "notes.txt", WORDS.as_bytes()),
        ("md", "notes.md", WORDS.as_bytes()),
        ("pdf", "notes.pdf", PDF),
        ("png", "dot.png", PNG),
    ];
    let takes =
        |kind: &str| upload.accept.iter().any(|accepted| accepted.eq_ignore_ascii_case(kind));
    let file = known.into_iter().find(|(kind, ..)| takes(kind)).map(|(_, name, bytes)| Given {
        label: "a file".to_owned(),
        answer: Answer::File { name, bytes },
    });
    file.into_iter().collect()
}
