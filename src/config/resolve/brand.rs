//! `[brand]`: how the pages look.

use std::{fs, path::Path};

use super::Resolve;
use crate::config::brand::{Brand, Colour, DARK, LIGHT, Logo, READABLE, Written};

/// Largest logo, in bytes: it is fetched with every page that is not in the browser's cache.
const LOGO_MAX: usize = 256 * 1024;

impl Resolve<'_> {
    pub(super) fn brand(&mut self, written: &Written) -> Brand {
        let mut brand = Brand::default();
        if let Some(name) = &written.name {
            if name.trim().is_empty() {
                let hint = "leave `name` out to keep the name of the bot".to_owned();
                self.tell("/brand/name", "the name is empty", Some(hint));
            }
            name.trim().clone_into(&mut brand.name);
        }
        brand.logo = written.logo.as_ref().and_then(|file| self.logo(file));
        brand.accents = self.accents(written);
        brand
    }

    fn logo(&mut self, file: &Path) -> Option<Logo> {
        let hint = "an SVG, PNG or WebP file of at most 256 kB".to_owned();
        let wrong = match fs::read(file) {
            Ok(bytes) if bytes.len() > LOGO_MAX => "is too large".to_owned(),
            Ok(bytes) => match Logo::of(bytes) {
                Some(logo) => return Some(logo),
                None => "is not a picture that browsers can show".to_owned(),
            },
            Err(error) => format!("cannot be read: {error}"),
        };
        self.tell("/brand/logo", format!("`{}` {wrong}", file.display()), Some(hint));
        None
    }

    fn accents(&mut self, written: &Written) -> Option<(Colour, Colour)> {
        let light = self.colour("/brand/accent", written.accent.as_deref());
        let dark = self.colour("/brand/accent_dark", written.accent_dark.as_deref());
        if let Some(light) = light {
            let nearest = light.readable_on_light();
            self.readable("/brand/accent", (light, LIGHT, "light"), nearest);
        }
        if let Some(dark) = dark {
            let nearest = dark.readable_on_dark();
            self.readable("/brand/accent_dark", (dark, DARK, "dark"), nearest);
            if light.is_none() && written.accent.is_none() {
                let hint = "write `accent = \"#rrggbb\"` as well".to_owned();
                self.tell("/brand/accent_dark", "`accent` is missing", Some(hint));
            }
        }
        light.map(|light| (light, dark.unwrap_or_else(|| light.readable_on_dark())))
    }

    fn colour(&mut self, pointer: &str, text: Option<&str>) -> Option<Colour> {
        let text = text?;
        let colour = Colour::parse(text);
        if colour.is_none() {
            let hint = "write it as `#rrggbb`, for example `#0f766e`".to_owned();
            self.tell(pointer, format!("`{text}` is not a colour"), Some(hint));
        }
        colour
    }

    fn readable(
        &mut self,
        pointer: &str,
        (colour, behind, theme): (Colour, Colour, &str),
        nearest: Colour,
    ) {
        let contrast = colour.contrast(behind);
        if contrast < READABLE {
            let message = format!(
                "`{colour}` is hard to read in the {theme} theme: its contrast is {contrast:.1}:1, and {READABLE}:1 is needed"
            );
            self.tell(
                pointer,
                message,
                Some(format!("`{nearest}` is the nearest shade that can be read")),
            );
        }
    }
}
