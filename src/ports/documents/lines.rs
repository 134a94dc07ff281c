//! Styled text becomes lines: broken by Unicode's rules, in visual order, shaped.

use std::ops::Range;

use harfrust::{Direction, ShapeOptions, UnicodeBuffer};
use unicode_bidi::BidiInfo;
use unicode_linebreak::linebreaks;
use unicode_segmentation::UnicodeSegmentation as _;

use super::fonts::{Face, Fonts, units};

/// How a piece of text looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a thing of its own")]
pub(super) struct Style {
    pub(super) bold: bool,
    pub(super) italic: bool,
    pub(super) mono: bool,
    pub(super) strike: bool,
    pub(super) ink: Ink,
}

/// What a piece of text is drawn in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Ink {
    /// The text's own.
    #[default]
    Black,
    /// What stands beside the text.
    Grey,
    /// What could be clicked elsewhere.
    Blue,
}

impl Style {
    fn face(self) -> Face {
        match self {
            Self { mono: true, .. } => Face::Mono,
            Self { bold: true, .. } => Face::Bold,
            Self { italic: true, .. } => Face::Oblique,
            _ => Face::Regular,
        }
    }
}

/// A paragraph's text with its styles. Lines end at `\n`; no other control character is in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Rich {
    text: String,
    /// Where each style ends, in bytes of the text.
    styles: Vec<(usize, Style)>,
}

impl Rich {
    pub(super) fn of(text: &str, style: Style) -> Self {
        let mut rich = Self::default();
        rich.push(text, style);
        rich
    }

    pub(super) fn push(&mut self, text: &str, style: Style) {
        self.text.extend(text.chars().map(printable));
        match self.styles.last_mut() {
            Some((end, last)) if *last == style => *end = self.text.len(),
            _ => self.styles.push((self.text.len(), style)),
        }
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn append(&mut self, other: &Self) {
        let before = self.text.len();
        self.text.push_str(&other.text);
        self.styles.extend(other.styles.iter().map(|(end, style)| (before + end, *style)));
    }

    /// Puts one style's traits on top of all that is in it.
    pub(super) fn bold(mut self) -> Self {
        for (_, style) in &mut self.styles {
            style.bold = true;
        }
        self
    }

    fn style_at(&self, position: usize) -> Style {
        let piece = self.styles.partition_point(|(end, _)| *end <= position);
        self.styles
            .get(piece)
            .or_else(|| self.styles.last())
            .map(|(_, style)| *style)
            .unwrap_or_default()
    }

    /// Width of the widest line and of the widest part that no line should break, in sizes of the font.
    pub(super) fn widths(&self, fonts: &Fonts) -> (f32, f32) {
        let (mut line, mut part) = (0.0_f32, 0.0_f32);
        for piece in self.pieces(fonts) {
            line = line.max(piece.width(0..piece.text.len()));
            let mut start = 0;
            for (end, _) in linebreaks(piece.text) {
                part = part.max(piece.width(start..end));
                start = end;
            }
        }
        (line, part)
    }

    /// Breaks the text into lines of at most `width`, in sizes of the font. No character is left out but the spaces at
    /// which a line ends; what is longer than a line is broken between two characters as people see them.
    pub(super) fn lines(&self, fonts: &Fonts, width: f32) -> Vec<Line> {
        self.pieces(fonts).iter().flat_map(|piece| piece.lines(width)).collect()
    }

    /// Breaks the text into lines without drawing them: for a program that draws them itself.
    pub(super) fn broken(&self, fonts: &Fonts, width: f32) -> Vec<String> {
        let pieces = self.pieces(fonts);
        let lines = pieces.iter().flat_map(|piece| {
            piece.breaks(width).into_iter().map(|range| piece.text[range].trim_end().to_owned())
        });
        lines.collect()
    }

    fn pieces<'a>(&'a self, fonts: &'a Fonts) -> Vec<Piece<'a>> {
        let mut start = 0;
        let mut pieces = Vec::new();
        for text in self.text.split('\n') {
            pieces.push(Piece::new(self, start..start + text.len(), fonts));
            start += text.len() + 1;
        }
        pieces
    }
}

/// Every end of a line is one; tabs and other control characters are a space.
fn printable(c: char) -> char {
    match c {
        '\n' | '\u{b}' | '\u{c}' | '\u{85}' | '\u{2028}' | '\u{2029}' => '\n',
        c if c.is_control() => ' ',
        c => c,
    }
}

/// A character as people see it.
struct Cluster {
    start: usize,
    style: Style,
    /// None where no face has it.
    face: Option<Face>,
    /// Where it begins if all stood on one line, in sizes of the font.
    x: f64,
}

/// Text between two forced ends of lines.
struct Piece<'a> {
    text: &'a str,
    fonts: &'a Fonts,
    clusters: Vec<Cluster>,
    /// Where the last one ends.
    end: f64,
}

