//! Colours of what is drawn: one, a gradient that has another at each place, or tiles.

use std::rc::Rc;

use hayro_interpret::{
    FillRule,
    encode::EncodedShadingPattern,
    kurbo::{Affine, BezPath, Point, Rect, Shape as _},
};

/// Red, green and blue.
pub(super) type Colour = [u8; 3];

/// From here on a paint covers what lies beneath it.
pub(super) const OPACITY_COVERS: f32 = 0.9;

/// What something is painted with.
#[derive(Debug)]
pub(super) enum Tone {
    /// One colour everywhere.
    Plain(Colour),
    /// A gradient, which a page may have for its ground: half of it in one colour and half in another.
    Gradient(Box<EncodedShadingPattern>),
    /// A drawing that is repeated; some programs have one for the ground of each page.
    Tiles(Box<Tiles>),
    /// A picture, or too many tiles.
    Mixed,
}

/// One tile, where it is drawn first.
#[derive(Debug)]
pub(super) struct Tiles {
    pub(super) areas: Vec<Area>,
    /// Whether something is drawn that is not among the areas.
    pub(super) is_partial: bool,
    pub(super) place: Affine,
    pub(super) bounds: Rect,
    /// From one tile to the next, in its own measure.
    pub(super) step: (f64, f64),
}

impl Tiles {
    fn at(&self, place: Point) -> Spot {
        let own = self.place.inverse() * place;
        let (left, top) = (self.bounds.x0, self.bounds.y0);
        let first = Point::new(
            left + (own.x - left).rem_euclid(self.step.0.abs()),
            top + (own.y - top).rem_euclid(self.step.1.abs()),
        );
        let beneath = if self.is_partial { Spot::Unknown } else { Spot::Clear };
        let place = self.place * first;
        let spots = self.areas.iter().rev().map(|area| area.at(place));
        spots.into_iter().find(|spot| *spot != Spot::Clear).unwrap_or(beneath)
    }
}

/// Most lines and curves of a path whose outline counts; for others the box around them does.
const OUTLINE_MAX: usize = 64;

/// What a path encloses: a border may be a path around another one, with nothing within.
#[derive(Debug)]
pub(super) struct Shape {
    outline: BezPath,
    rule: FillRule,
}

impl Shape {
    /// None where the box around it has to do.
    pub(super) fn of(outline: BezPath, rule: FillRule) -> Option<Self> {
        (outline.elements().len() <= OUTLINE_MAX).then_some(Self { outline, rule })
    }

    fn holds(&self, place: Point) -> bool {
        let windings = self.outline.winding(place);
        match self.rule {
            FillRule::NonZero => windings != 0,
            FillRule::EvenOdd => windings % 2 != 0,
        }
    }
}

/// Most shapes that are looked at for what they leave of one area.
const SHAPES_MAX: usize = 8;

/// What is left of the page where something is drawn.
#[derive(Debug, Clone)]
pub(super) struct Clip {
    pub(super) bounds: Rect,
    shapes: Vec<Rc<Shape>>,
}

impl Clip {
    /// A part of the page that is a box.
    pub(super) fn new(bounds: Rect) -> Self {
        Self { bounds, shapes: Vec::new() }
    }

    /// What a path leaves of it.
    pub(super) fn within(&self, path: &BezPath, rule: FillRule) -> Self {
        let mut left = self.clone();
        left.bounds = left.bounds.intersect(path.bounding_box());
        if left.shapes.len() < SHAPES_MAX {
            left.shapes.extend(Shape::of(path.clone(), rule).map(Rc::new));
        }
        left
    }
}

/// Something that covers what was drawn before it.
#[derive(Debug)]
pub(super) struct Area {
    /// None where the box around it counts.
    pub(super) shape: Option<Shape>,
    /// Where it is cut off.
    pub(super) clip: Clip,
    pub(super) tone: Tone,
    /// What is drawn later has a higher one.
    pub(super) step: usize,
}

impl Area {
    /// What it leaves at this place of the page.
    pub(super) fn at(&self, place: Point) -> Spot {
        let is_inside = self.clip.bounds.contains(place)
            && self.shape.as_ref().is_none_or(|shape| shape.holds(place))
            && self.clip.shapes.iter().all(|shape| shape.holds(place));
        if is_inside { self.tone.at(place) } else { Spot::Clear }
    }
}

/// What a paint leaves at one place.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spot {
    Colour(Colour),
    /// Something, but nobody knows in which colour.
    Unknown,
    /// Nothing: what lies beneath is seen.
    Clear,
}

impl Tone {
    /// What it leaves at this place of the page.
    pub(super) fn at(&self, place: Point) -> Spot {
        match self {
            Self::Plain(colour) => Spot::Colour(*colour),
            Self::Mixed => Spot::Unknown,
            Self::Tiles(tiles) => tiles.at(place),
            Self::Gradient(gradient) => {
                let [red, green, blue, alpha] = gradient
                    .sample(gradient.base_transform * place)
                    .map(|part| part.clamp(0.0, 1.0));
                if alpha < OPACITY_COVERS {
                    return Spot::Clear;
                }
                Spot::Colour([red, green, blue].map(byte))
            }
        }
    }
}

/// A part of a colour between 0 and 1 as the byte that stands for it.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 0 and 255")]
fn byte(part: f32) -> u8 {
    (part * 255.0).round() as u8
}
