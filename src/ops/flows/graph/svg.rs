//! The graph as a picture: phases from top to bottom, their steps one below the other, branches to the right of them, and
//! jumps over phases to the left.

use maud::{Markup, PreEscaped, html};

use super::{Drawing, Exit, Kind, Node, Part, To, short};

const BOX: i64 = 380;
const PAD: i64 = 20;
const ROW: i64 = 24;
const LINE: i64 = 18;
const GAP: i64 = 22;
const LANE: i64 = 14;
/// About the width of a letter of the labels.
const LETTER: i64 = 7;
const DETAIL_MAX: usize = 50;
const LABEL_MAX: usize = 36;
const TOP: i64 = 104;

const STYLE: &str = "text{font:12px 'Noto Sans',system-ui,sans-serif;fill:#1d1c1d}.t{font-weight:600;font-size:20px}\
    .h{font-weight:600;font-size:15px}.n{font-weight:600}.q{fill:#5a5a62}.part{fill:#f6f8fa;stroke:#c3c9d1}\
    .step{fill:#fff;stroke:#0072b2}.model{fill:#efe6f7;stroke:#7b4fa3}.effect{fill:#e7f4ee;stroke:#00795a}\
    .end{fill:#fff5e0;stroke:#b07a00}.round{fill:#e3eefb;stroke:#0072b2}.a{fill:none;stroke:#4a4a50;stroke-width:1.3;marker-end:url(#tip)}";

/// A node and where it is.
struct Placed<'a> {
    node: &'a Node,
    y: i64,
    height: i64,
    /// The lane of each exit that leads to a step, by its number.
    lanes: Vec<i64>,
}

/// A part and where it is.
struct Laid<'a> {
    part: &'a Part,
    nodes: Vec<Placed<'a>>,
    y: i64,
    height: i64,
    /// Width of what stands right of the nodes before the lanes.
    labels: i64,
    lanes: i64,
}

/// The picture.
pub(super) fn text(drawing: &Drawing) -> String {
    let mut y = TOP;
    let mut parts = Vec::new();
    for part in &drawing.parts {
        let laid = lay(part, y);
        y += laid.height + 2 * GAP;
        parts.push(laid);
    }
    let jumps = i64::try_from(drawing.parts.iter().filter(|part| part.jump.is_some()).count());
    let left = PAD + LANE * jumps.unwrap_or(0) + GAP;
    let inner = parts.iter().map(|laid| laid.labels + laid.lanes).max().unwrap_or(0);
    let part_width = BOX + 3 * PAD + inner;
    let (width, height) = (left + part_width + PAD, y + 44);
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) }
            role="img" aria-labelledby="title" {
            title id="title" { (short(&drawing.title, 200)) }
            style { (PreEscaped(STYLE)) }
            defs {
                marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto" {
                    path d="M0 0L8 4L0 8z" fill="#4a4a50" {}
                }
            }
            rect width=(width) height=(height) fill="#fff" {}
            text.t x=(left) y="32" { (short(&drawing.title, 70)) }
            (round(left, 48, "Notice"))
            (arrow(&format!("M{x} 76V{TOP}", x = left + 60)))
            @for laid in &parts { (drawn(laid, left, part_width)) }
            (between(&parts, left, y))
            (round(left, y, "Done"))
        }
    };
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}\n", picture.into_string())
}

fn round(x: i64, y: i64, words: &str) -> Markup {
    html! {
        rect.round x=(x) y=(y) width="120" height="28" rx="14" {}
        text x=(x + 60) y=(y + 18) text-anchor="middle" { (words) }
    }
}

fn arrow(path: &str) -> Markup {
    html! { path.a d=(path) {} }
}

fn wide(words: &str) -> i64 {
    LETTER * i64::try_from(words.chars().count()).unwrap_or(0)
}

fn label(exit: &Exit) -> String {
    short(&exit.answers.join(", "), LABEL_MAX)
}

/// The lines of a node below its name.
fn lines(node: &Node) -> Vec<String> {
    let when = node.when.as_ref().map(|when| format!("if {when}"));
    let decision = node.decision.as_ref().map(|who| format!("decided by {who}"));
    let lines = [Some(node.detail.clone()), when, decision].into_iter().flatten();
    lines.filter(|line| !line.is_empty()).map(|line| short(&line, DETAIL_MAX)).collect()
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(0)
}

