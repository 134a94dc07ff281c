//! `anteroom flows graph`: a flow as a picture, or as Mermaid for documents that draw it.

mod mermaid;
mod svg;

use clap::{Args, ValueEnum};
use serde_json::Value;

use super::{led, source};
use crate::{
    flow::LoadedFlow,
    model::flow::{ELSE, Mode, Moment, Phase, PhaseEffect, Step},
    ops::{app::Wanted, output_file, shared_args::Output},
};

/// `flows graph`.
#[derive(Debug, Args)]
pub(in crate::ops) struct Graph {
    /// The flow's id, or a flow file.
    #[arg(value_name = "FLOW")]
    flow: String,
    /// The format.
    #[arg(long, value_enum, default_value_t = Format::Mermaid)]
    format: Format,
    /// Output.
    #[command(flatten)]
    output: Output,
}

/// How a graph is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text that GitHub, GitLab and many editors draw.
    Mermaid,
    /// A picture.
    Svg,
}

/// Writes the graph of a flow.
pub(super) fn write(wanted: &Wanted, Graph { flow, format, output }: &Graph) -> anyhow::Result<()> {
    let drawing = Drawing::of(&*source::named(wanted, flow)?);
    let text = match format {
        Format::Mermaid => mermaid::text(&drawing),
        Format::Svg => svg::text(&drawing),
    };
    output_file::publish(output, text.as_bytes())
}

/// What is drawn of a flow.
struct Drawing {
    title: String,
    parts: Vec<Part>,
}

/// A phase.
struct Part {
    title: String,
    /// Who leads, and on what condition the phase comes.
    note: String,
    nodes: Vec<Node>,
    /// The part that follows, unless it is the next one.
    jump: Option<usize>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Step,
    /// A model leads here.
    Model,
    Effect,
}

/// A step, an effect, or where a model leads.
struct Node {
    kind: Kind,
    name: String,
    detail: String,
    /// The condition on which it happens.
    when: Option<String>,
    /// Who decides first.
    decision: Option<String>,
    exits: Vec<Exit>,
    /// Whether the node below it follows.
    goes_on: bool,
}

/// Where answers lead.
struct Exit {
    answers: Vec<String>,
    to: To,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum To {
    /// A node of the same part.
    Node(usize),
    Next,
    Skip,
    Stop,
    Person,
    /// A step that isn't there; `flows check` refuses it.
    Nowhere,
}

impl To {
    /// What the end of an arrow says where it isn't a node.
    const fn end(self) -> &'static str {
        match self {
            Self::Node(_) | Self::Next => "next step",
            Self::Skip => "skip, next step",
            Self::Stop => "stop",
            Self::Person => "a person",
            Self::Nowhere => "unknown step",
        }
    }
}

impl Drawing {
    fn of(loaded: &LoadedFlow) -> Self {
        let flow = &loaded.flow;
        let number = |id: &String| flow.phase.iter().position(|phase| phase.id == *id);
        let part = |(at, phase): (usize, &Phase)| Part {
            title: match &phase.after {
                Some(after) => format!("{} · {} (after {after})", at + 1, phase.title),
                None => format!("{} · {}", at + 1, phase.title),
            },
            note: note(phase),
            nodes: nodes(phase),
            jump: phase.next.as_ref().and_then(number).filter(|next| *next != at + 1),
        };
        let title = format!("{} {}", flow.title, flow.version);
        Self { title, parts: flow.phase.iter().enumerate().map(part).collect() }
    }
}

fn note(phase: &Phase) -> String {
    match &phase.when {
        Some(when) => format!("{}; only if {when}", led(phase)),
        None => led(phase).to_owned(),
    }
}

fn nodes(phase: &Phase) -> Vec<Node> {
    let is_led = phase.mode == Mode::Interview;
    let model = is_led.then(|| Node {
        kind: Kind::Model,
        name: "the model leads".to_owned(),
        detail: objectives(phase),
        when: None,
        decision: None,
        exits: Vec::new(),
        goes_on: true,
    });
    let before = usize::from(is_led);
    let steps = phase.step.iter().map(|step| node(step, phase, before));
    model.into_iter().chain(steps).chain(phase.effect.iter().map(effect)).collect()
}

