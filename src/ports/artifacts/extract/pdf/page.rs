//! What is drawn on a page: letters with their places, and which of them a reader can see.

use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, Paint, SoftMask,
    font::{Glyph, GlyphRun},
    hayro_cmap::BfString,
    hayro_syntax::object::{self, Dict, dict::keys},
    kurbo::{Affine, BezPath, Point, Rect, Shape as _},
    pattern::{Pattern, TilingPattern},
};

use super::fonts::Weights;
use super::paint::{Area, Clip, Colour, OPACITY_COVERS, Shape, Spot, Tiles, Tone};
use super::rules::Rules;

/// A letter, or a few that the font draws as one.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Letter {
    pub(super) text: String,
    /// Where it begins and ends, from the left of the page.
    pub(super) left: f64,
    pub(super) right: f64,
    /// Where it stands, from the top of the page.
    pub(super) baseline: f64,
    /// The size of its type.
    pub(super) size: f64,
    /// Equal for the same letter in the same font, and for no other; 0 if its font does not say.
    pub(super) look: u128,
    /// Whether it is bold; `None` if its font does not say.
    pub(super) is_bold: Option<bool>,
}

/// Most letters of a page; a page of a newspaper has a tenth of it.
const LETTERS_MAX: usize = 200_000;

/// Most areas of a page that are looked at for what they cover.
const AREAS_MAX: usize = 4_000;

/// Most patterns of tiles of a page that are looked at; such tiles within tiles are not.
const TILES_MAX: usize = 50;

/// Most lines that are drawn at once and are looked at as borders.
const SEGMENTS_MAX: usize = 500;

/// Sides of a mark before an item, in points, and most of them.
const DOT: std::ops::Range<f64> = 1.5..6.0;
const DOTS_MAX: usize = 500;

/// Smallest type that can be read, in points.
const SIZE_MIN: f64 = 2.0;

/// What lets so little through is invisible.
const OPACITY_MIN: f32 = 0.1;

/// Colours that differ by no more than this in red, green and blue cannot be told apart by a reader.
const CONTRAST_MIN: u8 = 20;

const WHITE: Colour = [255; 3];

/// Collects the letters of one page.
#[derive(Debug)]
pub(super) struct Canvas {
    letters: Vec<Drawn>,
    areas: Vec<Area>,
    /// Whether something is drawn that is not among the areas, and how many patterns of tiles are yet looked at.
    is_partial: bool,
    tiles_left: usize,
    /// The visible part of the page, and what clips leave of it.
    clips: Vec<Clip>,
    groups: Vec<Group>,
    /// Small round or square areas: marks before the items of a list.
    dots: Vec<Rect>,
    rules: Rules,
    weights: Weights,
    /// What the document says instead of what is drawn, within one another.
    spoken: Vec<Option<String>>,
    /// How much of the page pictures take, which may lie on one another; and the page, both in square points.
    pictured: f64,
    page: f64,
    /// Everything that is drawn comes after what was drawn before.
    step: usize,
}

/// What is drawn together.
#[derive(Debug, Clone, Copy)]
struct Group {
    opacity: f32,
    /// It hides what lies beneath as if it were drawn alone.
    is_plain: bool,
}

#[derive(Debug)]
struct Drawn {
    letter: Letter,
    middle: Point,
    colour: Option<Colour>,
    step: usize,
    is_hidden: bool,
}

impl Canvas {
    /// An empty page of this size.
    pub(super) fn new(width: f64, height: f64) -> Self {
        Self {
            letters: Vec::new(),
            areas: Vec::new(),
            is_partial: false,
            tiles_left: TILES_MAX,
            clips: vec![Clip::new(Rect::new(0.0, 0.0, width, height))],
            groups: vec![Group { opacity: 1.0, is_plain: true }],
            dots: Vec::new(),
            rules: Rules::default(),
            weights: Weights::default(),
            spoken: Vec::new(),
            pictured: 0.0,
            page: width * height,
            step: 0,
        }
    }