impl<'a> Piece<'a> {
    fn new(rich: &'a Rich, range: Range<usize>, fonts: &'a Fonts) -> Self {
        let text = &rich.text[range.clone()];
        let mut end = 0.0;
        let mut clusters = Vec::new();
        for (start, cluster) in text.grapheme_indices(true) {
            let style = rich.style_at(range.start + start);
            let face = fonts.face_for(cluster, style.face());
            clusters.push(Cluster { start, style, face, x: end });
            end += f64::from(fonts.advance(cluster, face));
        }
        Self { text, fonts, clusters, end }
    }

    fn x(&self, position: usize) -> f64 {
        let cluster = self.clusters.partition_point(|cluster| cluster.start < position);
        self.clusters.get(cluster).map_or(self.end, |cluster| cluster.x)
    }

    /// Without the spaces at its end.
    fn width(&self, range: Range<usize>) -> f32 {
        let end = range.start + self.text[range.clone()].trim_end().len();
        #[expect(clippy::cast_possible_truncation, reason = "a width, of which less will do")]
        let width = (self.x(end) - self.x(range.start)) as f32;
        width
    }

    fn lines(&self, width: f32) -> Vec<Line> {
        let bidi = BidiInfo::new(self.text, None);
        self.breaks(width).into_iter().map(|range| self.line(&bidi, range)).collect()
    }

    /// Where the lines begin and end.
    fn breaks(&self, width: f32) -> Vec<Range<usize>> {
        let mut lines = Vec::new();
        let (mut start, mut fits) = (0, 0);
        for (end, _) in linebreaks(self.text) {
            while self.width(start..end) > width {
                // The part before fits; if there is none, as many characters as do, and one at the least.
                let cut = if fits > start { fits } else { self.cut(start, width) };
                if cut >= end {
                    break;
                }
                lines.push(start..cut);
                start = cut;
            }
            fits = end;
        }
        if start < self.text.len() || self.text.is_empty() {
            lines.push(start..self.text.len());
        }
        lines
    }

    /// How far a line reaches that begins at `start`, broken between any two characters.
    fn cut(&self, start: usize, width: f32) -> usize {
        let limit = self.x(start) + f64::from(width);
        let first = self.clusters.partition_point(|cluster| cluster.start <= start);
        let beyond = self.clusters.partition_point(|cluster| cluster.x <= limit);
        let cut = beyond.saturating_sub(1).max(first);
        self.clusters.get(cut).map_or(self.text.len(), |cluster| cluster.start)
    }

    fn line(&self, bidi: &BidiInfo<'_>, range: Range<usize>) -> Line {
        let mut line = Line::default();
        let Some(paragraph) = bidi.paragraphs.iter().find(|p| p.range.start <= range.start) else {
            return line;
        };
        line.leftwards = paragraph.level.is_rtl();
        // One space stays where a line ends, for those who read the file's text; on the left it would be seen.
        let text = self.text[range.clone()].trim_end();
        let space =
            usize::from(!line.leftwards && self.text[range.clone()][text.len()..].starts_with(' '));
        let range = range.start..range.start + text.len() + space;
        if range.is_empty() {
            return line;
        }
        let (levels, runs) = bidi.visual_runs(paragraph, range);
        for run in runs {
            let leftwards = levels.get(run.start).is_some_and(unicode_bidi::Level::is_rtl);
            let mut parts = self.parts(run);
            if leftwards {
                parts.reverse();
            }
            for (range, cluster) in parts {
                let run = self.shape(range, cluster, leftwards);
                line.missing += if cluster.face.is_none() { run.glyphs.len() } else { 0 };
                line.width += run.width;
                line.runs.push(run);
            }
        }
        if space > 0 {
            line.width -= self.fonts.advance(" ", Some(Face::Regular));
        }
        line
    }

    /// Stretches that are set in one face and style.
    fn parts(&self, run: Range<usize>) -> Vec<(Range<usize>, &Cluster)> {
        let mut parts: Vec<(Range<usize>, &Cluster)> = Vec::new();
        // A run may begin within a cluster: what joins two letters can be of another direction than they are.
        let after = self.clusters.partition_point(|cluster| cluster.start <= run.start);
        let first = after.saturating_sub(1);
        for cluster in self.clusters[first..].iter().take_while(|c| c.start < run.end) {
            match parts.last_mut() {
                Some((_, last)) if last.face == cluster.face && last.style == cluster.style => {}
                Some((range, _)) => {
                    range.end = cluster.start;
                    parts.push((cluster.start..run.end, cluster));
                }
                None => parts.push((run.start..run.end, cluster)),
            }
        }
        parts
    }

