//! Figures as bars: an SVG that we write ourselves, with every figure in words beside its bar.

use super::{
    Error,
    fonts::{Face, Fonts, SANS},
    lines::{Rich, Style},
};
use crate::model::text::xml;

/// Bars from a common line: to the right what is gained, to the left what is lost.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Stands above.
    pub title: String,
    /// From the top down.
    pub bars: Vec<Bar>,
    /// Stands below, such as what was assumed.
    pub note: Option<String>,
}

/// One bar.
#[derive(Debug, Clone, PartialEq)]
pub struct Bar {
    /// What it is, such as `Yearly savings`.
    pub label: String,
    /// How long it is; what is not a number is drawn as nothing.
    pub value: f64,
    /// The figure as it is to be read, such as `$124,800`: exact, while a bar is only as exact as a pixel.
    pub text: String,
}

/// Most bars of one chart.
pub const BARS_MAX: usize = 40;

/// The width of a chart in pixels of its SVG; the picture has twice as many.
const WIDTH: f32 = 760.0;
const PAD: f32 = 28.0;
const LABELS: f32 = 200.0;
const BAR: f32 = 22.0;
const GAP: f32 = 16.0;
const TITLE_SIZE: f32 = 19.0;
const SIZE: f32 = 13.5;
const NOTE_SIZE: f32 = 11.5;
const LEADING: f32 = 1.3;

/// Blue and vermilion can be told apart by everybody; so can left and right.
const GAIN: &str = "#0072b2";
const LOSS: &str = "#d55e00";
const INK: &str = "#1d1c1d";
const GREY: &str = "#616061";

impl Chart {
    /// The drawing, on a white card.
    pub(super) fn svg(&self) -> Result<String, Error> {
        let fonts = Fonts::get()?;
        let mut drawing = Drawing { fonts, body: String::new(), y: PAD };
        drawing.text(&self.title, (PAD, WIDTH - 2.0 * PAD), (TITLE_SIZE, "bold", INK));
        drawing.y += 12.0;
        let plot = Plot::of(self, fonts);
        let top = drawing.y;
        for bar in &self.bars {
            drawing.bar(bar, &plot);
        }
        if !self.bars.is_empty() {
            let (x, bottom) = (plot.zero, drawing.y - GAP + 6.0);
            drawing.put(format_args!(
                r#"<path d="M{x:.2} {top:.2}V{bottom:.2}" stroke="{GREY}" stroke-width="1"/>"#
            ));
        }
        if let Some(note) = &self.note {
            drawing.text(note, (PAD, WIDTH - 2.0 * PAD), (NOTE_SIZE, "normal", GREY));
        }
        let height = drawing.y + PAD - 8.0;
        let body = drawing.body;
        Ok(format!(
            r##"<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height:.0}" viewBox="0 0 {WIDTH} {height:.0}"><rect width="100%" height="100%" fill="#ffffff"/><rect x="0.5" y="0.5" width="{}" height="{:.1}" fill="none" stroke="#d0d0d4"/>{body}</svg>"##,
            WIDTH - 1.0,
            height.round() - 1.0,
        ))
    }
}

/// Where the bars stand.
struct Plot {
    /// The line that they begin at.
    zero: f32,
    /// Pixels for the longest bar on the right, and on the left.
    right: f32,
    left: f32,
    /// The greatest value on the right, and the least, as what it is below nothing.
    most: f64,
    least: f64,
}

