//! Blocks become pages: what stands where, in points from the upper left corner of an A4 sheet.

mod table;

use super::{
    Error, Paper,
    blocks::{self, Block, Kind},
    fonts::Fonts,
    lines::{Ink, Line, Rich, Run, Style},
};

/// A4, in points.
pub(super) const WIDTH: f32 = 595.28;
pub(super) const HEIGHT: f32 = 841.89;

/// Paper left free on the left and right, at the top, and below the text.
const SIDE: f32 = 56.7;
const TOP: f32 = 60.0;
const BOTTOM: f32 = 66.0;

/// Where the foot of a page stands.
const FOOT: f32 = HEIGHT - 34.0;
const FOOT_SIZE: f32 = 8.0;

/// Width of the text.
const MEASURE: f32 = WIDTH - 2.0 * SIDE;

/// How far each list or quote is set in, and how many are: from there on the text would be a column of words.
const STEP: f32 = 18.0;
const STEPS_MAX: usize = 8;

/// One page.
#[derive(Debug, Default)]
pub(super) struct Sheet {
    pub(super) marks: Vec<Mark>,
}

/// Something on a page.
#[derive(Debug)]
pub(super) enum Mark {
    /// Text that begins at `x` on the line at `y`.
    Text { x: f32, y: f32, size: f32, run: Run },
    /// A filled rectangle.
    Bar { x: f32, y: f32, width: f32, height: f32, shade: Shade },
}

/// What rectangles are filled with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shade {
    /// Behind code and heads of tables.
    Pale,
    /// Lines.
    Line,
    /// Through text.
    Black,
}

/// How lines of text are set.
#[derive(Debug, Clone, Copy)]
pub(super) struct Look {
    pub(super) size: f32,
    /// From one line to the next, in sizes.
    pub(super) leading: f32,
    pub(super) shaded: bool,
}

pub(super) const BODY: Look = Look { size: 10.5, leading: 1.45, shaded: false };
pub(super) const CELL: Look = Look { size: 9.0, leading: 1.4, shaded: false };
const CODE: Look = Look { size: 8.8, leading: 1.4, shaded: true };
const TITLE: Look = Look { size: 21.0, leading: 1.25, shaded: false };
const SMALL: Look = Look { size: 8.5, leading: 1.4, shaded: false };

impl Look {
    pub(super) fn line(self) -> f32 {
        self.size * self.leading
    }
}

/// Lays a paper out.
pub(super) fn lay_out(paper: &Paper) -> Result<Vec<Sheet>, Error> {
    let mut press = Press::new(Fonts::get()?);
    press.head(paper);
    let blocks = blocks::read(&paper.markdown);
    let mut tight = false;
    for (n, block) in blocks.iter().enumerate() {
        // What comes after a list stands off from it.
        let is_tight = matches!(block.kind, Kind::Tight(_));
        press.gap(if tight && !is_tight { 4.0 } else { 0.0 });
        tight = is_tight;
        let repeats_title = matches!(&block.kind, Kind::Heading(1, rich)
            if n == 0 && rich.text().trim() == paper.title.trim());
        if !repeats_title {
            press.block(block);
        }
    }
    press.note();
    press.feet(paper.footer.as_deref());
    Ok(press.sheets)
}

/// Puts marks on pages, from the top down.
pub(super) struct Press {
    pub(super) fonts: &'static Fonts,
    sheets: Vec<Sheet>,
    /// Where the next line begins.
    y: f32,
    /// Characters drawn as boxes.
    missing: usize,
}

/// Where a column of text stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column<'a> {
    pub(super) left: f32,
    pub(super) width: f32,
    /// Bars of the quotes that it stands in.
    pub(super) bars: &'a [f32],
}

impl Press {
    fn new(fonts: &'static Fonts) -> Self {
        Self { fonts, sheets: vec![Sheet::default()], y: TOP, missing: 0 }
    }

    fn head(&mut self, paper: &Paper) {
        let column = Column { left: SIDE, width: MEASURE, bars: &[] };
        let style = Style { bold: true, ..Style::default() };
        if !paper.title.trim().is_empty() {
            self.paragraph(&Rich::of(&paper.title, style), column, TITLE, None);
        }
        let date = paper.made_at.format("%Y-%m-%d, %H:%M UTC").to_string();
        let style = Style { ink: Ink::Grey, ..Style::default() };
        self.paragraph(&Rich::of(&date, style), column, SMALL, None);
        self.gap(10.0);
    }

    fn block(&mut self, block: &Block) {
        let depth = block.depth.min(STEPS_MAX);
        let left = SIDE + STEP * steps(depth);
        let quotes = block.quotes.iter().filter(|step| **step < STEPS_MAX);
        let bars: Vec<f32> = quotes.map(|step| SIDE + STEP * steps(*step) + 4.0).collect();
        let column = Column { left, width: SIDE + MEASURE - left, bars: &bars };
        let marker = block.marker.as_deref();
        match &block.kind {
            Kind::Heading(size, rich) => {
                let look = heading(*size);
                self.gap(look.size * 0.7);
                // A heading at the foot of a page stands over nothing.
                self.room(look.line() * 2.0 + BODY.line() * 2.0);
                self.paragraph(rich, column, look, marker);
                self.gap(3.0);
            }
            Kind::Paragraph(rich) => {
                self.paragraph(rich, column, BODY, marker);
                self.gap(6.0);
            }
            Kind::Tight(rich) => {
                self.paragraph(rich, column, BODY, marker);
                self.gap(1.5);
            }
            Kind::Code(rich) => {
                self.gap(2.0);
                self.paragraph(rich, column, CODE, marker);
                self.gap(8.0);
            }
            Kind::Rule => {
                self.room(18.0);
                let (x, y, width) = (column.left, self.y + 6.0, column.width);
                self.mark(Mark::Bar { x, y, width, height: 0.7, shade: Shade::Line });
                self.gap(14.0);
            }
            Kind::Table(table) => {
                self.gap(3.0);
                if let Some(marker) = marker {
                    self.paragraph(&Rich::of("", Style::default()), column, BODY, Some(marker));
                }
                table::set(self, table, column);
                self.gap(10.0);
            }
        }
    }