    fn shape(&self, range: Range<usize>, cluster: &Cluster, leftwards: bool) -> Run {
        let text = &self.text[range];
        let style = cluster.style;
        let Some(face) = cluster.face else {
            let advance = self.fonts.missing_advance();
            let clusters = text.grapheme_indices(true);
            let boxes = clusters.map(|(start, cluster)| Glyph {
                id: 0,
                advance,
                offset: (0.0, 0.0),
                text: start..start + cluster.len(),
            });
            let glyphs: Vec<Glyph> = boxes.collect();
            let width = glyphs.iter().map(|glyph| glyph.advance).sum();
            return Run { text: text.to_owned(), style, face: Face::Regular, glyphs, width };
        };
        let mut buffer = UnicodeBuffer::new();
        buffer.push_str(text);
        buffer.guess_segment_properties();
        buffer.set_direction(if leftwards {
            Direction::RightToLeft
        } else {
            Direction::LeftToRight
        });
        let shaped = self.fonts.shaper(face).shape(buffer, ShapeOptions::new());
        let em = self.fonts.units(face);
        let infos = shaped.glyph_infos();
        let mut starts: Vec<usize> = infos.iter().map(|info| info.cluster as usize).collect();
        starts.sort_unstable();
        starts.dedup();
        let placed = infos.iter().zip(shaped.glyph_positions());
        let glyphs = placed.map(|(info, place)| {
            let start = info.cluster as usize;
            let next = starts.partition_point(|other| *other <= start);
            Glyph {
                id: info.glyph_id,
                advance: units(place.x_advance) / em,
                offset: (units(place.x_offset) / em, units(place.y_offset) / em),
                text: start..starts.get(next).copied().unwrap_or(text.len()),
            }
        });
        let glyphs: Vec<Glyph> = glyphs.collect();
        let width = glyphs.iter().map(|glyph| glyph.advance).sum();
        Run { text: text.to_owned(), style, face, glyphs, width }
    }
}

/// One line, its runs from left to right.
#[derive(Debug, Clone, Default)]
pub(super) struct Line {
    pub(super) runs: Vec<Run>,
    /// In sizes of the font.
    pub(super) width: f32,
    /// Its paragraph is read from right to left.
    pub(super) leftwards: bool,
    /// Characters that are drawn as boxes.
    pub(super) missing: usize,
}

/// A stretch of one face and style.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) text: String,
    pub(super) style: Style,
    pub(super) face: Face,
    pub(super) glyphs: Vec<Glyph>,
    /// In sizes of the font.
    pub(super) width: f32,
}

/// A shape in a line, measured in sizes of the font.
#[derive(Debug, Clone)]
pub(super) struct Glyph {
    pub(super) id: u32,
    pub(super) advance: f32,
    pub(super) offset: (f32, f32),
    /// What it stands for, in bytes of the run's text.
    pub(super) text: Range<usize>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn squeezed(text: &str) -> String {
        text.chars().filter(|c| !c.is_whitespace() && !c.is_control()).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

        // In whatever script, with whatever marks of direction, and in a column as narrow as one likes.
        #[test]
        fn no_character_is_lost_between_two_lines(text in "(?s).{0,120}|[a-zא-ת一-龥ا-ي👩‍🚀e\u{301}\u{202e} ]{0,200}", width in 0.0_f32..60.0) {
            let fonts = Fonts::get().unwrap();
            let rich = Rich::of(&text, Style::default());
            let broken = rich.broken(fonts, width).concat();
            prop_assert_eq!(squeezed(&broken), squeezed(&text));
            // What is drawn is what was broken: each run has its text, and every part of it a shape.
            let lines = rich.lines(fonts, width);
            let drawn: usize = lines.iter().flat_map(|line| &line.runs).map(|run| squeezed(&run.text).len()).sum();
            prop_assert_eq!(drawn, squeezed(&text).len());
            for run in lines.iter().flat_map(|line| &line.runs) {
                let mut covered: Vec<_> = run.glyphs.iter().map(|glyph| (glyph.text.start, glyph.text.end)).collect();
                covered.sort_unstable();
                covered.dedup();
                prop_assert_eq!(covered.first().map(|first| first.0), Some(0));
                prop_assert_eq!(covered.last().map(|last| last.1), Some(run.text.len()));
                prop_assert!(covered.windows(2).all(|pair| pair[0].1 == pair[1].0), "{:?}", covered);
            }
        }

        #[test]
        fn no_line_is_wider_than_its_column(text in "[a-zA-Z0-9 ,.-]{0,400}", width in 5.0_f32..60.0) {
            let fonts = Fonts::get().unwrap();
            for line in Rich::of(&text, Style::default()).lines(fonts, width) {
                prop_assert!(line.width <= width + 0.1, "{} in {width}", line.width);
            }
        }
    }
}