fn lay(part: &Part, y: i64) -> Laid<'_> {
    let mut bottom = y + 62;
    let mut nodes = Vec::new();
    let (mut labels, mut lanes) = (0, 0);
    for node in &part.nodes {
        let height = 30 + (LINE * count(lines(node).len())).max(ROW * count(node.exits.len()) - 6);
        let mut own = Vec::new();
        for exit in &node.exits {
            let is_step = matches!(exit.to, To::Node(_));
            let end = if is_step { 0 } else { wide(exit.to.end()) + 2 * PAD };
            labels = labels.max(wide(&label(exit)) + 2 * PAD + end);
            lanes += i64::from(is_step);
            own.push(lanes);
        }
        nodes.push(Placed { node, y: bottom, height, lanes: own });
        bottom += height + GAP;
    }
    let height = bottom - y - GAP + PAD;
    Laid { part, nodes, y, height: height.max(62), labels, lanes: LANE * lanes }
}

fn drawn(laid: &Laid<'_>, left: i64, width: i64) -> Markup {
    let x = left + PAD;
    let first_lane = x + BOX + laid.labels;
    html! {
        g {
            rect.part x=(left) y=(laid.y) width=(width) height=(laid.height) rx="8" {}
            text.h x=(x) y=(laid.y + 26) { (short(&laid.part.title, 60)) }
            text.q x=(x) y=(laid.y + 46) { (short(&laid.part.note, 80)) }
            @for (index, placed) in laid.nodes.iter().enumerate() {
                (boxed(placed, x))
                @if placed.node.goes_on && let Some(below) = laid.nodes.get(index + 1) {
                    (arrow(&format!("M{} {}V{}", x + 40, placed.y + placed.height, below.y)))
                    @if placed.node.kind == Kind::Model && below.node.kind == Kind::Step {
                        text.q x=(x + 48) y=(below.y - 7) { "without a model" }
                    }
                }
                @for (row, (exit, lane)) in placed.node.exits.iter().zip(&placed.lanes).enumerate() {
                    (leaving(laid, (x + BOX, placed.y + 24 + ROW * count(row)), exit, first_lane + LANE * lane))
                }
            }
        }
    }
}

fn boxed(placed: &Placed<'_>, x: i64) -> Markup {
    let node = placed.node;
    let class = match node.kind {
        Kind::Step => "step",
        Kind::Model => "model",
        Kind::Effect => "effect",
    };
    html! {
        rect class=(class) x=(x) y=(placed.y) width=(BOX) height=(placed.height) rx="5" {}
        text.n x=(x + 12) y=(placed.y + 20) { (short(&node.name, DETAIL_MAX)) }
        @for (index, line) in lines(node).iter().enumerate() {
            text.q x=(x + 12) y=(placed.y + 20 + LINE * count(index + 1)) { (line) }
        }
    }
}

/// An answer that leads elsewhere: to a step of the phase by a lane of its own, or to an end.
fn leaving(laid: &Laid<'_>, (x, y): (i64, i64), exit: &Exit, lane: i64) -> Markup {
    let words = label(exit);
    let to = match exit.to {
        To::Node(to) => laid.nodes.get(to),
        To::Next | To::Skip | To::Stop | To::Person | To::Nowhere => None,
    };
    let start = x + wide(&words) + PAD;
    html! {
        text x=(x + 10) y=(y - 4) { (words) }
        @if let Some(to) = to {
            (arrow(&format!("M{x} {y}H{lane}V{}H{}", to.y + 8, x + 1)))
        } @else {
            (arrow(&format!("M{x} {y}H{start}")))
            rect.end x=(start) y=(y - 11) width=(wide(exit.to.end()) + PAD) height="20" rx="10" {}
            text x=(start + PAD / 2) y=(y + 4) { (exit.to.end()) }
        }
    }
}

/// The arrows from part to part, and to the end.
fn between(parts: &[Laid<'_>], left: i64, end: i64) -> Markup {
    let lane = |at: usize| {
        let before = parts.iter().take(at).filter(|laid| laid.part.jump.is_some()).count();
        left - GAP - LANE * count(before)
    };
    html! {
        @for (at, laid) in parts.iter().enumerate() {
            @let from = laid.y + laid.height;
            @match laid.part.jump.and_then(|to| parts.get(to)) {
                Some(to) => {
                    (arrow(&format!("M{left} {}H{}V{}H{left}", from - 12, lane(at), to.y + 22)))
                }
                None => (arrow(&format!("M{} {from}V{}", left + 60, parts.get(at + 1).map_or(end, |next| next.y))))
            }
        }
    }
}
