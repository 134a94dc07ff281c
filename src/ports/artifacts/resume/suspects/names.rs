//! Names of firms, titles and schools that are something else, as the other entries and their own words show.

use super::super::{
    dates, doubt, place,
    vocabulary::{folded, vocabulary},
    words,
};
use super::spots::{Entries, text};

/// The paths of the doubtful names of roles; `towns` are those that the draft names.
pub(super) fn roles(roles: &Entries<'_>, towns: &[&str]) -> Vec<String> {
    let all = roles.drafted.len();
    let located = roles.drafted.iter().filter(|role| !text(role, "location").is_empty()).count();
    let known =
        roles.drafted.iter().filter(|role| words::is_position(text(role, "position"))).count();
    let mut found = Vec::new();
    for (at, role) in roles.drafted.iter().enumerate() {
        let [title, firm, place] = ["position", "name", "location"].map(|key| text(role, key));
        // Where few titles are known by their words, towns and firms may have been taken for some.
        if !title.is_empty() && !words::is_position(title) && known * 2 <= all {
            found.push(roles.path(at, "position"));
        }
        // Where the other firms have towns, this may be one.
        let is_town = place.is_empty()
            && located * 2 > all
            && firm.contains(' ')
            && !words::is_organisation(firm);
        if is_town || is_only_a_kind(firm) || ends_in_town(firm, towns) || is_double(firm) {
            found.push(roles.path(at, "name"));
        }
    }
    found.extend(turned(roles));
    found.extend(shifted(roles));
    found
}

/// The paths of names that may all stand with the period of the entry above: the last period ends the section and has none, as
/// where each period ends what is said of its role.
fn shifted(roles: &Entries<'_>) -> Vec<String> {
    const NAMES: [&str; 2] = ["position", "name"];
    let Some((last, others)) = roles.drafted.split_last() else { return Vec::new() };
    let ends = roles.lines.last().is_some_and(|line| dates::is_period(&line.text));
    if !ends || NAMES.iter().any(|key| !text(last, key).is_empty()) {
        return Vec::new();
    }
    let named = |at: usize| {
        let keys = NAMES.into_iter().filter(move |key| !text(&others[at], key).is_empty());
        keys.map(move |key| roles.path(at, key))
    };
    (0..others.len()).flat_map(named).collect()
}

/// The paths of the doubtful names of schools.
pub(super) fn schools(schools: &Entries<'_>, towns: &[&str]) -> Vec<String> {
    let names = schools.drafted.iter().map(|school| text(school, "institution")).enumerate();
    // `School of Nursing Leeds` is a whole name.
    let is_led = |name: &str| name.split(' ').any(|word| vocabulary().linking.contains(word));
    let in_town = names.filter(|(_, name)| ends_in_town(name, towns) && !is_led(name));
    in_town.map(|(at, _)| schools.path(at, "institution")).collect()
}

/// Whether a name is no more than a word for a kind of firm or school: `Bank`, `Université`.
fn is_only_a_kind(name: &str) -> bool {
    let folded = folded(name);
    let is_kind =
        vocabulary().employers.contains(&folded) || vocabulary().schools.contains(&folded);
    is_kind && !words::is_own(name)
}

/// Most words of a name of a firm.
const FIRM_MAX: usize = 7;

/// Whether the name of a firm is as long as two of them, or has a comma between two that are both called a firm:
/// `Emergency Clinic, Acme Hospital`, but not `Acme Pumps, Ltd.`
fn is_double(name: &str) -> bool {
    let is_firm = |name: &str| words::is_organisation(name) && !doubt::is_form(name);
    let has_word = |name: &str| {
        name.split(|c: char| !c.is_alphabetic()).any(|word| word.chars().count() >= WORD_MIN)
    };
    let are_two = name.split_once(", ").is_some_and(|(first, second)| {
        is_firm(first) && is_firm(second) && has_word(second) && !second.contains(" & ")
    });
    are_two || name.split_whitespace().count() > FIRM_MAX
}

/// Shortest word that is no abbreviation of a form, in characters.
const WORD_MIN: usize = 4;

/// Whether a name of several words ends in a town that nothing leads to: `Hotel Palace Porto`, but not `City of Leeds` or
/// `Technical University Dresden`.
fn ends_in_town(name: &str, towns: &[&str]) -> bool {
    if name.contains(" -- ") {
        return true;
    }
    let Some((before, last)) = name.rsplit_once([' ', '-']) else { return false };
    let word = before.rsplit(' ').next().unwrap_or_default();
    before.contains(' ')
        && (place::is_known(last) || towns.contains(&last))
        && !word.starts_with(char::is_lowercase)
        && !words::is_school(word)
}

