//! What fonts say of their own letters.

use std::collections::BTreeMap;

use hayro_interpret::font::OutlineGlyph;

/// From this weight on a font is bold.
const BOLD: u32 = 600;

/// What names of fonts say of bold ones.
const BOLD_NAMES: [&str; 4] = ["bold", "black", "heavy", "demi"];

/// Which letters are bold, by how they look, so that each font is asked once for a letter.
#[derive(Debug, Default)]
pub(super) struct Weights(BTreeMap<u128, Option<bool>>);

impl Weights {
    /// Whether a letter is bold; nothing where its font does not say.
    pub(super) fn is_bold(&mut self, glyph: &OutlineGlyph, look: u128) -> Option<bool> {
        *self.0.entry(look).or_insert_with(|| {
            let font = glyph.font_data()?;
            let name = font.postscript_name.unwrap_or_default().to_lowercase();
            let says = BOLD_NAMES.iter().any(|bold| name.contains(bold));
            Some(says || font.weight.is_some_and(|weight| weight >= BOLD))
        })
    }
}
