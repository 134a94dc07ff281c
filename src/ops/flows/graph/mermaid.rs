//! The graph as Mermaid: a flowchart from top to bottom, a subgraph for each phase.

use std::fmt::Write as _;

use super::{Drawing, Kind, Node, Part, To, short};

/// Longest text of a box, in characters.
const DETAIL_MAX: usize = 60;

/// Text for the sources of documents.
pub(super) fn text(drawing: &Drawing) -> String {
    let mut out = String::from("flowchart TD\n");
    line(&mut out, 1, &format!("%% {}", quoted(&short(&drawing.title, DETAIL_MAX))));
    line(&mut out, 1, "start([\"Notice\"])");
    for (at, part) in drawing.parts.iter().enumerate() {
        line(&mut out, 1, &format!("subgraph p{at}[\"{}\"]", quoted(&part.title)));
        line(&mut out, 2, &format!("p{at}n([\"{}\"])", quoted(&short(&part.note, DETAIL_MAX))));
        for (index, node) in part.nodes.iter().enumerate() {
            line(&mut out, 2, &shape(&id(at, index), node));
        }
        line(&mut out, 1, "end");
    }
    line(&mut out, 1, "done([\"Done\"])");
    line(&mut out, 1, "start --> p0n");
    for (at, part) in drawing.parts.iter().enumerate() {
        arrows(&mut out, at, part, drawing.parts.len());
    }
    out
}

fn line(out: &mut String, depth: usize, text: &str) {
    // Writing to a string cannot fail.
    _ = writeln!(out, "{:indent$}{text}", "", indent = depth * 2);
}

fn id(part: usize, node: usize) -> String {
    format!("p{part}s{node}")
}

fn shape(id: &str, node: &Node) -> String {
    let mut lines = vec![quoted(&node.name), quoted(&short(&node.detail, DETAIL_MAX))];
    lines.extend(node.when.as_ref().map(|when| quoted(&short(&format!("if {when}"), DETAIL_MAX))));
    lines.extend(node.decision.as_ref().map(|who| format!("decided by {}", quoted(who))));
    lines.retain(|line| !line.is_empty());
    let words = lines.join("<br>");
    match node.kind {
        Kind::Step => format!("{id}[\"{words}\"]"),
        Kind::Model => format!("{id}([\"{words}\"])"),
        Kind::Effect if node.decision.is_some() => format!("{id}{{{{\"{words}\"}}}}"),
        Kind::Effect => format!("{id}[/\"{words}\"/]"),
    }
}

fn arrows(out: &mut String, at: usize, part: &Part, parts: usize) {
    let follows = match part.jump {
        Some(next) => format!("p{next}n"),
        None if at + 1 < parts => format!("p{}n", at + 1),
        None => "done".to_owned(),
    };
    let below = |index: usize| {
        if index < part.nodes.len() { id(at, index) } else { follows.clone() }
    };
    line(out, 1, &format!("p{at}n --> {}", below(0)));
    for (index, node) in part.nodes.iter().enumerate() {
        let from = id(at, index);
        match node.kind {
            Kind::Model => {
                let effects = part.nodes.iter().position(|node| node.kind == Kind::Effect);
                let over = below(effects.unwrap_or(part.nodes.len()));
                line(out, 1, &format!("{from} --> {over}"));
                if part.nodes.get(index + 1).is_some_and(|node| node.kind == Kind::Step) {
                    line(
                        out,
                        1,
                        &format!("{from} -. \"without a model\" .-> {}", below(index + 1)),
                    );
                }
            }
            Kind::Step | Kind::Effect if node.goes_on => {
                line(out, 1, &format!("{from} --> {}", below(index + 1)));
            }
            Kind::Step | Kind::Effect => {}
        }
        for (number, exit) in node.exits.iter().enumerate() {
            let answers = quoted(&short(&exit.answers.join(", "), DETAIL_MAX));
            let to = match exit.to {
                To::Node(to) => id(at, to),
                To::Next => below(index + 1),
                To::Skip | To::Stop | To::Person | To::Nowhere => {
                    format!("{from}e{number}([\"{}\"])", exit.to.end())
                }
            };
            line(out, 1, &format!("{from} -- \"{answers}\" --> {to}"));
        }
    }
}

/// Text between quotes: what Mermaid, HTML or Markdown would read is written as an entity.
fn quoted(text: &str) -> String {
    text.chars().fold(String::new(), |mut text, c| {
        match c {
            '"' | '<' | '>' | '&' | '#' | '`' | '*' | '%' | '\\' => {
                _ = write!(text, "#{};", u32::from(c));
            }
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
        text
    })
}