fn objectives(phase: &Phase) -> String {
    phase.objective.iter().map(|objective| objective.title.as_str()).collect::<Vec<_>>().join(", ")
}

fn node(step: &Step, phase: &Phase, before: usize) -> Node {
    let mut exits: Vec<Exit> = Vec::new();
    for (answer, target) in &step.branch {
        let to = match target.as_str() {
            "@next" => To::Next,
            "@skip" => To::Skip,
            "@stop" => To::Stop,
            "@handoff" => To::Person,
            id => {
                let at = phase.step.iter().position(|step| step.id == id);
                at.map_or(To::Nowhere, |at| To::Node(at + before))
            }
        };
        let to_same = exits.iter_mut().find(|exit| exit.to == to && to != To::Nowhere);
        match to_same {
            Some(exit) => exit.answers.push(answer.clone()),
            None => exits.push(Exit { answers: vec![answer.clone()], to }),
        }
    }
    let asks = ["prompt", "message"].iter().find_map(|key| step.args.get(*key)?.as_str());
    let detail = match asks {
        Some(words) => format!("{}: {words}", step.tool),
        None if step.set.is_empty() => step.tool.clone(),
        None => format!("set {}", step.set.keys().cloned().collect::<Vec<_>>().join(", ")),
    };
    // An override is asked for by the step that would leave the phase.
    let is_override = step.args.contains_key("overrides");
    Node {
        kind: Kind::Step,
        name: step.id.clone(),
        detail,
        when: step.when.clone(),
        decision: is_override.then(|| "override".to_owned()),
        exits,
        goes_on: step.when.is_some() || !leads_elsewhere(step),
    }
}

/// Whether every answer has a branch, so that none leads to the step below.
fn leads_elsewhere(step: &Step) -> bool {
    if step.branch.contains_key(ELSE) {
        return true;
    }
    let is = |key, what: bool| step.args.get(key) == Some(&Value::Bool(what));
    let options = step.args.get("options").and_then(Value::as_array);
    let has_branch =
        |option: &Value| option["id"].as_str().is_some_and(|id| step.branch.contains_key(id));
    !is("allowMultiple", true)
        && !is("required", false)
        && options.is_some_and(|options| !options.is_empty() && options.iter().all(has_branch))
}

fn effect(effect: &PhaseEffect) -> Node {
    let (name, detail) = match effect {
        PhaseEffect::PostSummary { channel, include, .. } => {
            ("post_summary", format!("{} to {channel}", include.join(", ")))
        }
        PhaseEffect::Webhook { url_from, include, .. } => {
            ("webhook", format!("{} to {url_from}", include.join(", ")))
        }
        PhaseEffect::DiscordAddRole { role, .. } => ("discord_add_role", role.clone()),
        PhaseEffect::DiscordAddRolesFrom { step, .. } => {
            ("discord_add_roles_from", format!("by the answer to {step}"))
        }
        PhaseEffect::DiscordPost { channel, data, .. } => {
            ("discord_post", format!("{data} to {channel}"))
        }
    };
    let moment = match effect.on() {
        Moment::Completed => "",
        Moment::Stopped => " when it is stopped",
        Moment::Approved => " when it is approved",
        Moment::Denied => " when it is denied",
        Moment::Expired => " when nobody decides",
    };
    Node {
        kind: Kind::Effect,
        name: format!("{name}{moment}"),
        detail,
        when: effect.when().map(str::to_owned),
        decision: effect.approval().map(str::to_owned),
        exits: Vec::new(),
        goes_on: true,
    }
}

/// Words on one line, cut to what fits.
fn short(words: &str, max: usize) -> String {
    let one_line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    let printable: String = one_line.chars().filter(|c| !c.is_control()).collect();
    match printable.char_indices().nth(max) {
        Some((end, _)) => format!("{}…", printable[..end].trim_end()),
        None => printable,
    }
}
