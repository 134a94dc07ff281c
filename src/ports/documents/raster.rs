//! SVG becomes PNG, with nothing from outside: no files, no addresses, no fonts but ours.

use std::sync::{Arc, LazyLock};

use resvg::{
    tiny_skia::{Color, Pixmap, Transform},
    usvg::{ImageHrefResolver, Options, Tree, fontdb::Database},
};

use super::{
    Error,
    fonts::{Face, MONO, SANS},
};

/// Pixels for each of the drawing's, where the picture does not grow too large by it.
const SCALE: f32 = 2.0;

/// Longest side of a picture, in pixels.
const SIDE_MAX: f32 = 4000.0;

/// Most pixels of a picture; each takes four bytes while it is drawn.
const PIXELS_MAX: f32 = 12_000_000.0;

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut database = Database::new();
    for face in Face::ALL {
        database.load_font_data(face.file().to_vec());
    }
    database.set_sans_serif_family(SANS);
    database.set_serif_family(SANS);
    database.set_cursive_family(SANS);
    database.set_fantasy_family(SANS);
    database.set_monospace_family(MONO);
    Arc::new(database)
});

/// Draws an SVG on white.
pub(super) fn png(svg: &str) -> Result<Vec<u8>, Error> {
    let options = Options {
        font_family: SANS.to_owned(),
        fontdb: Arc::clone(&FONTS),
        image_href_resolver: ImageHrefResolver {
            resolve_data: Box::new(|_, _, _| None),
            resolve_string: Box::new(|_, _| None),
        },
        ..Options::default()
    };
    let failed = |error: &dyn std::fmt::Display| Error::Failed(error.to_string());
    let tree = Tree::from_str(svg, &options).map_err(|error| failed(&error))?;
    let (width, height) = (tree.size().width(), tree.size().height());
    let scale = SCALE.min(SIDE_MAX / width.max(height)).min((PIXELS_MAX / (width * height)).sqrt());
    let side = |side: f32| side_in_pixels(side * scale);
    let mut picture = Pixmap::new(side(width), side(height))
        .ok_or_else(|| Error::Failed("the picture has no size".to_owned()))?;
    picture.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| failed(&error))
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "between one and the longest side"
)]
fn side_in_pixels(side: f32) -> u32 {
    side.ceil().clamp(1.0, SIDE_MAX) as u32
}