impl Plot {
    fn of(chart: &Chart, fonts: &Fonts) -> Self {
        let values = chart.bars.iter().map(|bar| finite(bar.value));
        let most = values.clone().fold(0.0, f64::max);
        let least = values.fold(0.0, |least: f64, value| least.max(-value));
        // The figures stand at the ends of the bars, so they need room on the side that they are on.
        let room = |negative: bool| {
            let bars = chart.bars.iter().filter(|bar| (finite(bar.value) < 0.0) == negative);
            let widths = bars.map(|bar| fonts.width(&bar.text, Face::Bold) * SIZE + 10.0);
            widths.fold(0.0, f32::max).min(FIGURE_MAX)
        };
        let (room_left, room_right) = (room(true), room(false));
        let begin = PAD + LABELS + 12.0;
        let bars = WIDTH - PAD - begin - room_left - room_right;
        let whole = most + least;
        let share = if whole > 0.0 { narrow(least / whole) } else { 0.0 };
        let left = bars * share;
        Self { zero: begin + room_left + left, right: bars - left, left, most, least }
    }
}

/// Widest figure that gets room of its own; a longer one is broken into lines.
const FIGURE_MAX: f32 = 150.0;

struct Drawing<'a> {
    fonts: &'a Fonts,
    body: String,
    y: f32,
}

impl Drawing<'_> {
    fn bar(&mut self, bar: &Bar, plot: &Plot) {
        let value = finite(bar.value);
        let (length, colour) = match value {
            value if value < 0.0 => (narrow(-value / plot.least) * plot.left, LOSS),
            value if value > 0.0 => (narrow(value / plot.most) * plot.right, GAIN),
            _ => (0.0, GREY),
        };
        // What is not nothing is seen.
        let length = if value == 0.0 { 0.0 } else { length.max(1.5) };
        let labels = self.broken(&bar.label, LABELS, SIZE);
        let figures = self.broken(&bar.text, FIGURE_MAX, SIZE * 1.12);
        let line = SIZE * LEADING;
        let tall = (count(labels.len().max(figures.len())) * line).max(BAR);
        let x = if value < 0.0 { plot.zero - length } else { plot.zero };
        let y = self.y + (tall - BAR) / 2.0;
        self.put(format_args!(
            r#"<rect x="{x:.2}" y="{y:.2}" width="{length:.2}" height="{BAR}" fill="{colour}"/>"#
        ));
        let (end, anchor) =
            if value < 0.0 { (x - 7.0, "end") } else { (plot.zero + length + 7.0, "start") };
        for (lines, x, anchor, weight) in
            [(labels, PAD + LABELS, "end", "normal"), (figures, end, anchor, "bold")]
        {
            let mut baseline = self.y + (tall - count(lines.len()) * line) / 2.0 + SIZE * 1.02;
            for text in lines {
                self.line(&text, (x, baseline), anchor, (SIZE, weight, INK));
                baseline += line;
            }
        }
        self.y += tall + GAP;
    }

    fn text(&mut self, text: &str, (x, width): (f32, f32), look: (f32, &str, &str)) {
        for line in self.broken(text, width, look.0 * 1.12) {
            self.y += look.0 * LEADING;
            self.line(&line, (x, self.y - look.0 * 0.3), "start", look);
        }
    }

    fn broken(&self, text: &str, width: f32, size: f32) -> Vec<String> {
        Rich::of(text, Style::default()).broken(self.fonts, width / size)
    }

    fn line(&mut self, text: &str, (x, y): (f32, f32), anchor: &str, look: (f32, &str, &str)) {
        let (size, weight, ink) = look;
        let text = xml(text);
        self.put(format_args!(
            r#"<text x="{x:.2}" y="{y:.2}" font-family="{SANS}" font-size="{size}" font-weight="{weight}" fill="{ink}" text-anchor="{anchor}">{text}</text>"#
        ));
    }

    fn put(&mut self, what: std::fmt::Arguments<'_>) {
        self.body.push_str(&std::fmt::format(what));
    }
}

fn finite(value: f64) -> f64 {
    if value.is_finite() { value } else { 0.0 }
}

#[expect(clippy::cast_possible_truncation, reason = "a share of one, drawn in pixels")]
fn narrow(share: f64) -> f32 {
    if share.is_finite() { share.clamp(0.0, 1.0) as f32 } else { 0.0 }
}

fn count(n: usize) -> f32 {
    u16::try_from(n).unwrap_or(u16::MAX).into()
}
