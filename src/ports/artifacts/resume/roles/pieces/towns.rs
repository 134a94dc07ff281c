//! Towns that only the part of their country tells which stands behind them: `Acme Mills, Port Allen, LA`.

use super::{Kind, Named, folded, is_form, kind, place, words};

/// Most words of the name of a town.
const TOWN_MAX: usize = 4;

/// Where a town begins among the parts between commas, if it stands before its region and a name that can be the firm
/// stands before it: `Port Allen` is no harbour there.
pub(super) fn before_region(parts: &[&str]) -> Option<usize> {
    let [.., firm, town, region] = parts else { return None };
    let is_firm = match kind(firm) {
        Kind::Firm | Kind::Unknown => firm.starts_with(char::is_uppercase),
        Kind::Title | Kind::Place => is_form(firm),
    };
    let is_one = is_firm && place::is_part(region) && !is_form(region) && is_town(town);
    is_one.then(|| parts.len() - 2)
}

/// Words that many towns begin with, and firms hardly.
const BEGINS: [&str; 5] = ["port", "puerto", "fort", "mission", "castle"];

fn begins_as_town(text: &str) -> bool {
    text.split_once(' ').is_some_and(|(first, _)| BEGINS.contains(&folded(first).as_str()))
}

/// The pieces, with a town that is called like a firm and stands alone before its region as one place, where it begins as
/// towns do or another line has the firm: `Fitter – Port Allen, LA` below `Acme`.
pub(super) fn with_regions(mut found: Vec<Named>) -> Vec<Named> {
    let is_name = |named: &Named| matches!(named.kind, Kind::Firm | Kind::Unknown);
    let is_pair = |at: &usize| {
        let [town, region] = &found[*at..at + 2] else { return false };
        town.kind == Kind::Firm
            && matches!(region.kind, Kind::Place | Kind::Unknown)
            && region.line == town.line
            && place::is_part(&region.text)
            && is_town(&town.text)
            && (begins_as_town(&town.text)
                || found.iter().any(|other| other.line != town.line && is_name(other)))
    };
    let at = (0..found.len().saturating_sub(1)).find(is_pair);
    if let Some(at) = at {
        let region = found.remove(at + 1);
        let town = &mut found[at];
        town.kind = Kind::Place;
        town.text = format!("{}, {}", town.text, region.text);
    }
    found
}

/// Whether a text can be the name of a town: names of firms end in their kinds, towns at most begin with one, as `Port`.
fn is_town(text: &str) -> bool {
    let count = text.split_whitespace().count();
    let last = text.rsplit(' ').next().unwrap_or_default();
    let is_else =
        if count > 1 { words::is_organisation(last) } else { words::is_organisation(text) };
    count <= TOWN_MAX
        && !is_else
        && !is_form(text)
        && !words::is_position(text)
        && text.starts_with(char::is_uppercase)
        && text.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c))
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn what_stands_before_a_region_is_a_town_and_never_the_firm() {
        for (head, title, firm, town) in [
            (
                "Fitter – Nulla Basin Works, Port Null, LA",
                "Fitter",
                "Nulla Basin Works",
                "Port Null, LA",
            ),
            ("Fitter – Nulla Basin, Port Null, LA", "Fitter", "Nulla Basin", "Port Null, LA"),
            ("Fitter, Nulla Basin, Port Null, LA", "Fitter", "Nulla Basin", "Port Null, LA"),
            ("Nulla Basin, Port Null, LA\nFitter", "Fitter", "Nulla Basin", "Port Null, LA"),
            (
                "Cocinero – Nula Norte, Puerto Nulo, Jal.",
                "Cocinero",
                "Nula Norte",
                "Puerto Nulo, Jal.",
            ),
            (
                "Cozinheiro – Nula Norte, Porto Nulo, PE",
                "Cozinheiro",
                "Nula Norte",
                "Porto Nulo, PE",
            ),
            ("Fitter – Nulla Basin, Park Null, ON", "Fitter", "Nulla Basin", "Park Null, ON"),
            ("Fitter – Acme, Inc., Port Null, TX", "Fitter", "Acme, Inc.", "Port Null, TX"),
            ("Nulla Basin\nFitter – Port Null, LA", "Fitter", "Nulla Basin", "Port Null, LA"),
            ("Fitter, Port Null, LA\nNulla Basin", "Fitter", "Nulla Basin", "Port Null, LA"),
            ("Fitter, Null Hospital, TX", "Fitter", "Null Hospital", "TX"),
        ] {
            let text = format!("Ada Byron\n\n## Experience\n{head}\tMay 2015 – June 2019");
            let role = &draft(&text).skeleton_timeline["work"][0];
            assert_eq!(role["position"], title, "{head}");
            assert_eq!(role["name"], firm, "{head}");
            assert_eq!(role["location"], town, "{head}");
        }
    }
}