/// Most lines between the title and the firm of a role.
const HEAD_MAX: usize = 5;

/// Titles and firms that stand the other way round than in all other roles.
fn turned(roles: &Entries<'_>) -> Vec<String> {
    let order = |at: usize| {
        let (title, firm) = (roles.spot(at, "position")?, roles.spot(at, "name")?);
        (title.line.abs_diff(firm.line) <= HEAD_MAX).then_some(title < firm)
    };
    let orders: Vec<Option<bool>> = (0..roles.drafted.len()).map(order).collect();
    let count = |wanted: bool| orders.iter().filter(|order| **order == Some(wanted)).count();
    let counts = [count(false), count(true)];
    let is_odd = |order: bool| counts[usize::from(order)] == 1 && counts[usize::from(!order)] > 1;
    let odd = orders.iter().enumerate().filter(|(_, order)| order.is_some_and(is_odd));
    odd.flat_map(|(at, _)| ["position", "name"].map(|key| roles.path(at, key))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::artifacts::resume::{
        Confidence, draft,
        lines::{Line, lines},
    };
    use serde_json::json;

    #[test]
    fn names_that_end_in_towns_are_marked() {
        for name in ["Hotel Palace Porto", "Acme Insurance-Leeds", "Emca -- Nulleville"] {
            assert!(ends_in_town(name, &["Nulleville"]), "{name}");
        }
        for name in ["Technical University Dresden", "City of Leeds", "Hotel Palace", "Emca Leeds"]
        {
            assert!(!ends_in_town(name, &["Nulleville"]), "{name}");
        }
        for name in ["Acme Clinic, Emca Hospital", "One Two Three Four Five Six Seven Eight"] {
            assert!(is_double(name), "{name}");
        }
        for name in ["Acme Bank, S.A. de C.V.", "Acme Bank, Ltd", "Acme Bank, Leeds"] {
            assert!(!is_double(name), "{name}");
        }
        assert!(is_only_a_kind("Bank") && !is_only_a_kind("Self-employed"));
    }

    #[test]
    fn names_are_marked_where_the_last_period_has_none() {
        let drafted = [
            json!({ "name": "Acme Pumps Ltd", "startDate": "2013" }),
            json!({ "startDate": "2009", "endDate": "2012" }),
        ];
        let found = |text: &str| {
            let lines = lines(text);
            let lines: Vec<&Line> = lines.iter().collect();
            shifted(&Entries::of(&lines, "work", &drafted, &["position", "name"]))
        };
        let text = "Fitter\n2013 – now\nAcme Pumps Ltd\tDriver\n2009 – 2012";
        assert_eq!(found(text), ["work.0.name"]);
        assert!(found(&format!("{text}\n• Routes")).is_empty());
    }

    #[test]
    fn titles_without_a_known_word_are_marked_where_few_have_one() {
        let doubts = |titles: [&str; 3]| {
            let role = |title: &&str| format!("{title}, Acme Ltd\tMay 2010 – June 2012\n• Pumps");
            let roles: Vec<String> = titles.iter().map(role).collect();
            let draft = draft(&format!("Ada Byron\n\n## Experience\n{}", roles.join("\n\n")));
            let is_low = |at: &usize| {
                let path = format!("work.{at}.position");
                draft.confidence.get(&path) == Some(&Confidence::Low)
            };
            (0..3).filter(is_low).collect::<Vec<_>>()
        };
        assert_eq!(doubts(["Fitter", "Welder", "Nullwright"]), [0; 0]);
        assert_eq!(doubts(["Fitter", "Nullsmith", "Nullwright"]), [1, 2]);
    }

    #[test]
    fn a_role_the_other_way_round_is_marked() {
        let role = |head: &str| format!("{head}\tMay 2010 – June 2012\n• Pumps\n\n");
        let roles: String =
            ["Fitter, Acme Ltd", "Welder, Emca Ltd", "Mecca Ltd, Painter"].map(role).concat();
        let confidence = draft(&format!("Ada Byron\n\n## Experience\n{roles}")).confidence;
        assert_eq!(confidence.get("work.2.position"), Some(&Confidence::Low));
        assert_eq!(confidence.get("work.0.position"), None);
    }
}
