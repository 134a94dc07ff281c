//! Forms for résumés: what their labels announce.

use super::super::{
    dates,
    vocabulary::{Label, folded, vocabulary},
};

/// Fewest words of what is said of a role, in which headings are shorter.
const ITEM_WORDS: usize = 5;

/// The labels of a form above a line in its block.
#[derive(Debug, Default)]
pub(super) struct Labels {
    /// `Position: Fitter`
    role: bool,
    /// `Duties: Supervised 22 people`, with nothing else below it than more of them.
    items: bool,
}

impl Labels {
    pub(super) fn enter(&mut self, text: &str) {
        let Some((label, _)) = text.split_once([':', '\t']) else { return };
        let label = folded(label.trim());
        self.role |= vocabulary().role_labels.contains_key(&label);
        self.items = self.role && vocabulary().notes.contains(&label);
    }

    /// `Chair of the committee since 2021` below the duties.
    pub(super) fn is_item(&self, text: &str) -> bool {
        self.items
            && !text.contains([':', '\t'])
            && text.starts_with(char::is_uppercase)
            && text.split_whitespace().count() >= ITEM_WORDS
            && dates::find(text).is_none_or(|period| period.at.start > 0 && period.start.is_some())
    }
}

/// What stands behind a label of a form.
pub(super) enum Labelled<'t> {
    Value(&'t str),
    /// A firm, with a shorter label.
    Firm(String),
    /// What is said of the work or the studies.
    Item(&'t str),
    /// The line is the end of a label.
    Nothing,
}

/// `Occupation or position held    Engineer` as forms for résumés have it.
pub(super) fn form_value(text: &str) -> Option<Labelled<'_>> {
    let forms = &vocabulary().forms;
    let (label, value) = text.split_once('\t').unwrap_or((text, ""));
    let label = folded(label.trim_end_matches(':').trim());
    // What stands behind these tells more than the value alone.
    if vocabulary().role_labels.contains_key(&label) {
        return None;
    }
    if value.is_empty() {
        return forms.tails.contains(&label).then_some(Labelled::Nothing);
    }
    if forms.items.contains(&label) {
        Some(Labelled::Item(value))
    } else {
        if names_firm(&label) {
            return Some(Labelled::Firm(format!("employer: {value}")));
        }
        forms.labels.contains(&label).then_some(Labelled::Value(value))
    }
}

/// Whether a label of several words announces the name of a firm: `name and place of the employer`.
fn names_firm(label: &str) -> bool {
    const EMPLOYERS: [&str; 8] = [
        "employer",
        "arbeitgeber",
        "arbeitgebers",
        "employeur",
        "empleador",
        "empresa",
        "empregador",
        "werkgever",
    ];
    let mut words = label.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let leads =
        words.next().is_some_and(|first| vocabulary().labels.get(first) == Some(&Label::Name));
    leads
        && !vocabulary().forms.labels.contains(label)
        && words.any(|word| EMPLOYERS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::super::lines;

    #[test]
    fn what_stands_below_the_duties_of_a_form_is_said_of_the_role() {
        let text = "Position:\tFitter\nEmployer:\tAcme\nDuties:\tPumps\nChair of the committee since 2021\n\n\
                    Position:\tDriver";
        let found = lines(text);
        assert!(found[3].bullet && !found[4].bullet);
        assert!(
            lines("Duties:\tPumps\nChair of the committee since 2021")
                .iter()
                .all(|line| !line.bullet)
        );
    }
}
