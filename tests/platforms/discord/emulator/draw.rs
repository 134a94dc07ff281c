//! What a person sees, as text.
//!
//! `[Label]` is a button (`[+ Label]` the primary one, `[✓ Label]` one that agrees, `[! Label]` a dangerous one,
//! `[Label ↗]` one that leads elsewhere, `[Label (off)]` one that cannot be pressed), `{A | [B]}` a menu with the picked in brackets, `(A | [B])` radio buttons,
//! `<A | [B]>` checkboxes, `_____` an input, `*` after its label: it must be filled in.

use std::fmt::Write as _;

use serde_json::Value;

/// A message: its words, or its components.
pub(crate) fn message(body: &Value) -> String {
    let mut out = body["content"].as_str().unwrap_or_default().to_owned();
    if !out.is_empty() {
        out.push('\n');
    }
    for component in body["components"].as_array().into_iter().flatten() {
        draw(&mut out, component, "");
    }
    out
}

/// A form.
pub(crate) fn modal(modal: &Value) -> String {
    let mut out = format!("╔ {}\n", modal["title"].as_str().unwrap_or_default());
    for component in modal["components"].as_array().into_iter().flatten() {
        draw(&mut out, component, "║ ");
    }
    out.push_str("╚ [Cancel] [Submit]\n");
    out
}

fn draw(out: &mut String, component: &Value, margin: &str) {
    let inner = || component["components"].as_array().into_iter().flatten();
    match component["type"].as_u64().unwrap_or(0) {
        1 => {
            let row: Vec<String> = inner().map(control).collect();
            writeln!(out, "{margin}{}", row.join(" ")).unwrap();
        }
        9 => {
            for text in inner() {
                draw(out, text, margin);
            }
            let kept = out.trim_end().len();
            out.truncate(kept);
            writeln!(out, " ⟶ {}", control(&component["accessory"])).unwrap();
        }
        10 => {
            for line in component["content"].as_str().unwrap_or_default().lines() {
                writeln!(out, "{margin}{line}").unwrap();
            }
        }
        12 => {
            for item in component["items"].as_array().into_iter().flatten() {
                writeln!(out, "{margin}{}", picture(item)).unwrap();
            }
        }
        14 => writeln!(out, "{margin}———").unwrap(),
        17 => {
            let bar = match component["accent_color"].as_u64() {
                Some(0x58_65_F2) => "┃ ",
                Some(0x24_80_46) => "┃✓ ",
                Some(0xDA_37_3C) => "┃! ",
                _ => "┃  ",
            };
            for child in inner() {
                draw(out, child, &format!("{margin}{bar}"));
            }
        }
        18 => {
            let input = &component["component"];
            let must = if input["required"] == true { "*" } else { "" };
            let label = component["label"].as_str().unwrap_or_default();
            writeln!(out, "{margin}{label}{must}: {}", control(input)).unwrap();
            if let Some(description) = component["description"].as_str() {
                writeln!(out, "{margin}  · {description}").unwrap();
            }
        }
        other => writeln!(out, "{margin}?{other}").unwrap(),
    }
}

fn picture(item: &Value) -> String {
    format!("🖼 {}", item["description"].as_str().unwrap_or("?"))
}

fn control(component: &Value) -> String {
    let label = component["label"].as_str().unwrap_or_default();
    match component["type"].as_u64().unwrap_or(0) {
        2 if component["disabled"] == true => format!("[{label} (off)]"),
        2 => match component["style"].as_u64() {
            Some(1) => format!("[+ {label}]"),
            Some(3) => format!("[✓ {label}]"),
            Some(4) => format!("[! {label}]"),
            Some(5) => format!("[{label} ↗]"),
            _ => format!("[{label}]"),
        },
        3 => {
            let (min, max) = (&component["min_values"], &component["max_values"]);
            let words = component["placeholder"].as_str().unwrap_or_default();
            let count = if max == 1 { String::new() } else { format!(" {min}-{max}") };
            format!("{{{words}{count}: {}}}", options(component))
        }
        4 => {
            let style = if component["style"] == 2 { "¶" } else { "" };
            let value = component["value"].as_str().unwrap_or_default();
            let words = component["placeholder"].as_str().map(|words| format!("({words})"));
            let shown = if value.is_empty() {
                words.unwrap_or_default()
            } else {
                value.replace('\n', "⏎")
            };
            format!("_{style}{shown}_")
        }
        11 => picture(component),
        19 => {
            let kinds: Vec<&str> = component["file_types"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
                .collect();
            format!(
                "[files: {}-{} {}]",
                component["min_values"],
                component["max_values"],
                kinds.join(" ")
            )
        }
        21 => format!("({})", options(component)),
        22 => format!("<{}>", options(component)),
        other => format!("?{other}"),
    }
}

fn options(component: &Value) -> String {
    let draw = |option: &Value| {
        let label = option["label"].as_str().unwrap_or_default();
        let more = option["description"].as_str().map(|more| format!(" – {more}"));
        let text = format!("{label}{}", more.unwrap_or_default());
        if option["default"] == true { format!("[{text}]") } else { text }
    };
    let options = component["options"].as_array().into_iter().flatten().map(draw);
    options.collect::<Vec<_>>().join(" | ")
}
