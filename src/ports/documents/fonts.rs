//! The faces that everything is set in, and what they have shapes for.

use std::sync::LazyLock;

use harfrust::{Shaper, ShaperData};
use skrifa::{
    FontRef, GlyphId, MetadataProvider as _,
    charmap::Charmap,
    instance::{LocationRef, Size},
    metrics::GlyphMetrics,
};
use unicode_segmentation::UnicodeSegmentation as _;

use super::Error;

/// One of the built-in faces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Face {
    Regular,
    Bold,
    Oblique,
    Mono,
}

impl Face {
    pub(super) const ALL: [Self; 4] = [Self::Regular, Self::Bold, Self::Oblique, Self::Mono];

    /// The font file. See `manifests/fonts/LICENSE.txt` for where they are from.
    pub(super) const fn file(self) -> &'static [u8] {
        match self {
            Self::Regular => include_bytes!("../../../manifests/fonts/DejaVuSans.ttf"),
            Self::Bold => include_bytes!("../../../manifests/fonts/DejaVuSans-Bold.ttf"),
            Self::Oblique => include_bytes!("../../../manifests/fonts/DejaVuSans-Oblique.ttf"),
            Self::Mono => include_bytes!("../../../manifests/fonts/DejaVuSansMono.ttf"),
        }
    }
}

/// The families as SVG names them.
pub(super) const SANS: &str = "DejaVu Sans";
pub(super) const MONO: &str = "DejaVu Sans Mono";

/// The faces, parsed once.
pub(super) struct Fonts {
    faces: Vec<Parsed>,
}

/// What a font file says.
struct Parsed {
    font: FontRef<'static>,
    shaping: ShaperData,
    characters: Charmap<'static>,
    widths: GlyphMetrics<'static>,
    /// Units of its drawing in one size of it.
    units: f32,
}

impl Parsed {
    fn of(face: Face) -> Option<Self> {
        let font = FontRef::new(face.file()).ok()?;
        let metrics = font.metrics(Size::unscaled(), LocationRef::default());
        Some(Self {
            shaping: ShaperData::new(&font),
            characters: font.charmap(),
            widths: font.glyph_metrics(Size::unscaled(), LocationRef::default()),
            units: f32::from(metrics.units_per_em).max(1.0),
            font,
        })
    }
}

static FONTS: LazyLock<Option<Fonts>> = LazyLock::new(|| {
    let faces = Face::ALL.into_iter().map(Parsed::of);
    Some(Fonts { faces: faces.collect::<Option<_>>()? })
});

impl Fonts {
    pub(super) fn get() -> Result<&'static Self, Error> {
        FONTS.as_ref().ok_or_else(|| Error::Failed("a built-in font is damaged".to_owned()))
    }

    fn parsed(&self, face: Face) -> &Parsed {
        // One for each of `Face::ALL`, in its order.
        &self.faces[face as usize]
    }

    pub(super) fn shaper(&self, face: Face) -> Shaper<'_> {
        let Parsed { shaping, font, .. } = self.parsed(face);
        shaping.shaper(font).build()
    }

    /// The face to set a character in as people see it, if any has all of its parts: the wanted one, else another.
    pub(super) fn face_for(&self, cluster: &str, wanted: Face) -> Option<Face> {
        let candidates = [wanted, Face::Regular, Face::Mono];
        candidates.into_iter().find(|face| cluster.chars().all(|c| self.has(*face, c)))
    }

    fn has(&self, face: Face, c: char) -> bool {
        is_invisible(c) || self.glyph(face, c).is_some()
    }

    fn glyph(&self, face: Face, c: char) -> Option<GlyphId> {
        self.parsed(face).characters.map(c)
    }

    /// How far a cluster moves the pen, in sizes of the font, before neighbours are drawn nearer to one another.
    pub(super) fn advance(&self, cluster: &str, face: Option<Face>) -> f32 {
        let Some(face) = face else { return self.missing_advance() };
        let widths = &self.parsed(face).widths;
        let visible = cluster.chars().filter(|c| !is_invisible(*c));
        let glyphs = visible.filter_map(|c| widths.advance_width(self.glyph(face, c)?));
        glyphs.sum::<f32>() / self.units(face)
    }

    /// The box for what no face has.
    pub(super) fn missing_advance(&self) -> f32 {
        let width = self.parsed(Face::Regular).widths.advance_width(GlyphId::NOTDEF);
        width.map_or(0.6, |width| width / self.units(Face::Regular))
    }

    /// Units of the face's drawing in one size of it.
    pub(super) fn units(&self, face: Face) -> f32 {
        self.parsed(face).units
    }

    /// Width of a text on one line, in sizes of the font.
    pub(super) fn width(&self, text: &str, wanted: Face) -> f32 {
        let clusters = text.graphemes(true);
        clusters.map(|cluster| self.advance(cluster, self.face_for(cluster, wanted))).sum()
    }
}

/// A number of a font's units; they fit sixteen bits.
pub(super) fn units(n: i32) -> f32 {
    f32::from(i16::try_from(n).unwrap_or(i16::MAX))
}

/// Characters that only steer how others are drawn: joiners, selectors, marks of direction, soft hyphens.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
        | '\u{e0000}'..='\u{e0fff}')
}