    /// Sets lines in a column, over as many pages as they need.
    pub(super) fn paragraph(
        &mut self,
        rich: &Rich,
        column: Column<'_>,
        look: Look,
        marker: Option<&str>,
    ) {
        let inset = if look.shaded { 6.0 } else { 0.0 };
        let (left, width) = (column.left + inset, column.width - 2.0 * inset);
        let lines = rich.lines(self.fonts, width / look.size);
        for (n, line) in lines.into_iter().enumerate() {
            self.room(look.line());
            let (y, height) = (self.y, look.line());
            if look.shaded {
                let (x, width) = (column.left, column.width);
                self.mark(Mark::Bar { x, y, width, height, shade: Shade::Pale });
            }
            for x in column.bars {
                self.mark(Mark::Bar { x: *x, y, width: 2.0, height, shade: Shade::Line });
            }
            if let Some(marker) = marker.filter(|_| n == 0) {
                self.marker(marker, column.left, look);
            }
            let x = if line.leftwards { left + width - line.width * look.size } else { left };
            self.line(line, x, y, look);
            self.y += height;
        }
    }

    /// Right before the text.
    fn marker(&mut self, marker: &str, left: f32, look: Look) {
        let rich = Rich::of(marker, Style::default());
        for line in rich.lines(self.fonts, MEASURE) {
            let x = left - 5.0 - line.width * look.size;
            self.line(line, x, self.y, look);
        }
    }

    /// Sets one line whose upper edge is at `y`.
    pub(super) fn line(&mut self, line: Line, mut x: f32, y: f32, look: Look) {
        let baseline = y + look.line() / 2.0 + look.size * 0.36;
        self.missing += line.missing;
        for run in line.runs {
            let width = run.width * look.size;
            if run.style.strike {
                let y = baseline - look.size * 0.28;
                self.mark(Mark::Bar { x, y, width, height: 0.6, shade: Shade::Black });
            }
            self.mark(Mark::Text { x, y: baseline, size: look.size, run });
            x += width;
        }
    }

    /// Says what could not be shown.
    fn note(&mut self) {
        let said = match self.missing {
            0 => return,
            1 => "One character of this document has no shape in its fonts and appears as a box.",
            _ => "Some characters of this document have no shape in its fonts and appear as boxes",
        };
        let count = match self.missing {
            1 => String::new(),
            many => format!(" ({many} in all)."),
        };
        let text = format!("{said}{count} The text itself is kept: it can be searched and copied.");
        let style = Style { italic: true, ink: Ink::Grey, ..Style::default() };
        self.gap(8.0);
        let column = Column { left: SIDE, width: MEASURE, bars: &[] };
        self.paragraph(&Rich::of(&text, style), column, SMALL, None);
    }

    /// The foot of every page, now that it is known how many there are.
    fn feet(&mut self, footer: Option<&str>) {
        let look = Look { size: FOOT_SIZE, leading: 1.4, shaded: false };
        let style = Style { ink: Ink::Grey, ..Style::default() };
        let pages = self.sheets.len();
        let sheets = std::mem::take(&mut self.sheets);
        for (n, sheet) in sheets.into_iter().enumerate() {
            self.sheets.push(sheet);
            let number = Rich::of(&format!("{} / {pages}", n + 1), style);
            let room = MEASURE - 60.0;
            // A foot has one line; what it lacks is not the document's text.
            let foot = footer.map(|text| Rich::of(text, style).lines(self.fonts, room / look.size));
            for line in foot.into_iter().flatten().take(1) {
                self.line(line, SIDE, FOOT, look);
            }
            for line in number.lines(self.fonts, MEASURE) {
                let x = SIDE + MEASURE - line.width * look.size;
                self.line(line, x, FOOT, look);
            }
        }
    }

    pub(super) fn mark(&mut self, mark: Mark) {
        if let Some(sheet) = self.sheets.last_mut() {
            sheet.marks.push(mark);
        }
    }

    pub(super) fn y(&self) -> f32 {
        self.y
    }

    /// Room left on this page.
    pub(super) fn left(&self) -> f32 {
        HEIGHT - BOTTOM - self.y
    }

    pub(super) fn down(&mut self, by: f32) {
        self.y += by;
    }

    /// Begins a page where this one has no room for so much; none has room for more than a page.
    pub(super) fn room(&mut self, height: f32) {
        if height > self.left() && self.y > TOP {
            self.turn();
        }
    }

    pub(super) fn turn(&mut self) {
        self.sheets.push(Sheet::default());
        self.y = TOP;
    }

    /// Empty space, but not at the top of a page.
    pub(super) fn gap(&mut self, height: f32) {
        if self.y > TOP {
            self.y += height;
        }
    }
}

fn steps(depth: usize) -> f32 {
    u8::try_from(depth).map_or(0.0, f32::from)
}

const fn heading(size: u8) -> Look {
    let size = match size {
        1 => 16.0,
        2 => 13.5,
        3 => 11.8,
        _ => 10.8,
    };
    Look { size, leading: 1.3, shaded: false }
}
