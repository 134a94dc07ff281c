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

/// The label and the value of a line of a form; a colon alone parts them only where the label has several words, as
/// anything may stand behind one.
fn parted(text: &str) -> (&str, &str) {
    let by_colon = || text.split_once(": ").filter(|(label, _)| label.contains(' '));
    text.split_once('\t').or_else(by_colon).unwrap_or((text, ""))
}

/// `Occupation or position held    Engineer` as forms for résumés have it.
pub(super) fn form_value(text: &str) -> Option<Labelled<'_>> {
    let forms = &vocabulary().forms;
    let (label, value) = parted(text);
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
            return Some(Labelled::Firm(format!("Employer: {value}")));
        }
        forms.labels.contains(&label).then_some(Labelled::Value(value))
    }
}

/// The lines of a page, with what is said of the work below what names it: old forms have the duties between the title
/// and the employer.
pub(super) fn duties_last(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut held: Vec<&str> = Vec::new();
    // The label that begins each entry.
    let mut first: Option<String> = None;
    for line in text.lines() {
        let value = form_value(line.trim());
        if let Some(Labelled::Item(_)) = value {
            held.push(line);
            continue;
        }
        let label = folded(parted(line).0.trim_end_matches(':').trim());
        let is_labelled = matches!(value, Some(Labelled::Value(_) | Labelled::Firm(_)))
            || line.contains('\t') && vocabulary().role_labels.contains_key(&label);
        if !is_labelled && !held.is_empty() && goes_on(line) {
            held.push(line);
            continue;
        }
        if !is_labelled || first.as_ref() == Some(&label) {
            found.append(&mut held);
            first = None;
        }
        if is_labelled {
            first = first.or(Some(label));
        }
        found.push(line);
    }
    found.append(&mut held);
    found
}

/// Whether a line below a value of a form goes on with it: it has no columns, and is neither empty nor a heading.
fn goes_on(line: &str) -> bool {
    !line.trim().is_empty() && !line.contains('\t') && !line.trim_start().starts_with('#')
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
    leads && words.any(|word| EMPLOYERS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::super::lines;
    use crate::ports::artifacts::resume::draft;

    /// The firms and the titles of the roles in a form with some labels.
    fn firms(labels: [&str; 4], mark: &str) -> String {
        let [dates, title, duties, firm] = labels;
        let entry = |period: &str, job: &str, name: &str| {
            format!(
                "{dates}{mark}{period}\n{title}{mark}{job}\n{duties}{mark}Acta, Datos; Nulla\n{firm}{mark}{name}, Nulleville\n\n"
            )
        };
        let text = format!(
            "Ada Byron\nada@example.org\n\n## Work experience\n{}{}",
            entry("02/2015 – 06/2018", "Manager", "Molinos Altos"),
            entry("06/2009 – 01/2015", "Clerk", "Cuatro Vientos"),
        );
        let work = draft(&text).skeleton_timeline["work"].clone();
        let said = |role: &serde_json::Value| {
            [&role["position"], &role["name"]]
                .map(|it| it.as_str().unwrap_or("-").to_owned())
                .join("/")
        };
        work.as_array().into_iter().flatten().map(said).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn employers_below_the_duties_of_old_forms_are_read() {
        for labels in [
            [
                "Dates",
                "Occupation or position held",
                "Main activities and responsibilities",
                "Name and address of employer",
            ],
            [
                "Datum",
                "Beruf oder Funktion",
                "Wichtigste Tätigkeiten und Zuständigkeiten",
                "Name und Adresse des Arbeitgebers",
            ],
            [
                "Fechas",
                "Profesión o cargo desempeñado",
                "Principales actividades",
                "Nombre y dirección de la empresa",
            ],
            [
                "Dates",
                "Fonction ou poste occupé",
                "Principales activités et responsabilités",
                "Nom et adresse de l'employeur",
            ],
            [
                "Datas",
                "Função ou cargo ocupado",
                "Principais atividades e responsabilidades",
                "Nome e morada do empregador",
            ],
            [
                "Datum",
                "Beroep of functie",
                "Belangrijkste activiteiten en verantwoordelijkheden",
                "Naam en adres van de werkgever",
            ],
        ] {
            assert_eq!(
                firms(labels, "\t"),
                "Manager/Molinos Altos|Clerk/Cuatro Vientos",
                "{labels:?}"
            );
        }
        let labels = [
            "Dates",
            "Occupation or position held",
            "Main activities and responsibilities",
            "Name and address of employer",
        ];
        assert_eq!(firms(labels, ": "), "Manager/Molinos Altos|Clerk/Cuatro Vientos");
    }

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