    /// The letters that can be seen, and whether any were left out. Where almost nothing can be seen but a picture, it is
    /// one of paper with its text laid over it, and that is what there is to read.
    pub(super) fn letters(self) -> (Vec<Letter>, bool) {
        let is_scanned = self.pictured * 2.0 >= self.page;
        let Self { letters, areas, dots, .. } = self;
        let all = letters.len();
        let (seen, hidden): (Vec<Drawn>, Vec<Drawn>) =
            letters.into_iter().partition(|drawn| is_seen(drawn, &areas));
        if is_scanned && seen.len() * 20 < all {
            let readable = hidden.into_iter().filter(|drawn| drawn.letter.size >= SIZE_MIN);
            return (readable.chain(seen).map(|drawn| drawn.letter).collect(), false);
        }
        let left_out = hidden.iter().any(|drawn| !drawn.letter.text.trim().is_empty());
        let mut letters: Vec<Letter> = seen.into_iter().map(|drawn| drawn.letter).collect();
        let bullets: Vec<Letter> =
            dots.into_iter().filter_map(|dot| bullet(dot, &letters)).collect();
        letters.extend(bullets);
        (letters, left_out)
    }

    /// What may be borders of cells.
    pub(super) fn take_rules(&mut self) -> Rules {
        std::mem::take(&mut self.rules)
    }

    /// Notes lines and narrow areas.
    fn rule(&mut self, outline: &BezPath, is_filled: bool) {
        let mut add = |area: Rect| self.rules.add((area.x0, area.y0), (area.x1, area.y1));
        if is_filled {
            add(outline.bounding_box());
        } else if outline.elements().len() <= SEGMENTS_MAX {
            outline.segments().for_each(|segment| add(segment.bounding_box()));
        }
    }

    fn clip(&self) -> Rect {
        self.clips.last().map_or(Rect::ZERO, |clip| clip.bounds)
    }

    /// The area that drawing is clipped to now, with the shapes that cut it off.
    fn clipped(&self) -> Clip {
        self.clips.last().cloned().unwrap_or_else(|| Clip::new(Rect::ZERO))
    }

    fn group(&self) -> Group {
        self.groups.last().copied().unwrap_or(Group { opacity: 1.0, is_plain: true })
    }

    fn cover(&mut self, shape: Option<Shape>, bounds: Rect, tone: Tone) {
        self.step += 1;
        let mut clip = self.clipped();
        clip.bounds = clip.bounds.intersect(bounds);
        let Rect { x0, y0, x1, y1 } = clip.bounds;
        if self.areas.len() < AREAS_MAX && x1 - x0 > 1.0 && y1 - y0 > 1.0 {
            self.areas.push(Area { shape, clip, tone, step: self.step });
        } else {
            self.is_partial = true;
        }
    }

    /// What this paints with, and how much of what lies beneath it shows through.
    fn painted(&mut self, paint: &Paint<'_>) -> (Tone, f32) {
        match paint {
            Paint::Color(colour) => {
                let [red, green, blue, alpha] = colour.to_rgba().to_rgba8();
                (Tone::Plain([red, green, blue]), f32::from(alpha) / 255.0)
            }
            Paint::Pattern(pattern) => match &**pattern {
                Pattern::Shading(shading) => (Tone::Gradient(Box::new(shading.encode())), 1.0),
                Pattern::Tiling(tiling) => (self.tiles(tiling), tiling.opacity),
            },
        }
    }

    /// What one of these tiles looks like.
    fn tiles(&mut self, tiling: &TilingPattern<'_>) -> Tone {
        let Some(left) = self.tiles_left.checked_sub(1) else { return Tone::Mixed };
        self.tiles_left = left;
        // It may be drawn first anywhere, also beside the page.
        let mut tile = Self {
            clips: vec![Clip::new(Rect::new(-FAR, -FAR, FAR, FAR))],
            tiles_left: 0,
            ..Self::new(0.0, 0.0)
        };
        if tiling.interpret(&mut tile, tiling.matrix, false).is_none() {
            return Tone::Mixed;
        }
        Tone::Tiles(Box::new(Tiles {
            is_partial: tile.is_partial || !tile.letters.is_empty(),
            areas: tile.areas,
            place: tiling.matrix,
            bounds: tiling.bbox,
            step: (tiling.x_step.into(), tiling.y_step.into()),
        }))
    }

    /// What a glyph says whose font gives it no letter: most are letters that are drawn as one, and the document says
    /// which. A longer text than that of one glyph is not believed, since nobody sees it.
    fn spoken(&mut self) -> Option<String> {
        let is_one = |text: &String| {
            (1..=LIGATURE_MAX).contains(&text.chars().count())
                && text.chars().all(char::is_alphabetic)
        };
        self.spoken.iter_mut().rev().find(|text| text.is_some())?.take().filter(is_one)
    }

