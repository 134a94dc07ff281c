//! The lines that are drawn on a page, and the cells between them.

/// A line that is drawn along an edge of cells.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rule {
    /// Its place across.
    at: f64,
    from: f64,
    to: f64,
}

/// The lines of a page that may be borders.
#[derive(Debug, Default)]
pub(super) struct Rules {
    upright: Vec<Rule>,
    level: Vec<Rule>,
}

/// Most lines of a page that are looked at.
const RULES_MAX: usize = 2_000;

/// Thickest border, in points, and the shortest.
const THICKNESS_MAX: f64 = 2.5;
const LENGTH_MIN: f64 = 8.0;

/// How far ends of borders may be from where they meet, in points.
const SLACK: f64 = 2.5;

impl Rules {
    /// Adds something narrow that was drawn from one corner to the other.
    pub(super) fn add(&mut self, (left, top): (f64, f64), (right, bottom): (f64, f64)) {
        let (width, height) = (right - left, bottom - top);
        if self.upright.len() + self.level.len() >= RULES_MAX {
            return;
        }
        if width <= THICKNESS_MAX && height >= LENGTH_MIN {
            let at = f64::midpoint(left, right);
            self.upright.push(Rule { at, from: top, to: bottom });
        } else if height <= THICKNESS_MAX && width >= LENGTH_MIN {
            let at = f64::midpoint(top, bottom);
            self.level.push(Rule { at, from: left, to: right });
        }
    }

    /// The edges of the cell around a point, in tenths of points: left, top, right, bottom.
    pub(super) fn cell(&self, x: f64, y: f64) -> Option<Cell> {
        let spans =
            |rule: &&Rule, place: f64| rule.from - SLACK <= place && place <= rule.to + SLACK;
        let upright = || self.upright.iter().filter(|rule| spans(rule, y)).map(|rule| rule.at);
        let level = || self.level.iter().filter(|rule| spans(rule, x)).map(|rule| rule.at);
        Some(Cell {
            top: level().filter(|at| *at <= y).reduce(f64::max)?,
            bottom: level().filter(|at| *at > y).reduce(f64::min)?,
            left: upright().filter(|at| *at <= x).reduce(f64::max)?,
            right: upright().filter(|at| *at > x).reduce(f64::min)?,
        })
    }
}

/// A field between drawn lines, by its edges.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) top: f64,
    pub(super) bottom: f64,
    pub(super) left: f64,
    pub(super) right: f64,
}

/// A place on the page that borders within [`SLACK`] share.
#[expect(clippy::cast_possible_truncation, reason = "a place on a page, in points")]
pub(super) fn key(at: f64) -> i32 {
    (at / SLACK).round() as i32
}
