//! Pages become a PDF: text that can be selected, fonts of only the shapes in use, the title and language of it.

use krilla::{
    Document,
    color::rgb,
    geom::{PathBuilder, Point, Rect},
    metadata::{DateTime, Metadata},
    num::NormalizedF32,
    page::PageSettings,
    paint::{Fill, FillRule},
    surface::Surface,
    text::{Font, GlyphId, KrillaGlyph},
};

use chrono::{Datelike as _, Timelike as _};

use super::{
    Error, Paper,
    fonts::Face,
    lines::{Ink, Run},
    pages::{self, HEIGHT, Mark, Shade, Sheet, WIDTH},
};

/// Writes a paper as PDF.
pub(super) fn write(paper: &Paper) -> Result<Vec<u8>, Error> {
    let sheets = pages::lay_out(paper)?;
    let fonts = Face::ALL.map(|face| Font::new(face.file().into(), 0));
    let mut document = Document::new();
    document.set_metadata(metadata(paper));
    for sheet in &sheets {
        let Some(settings) = PageSettings::from_wh(WIDTH, HEIGHT) else {
            return Err(Error::Failed("a page has no size".to_owned()));
        };
        let mut page = document.start_page_with(settings);
        let mut surface = page.surface();
        draw(sheet, &mut surface, &fonts);
        surface.finish();
        page.finish();
    }
    document.finish().map_err(|error| Error::Failed(format!("{error:?}")))
}

fn metadata(paper: &Paper) -> Metadata {
    let at = paper.made_at;
    let made = DateTime::new(u16::try_from(at.year()).unwrap_or_default())
        .month(u8::try_from(at.month()).unwrap_or(1))
        .day(u8::try_from(at.day()).unwrap_or(1))
        .hour(u8::try_from(at.hour()).unwrap_or_default())
        .minute(u8::try_from(at.minute()).unwrap_or_default())
        .second(u8::try_from(at.second()).unwrap_or_default())
        .utc_offset_hour(0);
    Metadata::new()
        .title(paper.title.clone())
        .language(paper.lang.clone())
        .creator("Anteroom".to_owned())
        .creation_date(made)
}

fn draw(sheet: &Sheet, surface: &mut Surface<'_>, fonts: &[Option<Font>; 4]) {
    // What is filled first lies below.
    for mark in &sheet.marks {
        if let Mark::Bar { x, y, width, height, shade } = mark {
            let mut path = PathBuilder::new();
            if let Some(rect) = Rect::from_xywh(*x, *y, *width, *height) {
                path.push_rect(rect);
            }
            if let Some(path) = path.finish() {
                surface.set_fill(Some(fill(shade_of(*shade))));
                surface.draw_path(&path);
            }
        }
    }
    for mark in &sheet.marks {
        if let Mark::Text { x, y, size, run } = mark
            && let Some(font) = fonts[run.face as usize].clone()
        {
            surface.set_fill(Some(fill(ink_of(run.style.ink))));
            surface.draw_glyphs(
                Point::from_xy(*x, *y),
                &glyphs(run),
                font,
                &run.text,
                *size,
                false,
            );
        }
    }
}

fn glyphs(run: &Run) -> Vec<KrillaGlyph> {
    let glyphs = run.glyphs.iter().map(|glyph| {
        let (x, y) = glyph.offset;
        KrillaGlyph::new(GlyphId::new(glyph.id), glyph.advance, x, y, 0.0, glyph.text.clone(), None)
    });
    glyphs.collect()
}

fn fill(colour: rgb::Color) -> Fill {
    Fill { paint: colour.into(), opacity: NormalizedF32::ONE, rule: FillRule::default() }
}

fn ink_of(ink: Ink) -> rgb::Color {
    match ink {
        Ink::Black => rgb::Color::new(0x1d, 0x1c, 0x1d),
        Ink::Grey => rgb::Color::new(0x61, 0x60, 0x61),
        Ink::Blue => rgb::Color::new(0x12, 0x54, 0x9e),
    }
}

fn shade_of(shade: Shade) -> rgb::Color {
    match shade {
        Shade::Pale => rgb::Color::new(0xf2, 0xf2, 0xf4),
        Shade::Line => rgb::Color::new(0xc4, 0xc4, 0xca),
        Shade::Black => rgb::Color::new(0x1d, 0x1c, 0x1d),
    }
}