    fn draw(&mut self, text: String, place: Affine, advance: f64, ink: &Ink<'_>) {
        let origin = place * Point::ZERO;
        let end = place * Point::new(advance, 0.0);
        let top = place * Point::new(0.0, EM);
        let middle = place * Point::new(advance / 2.0, EM / 4.0);
        let size = (top - origin).hypot();
        let is_sound = [origin.x, origin.y, end.x, end.y, size].iter().all(|n| n.is_finite());
        if !is_sound || self.letters.len() >= LETTERS_MAX {
            return;
        }
        // What is set upright along an edge belongs to no line; it is kept out of the others' way.
        let is_level =
            (end - origin).hypot() < 1e-6 || (end.y - origin.y).abs() <= (end.x - origin.x).abs();
        let is_hidden = ink.is_hidden
            || size < SIZE_MIN
            || !self.clip().contains(middle)
            || !is_level && text.trim().is_empty();
        let (left, right) = (origin.x.min(end.x), origin.x.max(end.x));
        let letter = Letter {
            text,
            left,
            right,
            baseline: origin.y,
            size,
            look: ink.look,
            is_bold: ink.is_bold,
        };
        let step = self.step;
        let (is_clear, colour) = match ink.tone.at(middle) {
            Spot::Colour(colour) => (false, Some(colour)),
            Spot::Unknown => (false, None),
            Spot::Clear => (true, None),
        };
        let is_hidden = is_hidden || is_clear;
        self.letters.push(Drawn { letter, middle, colour, step, is_hidden });
    }
}

/// A drawn mark as the letter that it stands for, in the line of the letter that begins right after it.
fn bullet(dot: Rect, letters: &[Letter]) -> Option<Letter> {
    let middle = dot.center();
    let is_of = |letter: &&Letter| {
        let height = (letter.baseline - letter.size * 0.25 - middle.y).abs();
        let gap = letter.left - dot.x1;
        height < letter.size * 0.25 && gap > 0.0 && gap < letter.size * 3.0
    };
    let first =
        letters.iter().filter(is_of).min_by(|one, other| one.left.total_cmp(&other.left))?;
    let is_in_line = |letter: &Letter| {
        (letter.baseline - first.baseline).abs() < 1.0
            && letter.right <= dot.x1
            && letter.right > dot.x0 - first.size
    };
    let stands_alone = !letters.iter().any(is_in_line);
    let Letter { baseline, size, .. } = *first;
    let (text, left, right) = ("•".to_owned(), dot.x0, dot.x1);
    let bullet = Letter { text, left, right, baseline, size, look: 0, is_bold: None };
    stands_alone.then_some(bullet)
}

/// Whether a letter stands out from what lies under it, and nothing lies over it.
fn is_seen(drawn: &Drawn, areas: &[Area]) -> bool {
    if drawn.is_hidden {
        return false;
    }
    let mut ground = Some(WHITE);
    for area in areas {
        let spot = area.at(drawn.middle);
        if spot == Spot::Clear {
            continue;
        }
        if area.step > drawn.step {
            return false;
        }
        ground = if let Spot::Colour(colour) = spot { Some(colour) } else { None };
    }
    let (Some(ground), Some(colour)) = (ground, drawn.colour) else { return true };
    ground.iter().zip(colour).any(|(one, other)| one.abs_diff(other) > CONTRAST_MIN)
}

/// A letter that its font gives no name.
pub(super) const UNKNOWN: &str = "\u{fffd}";

/// Most letters that are drawn as one.
const LIGATURE_MAX: usize = 4;

/// Whether a letter means what its font says, and nothing elsewhere.
pub(super) fn is_private(letter: char) -> bool {
    matches!(letter, '\u{e000}'..='\u{f8ff}')
}

/// A text that stands in the document itself: in UTF-16 with its mark before it, or of single bytes.
fn decoded(bytes: &[u8]) -> String {
    match bytes.strip_prefix(&[0xfe, 0xff]) {
        Some(wide) => {
            let units = wide.chunks_exact(2).map(|unit| u16::from_be_bytes([unit[0], unit[1]]));
            char::decode_utf16(units).map(|letter| letter.unwrap_or('\u{fffd}')).collect()
        }
        None => bytes.iter().copied().map(char::from).collect(),
    }
}

/// How letters are painted.
#[derive(Debug)]
struct Ink<'a> {
    tone: &'a Tone,
    is_hidden: bool,
    look: u128,
    is_bold: Option<bool>,
}

/// Farther from the page than anything of it, in points.
const FAR: f64 = 1e6;

