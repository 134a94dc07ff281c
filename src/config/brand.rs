//! `[brand]`: the name, the logo and the colour under which people meet the bot.
//!
//! A colour is only taken where people can read it: WCAG 2.2 wants a contrast of 4.5 to 1 between words and what is behind
//! them (<https://www.w3.org/TR/WCAG22/#contrast-minimum>).

use std::{fmt, path::PathBuf, sync::Arc};

use schemars::JsonSchema;
use serde::Deserialize;

/// Least contrast between words and what is behind them.
pub(crate) const READABLE: f64 = 4.5;

/// What the pages have behind most words, and what cards have, in light and in dark surroundings: the least readable of
/// both. The style sheet has the same as `--bg` and `--panel`.
pub(crate) const LIGHT: Colour = Colour(0xf6, 0xf7, 0xf6);
/// See [`LIGHT`].
pub(crate) const DARK: Colour = Colour(0x1a, 0x21, 0x20);

/// `[brand]` as it is written.
///
/// ```toml
/// [brand]
/// name   = "Acme"
/// logo   = "/etc/anteroom/logo.svg"
/// accent = "#0f766e"
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct Written {
    /// What stands at the head of the pages and in the titles of windows.
    #[schemars(length(min = 1, max = 60))]
    pub name: Option<String>,
    /// File with the logo: SVG, PNG or WebP.
    pub logo: Option<PathBuf>,
    /// Colour of links and of the most important button: `#rrggbb`.
    pub accent: Option<String>,
    /// Colour of links and of the most important button in dark surroundings: `#rrggbb`. By default a lighter shade of
    /// `accent`.
    pub accent_dark: Option<String>,
}

/// How the pages look, checked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Brand {
    /// What stands at the head of the pages.
    pub name: String,
    /// The logo, where there is one.
    pub logo: Option<Logo>,
    /// The accent in light and in dark surroundings, where it is not the bot's own.
    pub accents: Option<(Colour, Colour)>,
}

impl Default for Brand {
    fn default() -> Self {
        Self { name: "Anteroom".to_owned(), logo: None, accents: None }
    }
}

/// A picture, as browsers take it.
#[derive(Clone, PartialEq, Eq)]
pub struct Logo {
    /// Its media type.
    pub kind: &'static str,
    /// The file.
    pub bytes: Arc<[u8]>,
}

impl fmt::Debug for Logo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Logo({}, {} bytes)", self.kind, self.bytes.len())
    }
}

impl Logo {
    /// Recognises the kinds of pictures that are taken, by their content.
    pub fn of(bytes: Vec<u8>) -> Option<Self> {
        let is_svg = || String::from_utf8_lossy(&bytes).contains("<svg");
        let kind = match bytes.as_slice() {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ if is_svg() => "image/svg+xml",
            _ => return None,
        };
        Some(Self { kind, bytes: bytes.into() })
    }
}

/// A colour: red, green, blue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Colour(pub u8, pub u8, pub u8);

impl fmt::Display for Colour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }
}

impl Colour {
    const BLACK: Self = Self(0, 0, 0);
    const WHITE: Self = Self(255, 255, 255);

    /// Reads `#rrggbb` or `#rgb`.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.trim().strip_prefix('#')?;
        let byte = |text: &str| u8::from_str_radix(text, 16).ok();
        match digits.len() {
            6 if digits.is_ascii() => {
                Some(Self(byte(&digits[..2])?, byte(&digits[2..4])?, byte(&digits[4..])?))
            }
            3 if digits.is_ascii() => {
                let twice = |n: usize| byte(&digits[n..=n].repeat(2));
                Some(Self(twice(0)?, twice(1)?, twice(2)?))
            }
            _ => None,
        }
    }

    /// So many percent of `other` in it.
    #[must_use]
    pub fn mixed(self, other: Self, percent: u8) -> Self {
        let part = |own: u8, other: u8| {
            let sum = u32::from(own) * u32::from(100 - percent.min(100))
                + u32::from(other) * u32::from(percent.min(100));
            u8::try_from(sum / 100).unwrap_or(u8::MAX)
        };
        Self(part(self.0, other.0), part(self.1, other.1), part(self.2, other.2))
    }

    /// Relative luminance, as WCAG defines it.
    fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let share = f64::from(channel) / 255.0;
            if share <= 0.04045 { share / 12.92 } else { ((share + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }

    /// Contrast with another colour, 1 to 21.
    pub fn contrast(self, other: Self) -> f64 {
        let (one, two) = (self.luminance(), other.luminance());
        (one.max(two) + 0.05) / (one.min(two) + 0.05)
    }

    /// The nearest shade that can be read in light surroundings.
    #[must_use]
    pub(crate) fn readable_on_light(self) -> Self {
        self.until(Self::BLACK, LIGHT, READABLE)
    }

    /// The nearest shade that can be read well in dark surroundings.
    #[must_use]
    pub fn readable_on_dark(self) -> Self {
        self.until(Self::WHITE, DARK, 6.0)
    }

    fn until(self, towards: Self, behind: Self, contrast: f64) -> Self {
        let mut shades = (0..=100).map(|percent| self.mixed(towards, percent));
        shades.find(|shade| shade.contrast(behind) >= contrast).unwrap_or(towards)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contrast_is_what_wcag_says() {
        assert!((Colour::BLACK.contrast(Colour::WHITE) - 21.0).abs() < 0.001);
        // The example everybody knows: the lightest grey that passes on white.
        assert!(Colour(0x76, 0x76, 0x76).contrast(Colour::WHITE) >= READABLE);
        assert!(Colour(0x77, 0x77, 0x77).contrast(Colour::WHITE) < READABLE);
    }

    #[test]
    fn colours_are_read_and_written() {
        assert_eq!(Colour::parse("#0F766e").unwrap().to_string(), "#0f766e");
        assert_eq!(Colour::parse("#1af").unwrap().to_string(), "#11aaff");
        for wrong in ["0f766e", "#0f766", "teal", "#ggg", "#äöü"] {
            assert_eq!(Colour::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn any_colour_has_shades_that_can_be_read() {
        for text in ["#ffd400", "#000000", "#ffffff", "#7f7f7f", "#ff0000", "#00f"] {
            let colour = Colour::parse(text).unwrap();
            assert!(colour.readable_on_light().contrast(LIGHT) >= READABLE, "{text}");
            assert!(colour.readable_on_dark().contrast(DARK) >= READABLE, "{text}");
        }
        let teal = Colour::parse("#0f766e").unwrap();
        assert_eq!(teal.readable_on_light(), teal);
    }
}