/// Units of a font in the height of its type.
const EM: f64 = 1000.0;

impl<'a> Device<'a> for Canvas {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        let filled = match mode {
            DrawMode::Fill(rule) | DrawMode::FillAndStroke(rule, _) => Some(*rule),
            DrawMode::Stroke(_) | DrawMode::Invisible => None,
        };
        self.rule(&(props.transform * path.clone()), filled.is_some());
        let (tone, alpha) = self.painted(&props.paint);
        let Group { opacity, is_plain } = self.group();
        let covers = alpha * opacity >= OPACITY_COVERS
            && is_plain
            && props.soft_mask.is_none()
            && props.blend_mode == BlendMode::Normal;
        if let Some(rule) = filled.filter(|_| covers) {
            let outline = props.transform * path.clone();
            let bounds = outline.bounding_box();
            let is_dot = [bounds.width(), bounds.height()].iter().all(|side| DOT.contains(side))
                && (bounds.width() - bounds.height()).abs() < 1.0;
            if is_dot && self.dots.len() < DOTS_MAX {
                self.dots.push(bounds);
            }
            self.cover(Shape::of(outline, rule), bounds, tone);
        } else {
            self.is_partial = true;
        }
    }

    fn push_clip_path(&mut self, clip: &ClipPath) {
        self.clips.push(self.clipped().within(&clip.path, clip.fill));
    }

    fn pop_clip(&mut self) {
        if self.clips.len() > 1 {
            self.clips.pop();
        }
    }

    fn push_transparency_group(
        &mut self,
        opacity: f32,
        mask: Option<SoftMask<'a>>,
        blend_mode: BlendMode,
    ) {
        let around = self.group();
        let is_plain = around.is_plain && mask.is_none() && blend_mode == BlendMode::Normal;
        self.groups.push(Group { opacity: around.opacity * opacity, is_plain });
    }

    fn pop_transparency_group(&mut self) {
        if self.groups.len() > 1 {
            self.groups.pop();
        }
    }

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, mode: &DrawMode) {
        self.step += 1;
        let (tone, alpha) = self.painted(&props.paint);
        let is_hidden =
            matches!(mode, DrawMode::Invisible) || alpha * self.group().opacity < OPACITY_MIN;
        for glyph in run.glyphs() {
            let text = match glyph.as_unicode() {
                Some(BfString::Char(letter)) if !is_private(letter) => Some(letter.to_string()),
                Some(BfString::String(letters)) => Some(letters),
                Some(BfString::Char(letter)) => self.spoken().or_else(|| Some(letter.to_string())),
                None => self.spoken(),
            };
            // A font that does not say what it draws is left for the marks before items.
            let text = text.unwrap_or_else(|| UNKNOWN.to_owned());
            let (advance, look, is_bold) = match &**glyph {
                Glyph::Outline(outline) => {
                    let look = outline.identifier().cache_key();
                    (outline.advance_width(), look, self.weights.is_bold(outline, look))
                }
                Glyph::Type3(drawn) => (drawn.advance_width(), 0, None),
            };
            let advance = f64::from(advance.unwrap_or(500.0));
            let ink = Ink { tone: &tone, is_hidden, look, is_bold };
            self.draw(text, props.transform * glyph.transform(), advance, &ink);
        }
    }

    fn begin_marked_content(&mut self, _: &[u8], properties: Option<&Dict<'_>>) {
        let text = properties.and_then(|of| of.get::<object::String<'_>>(keys::ACTUAL_TEXT));
        self.spoken.push(text.map(|text| decoded(text.as_bytes())));
    }

    fn end_marked_content(&mut self) {
        self.spoken.pop();
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        let unit = Rect::new(0.0, 0.0, f64::from(image.width()), f64::from(image.height()));
        let bounds = (props.transform * unit.to_path(0.1)).bounding_box();
        let page = self.clips.first().map_or(bounds, |clip| clip.bounds);
        self.pictured += bounds.intersect(page).area();
        let Image::Raster(raster) = &image else {
            self.is_partial = true;
            return;
        };
        let Group { opacity, is_plain } = self.group();
        let dict = raster.stream().dict();
        let has_holes = ["SMask", "Mask"].iter().any(|key| dict.contains_key(key));
        if opacity >= OPACITY_COVERS && is_plain && !has_holes {
            self.cover(None, bounds, Tone::Mixed);
        } else {
            self.is_partial = true;
        }
    }
}
