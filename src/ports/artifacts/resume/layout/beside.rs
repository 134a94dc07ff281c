//! Entries whose duties stand beside their heads, in a column of their own: `Fitter    – Built pumps` above `Acme Ltd    –
//! Led a team` and `2017 – 2019` is the head of an entry, then its duties.

use super::{
    super::{dates, lines::BULLETS},
    heads_section,
};

/// Most lines of a head.
const HEAD_MAX: usize = 6;

/// The lines, with each such head above its duties.
pub(super) fn whole(lines: &[String]) -> Vec<String> {
    let mut found = Vec::with_capacity(lines.len());
    let mut rest = lines;
    while let Some(line) = rest.first() {
        if let Some((entry, count)) = entry(rest) {
            found.extend(entry);
            rest = &rest[count..];
        } else {
            found.push(line.clone());
            rest = &rest[1..];
        }
    }
    found
}

/// The entry that the lines begin with, and how many of them it has.
fn entry(lines: &[String]) -> Option<(Vec<String>, usize)> {
    parted(lines.first()?)?;
    let mut entry = Entry::default();
    let mut count = 0;
    for line in lines {
        // Another entry may follow without a gap.
        let begins = entry.is_whole() && parted(line).is_some();
        if ends(line) || begins || !entry.take(line) {
            break;
        }
        count += 1;
    }
    let periods = entry.head.iter().filter(|line| dates::is_period(line)).count();
    let is_head = periods == 1 && (2..=HEAD_MAX).contains(&entry.head.len());
    is_head.then(|| (entry.head.into_iter().chain(entry.items).collect(), count))
}

/// A line of a head with the item beside it.
fn parted(line: &str) -> Option<(&str, &str)> {
    let (head, item) = line.split_once('\t')?;
    let (head, item) = (head.trim(), item.trim());
    let is_head = !head.is_empty() && !head.starts_with(BULLETS) && !item.contains('\t');
    (is_head && is_item(item)).then_some((head, item))
}

fn is_item(text: &str) -> bool {
    text.strip_prefix(BULLETS)
        .is_some_and(|item| item.starts_with(' ') && !dates::is_period(item.trim()))
}

fn ends(line: &str) -> bool {
    line.trim().is_empty() || heads_section(line)
}

/// The two columns of an entry.
#[derive(Debug, Default)]
struct Entry {
    head: Vec<String>,
    items: Vec<String>,
}

impl Entry {
    /// Whether nothing of the head is to come: heads that do not begin with their period end with it.
    fn is_whole(&self) -> bool {
        self.head.iter().skip(1).any(|line| dates::is_period(line))
    }

    /// Takes a line in; not if it stands in neither column.
    fn take(&mut self, line: &str) -> bool {
        let line = line.trim();
        if let Some((head, item)) = parted(line) {
            self.head.push(head.to_owned());
            self.items.push(item.to_owned());
        } else if is_item(line) {
            self.items.push(line.to_owned());
        } else if let Some((head, rest)) = line.split_once('\t') {
            if self.is_whole() || rest.contains('\t') || dates::is_period(rest.trim()) {
                return false;
            }
            self.head.push(head.trim().to_owned());
            self.go_on(rest.trim());
        } else if !dates::is_period(line)
            && (self.is_whole() || line.starts_with(char::is_lowercase))
        {
            self.go_on(line);
        } else {
            self.head.push(line.to_owned());
        }
        true
    }

    /// Takes in what goes on with the last item below it.
    fn go_on(&mut self, rest: &str) {
        if let Some(item) = self.items.last_mut() {
            item.push(' ');
            item.push_str(rest);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::plain;
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn duties_beside_a_head_stand_below_it() {
        for (beside, below) in [
            (
                "Fitter\t– Built pumps\nAcme Ltd\t– Led a team\nLeeds\n01/2017 – 03/2019",
                "Fitter\nAcme Ltd\nLeeds\n01/2017 – 03/2019\n– Built pumps\n– Led a team",
            ),
            (
                "Fitter\t• Built pumps and valves for\nAcme Ltd\tships\n2017 – 2019\t• Led a team\n• Welded\nrails",
                "Fitter\nAcme Ltd\n2017 – 2019\n• Built pumps and valves for ships\n• Led a team\n• Welded rails",
            ),
            // Without a gap.
            (
                "Fitter\t– Built pumps\n2017 – 2019\nWelder\t– Welded rails\n2015 – 2016",
                "Fitter\n2017 – 2019\n– Built pumps\nWelder\n2015 – 2016\n– Welded rails",
            ),
        ] {
            assert_eq!(plain(beside), below);
        }
    }

    #[test]
    fn lists_beside_their_names_stay_there() {
        for text in [
            "Languages\t• Dutch\nTools\t• Lathe\n\n2017 – 2019",
            "2017 – 2019\t• Fitter\n2015 – 2016\t• Welder",
            "Skills\t– Welding\n– Turning",
            "Acme Ltd\t– 2019\n2015 – 2016",
        ] {
            assert_eq!(plain(text), text);
        }
    }

    #[test]
    fn entries_with_duties_beside_them_have_their_firms() {
        for (title, firm, town) in [
            ("Fitter", "Acme Ltd", "Leeds"),
            ("Teamleiterin Lohn", "Kanzlei Null PartG", "Witten"),
            ("Técnica de Calidad", "Talleres Acme S.L.", "Bilbao"),
            ("Technicienne", "Ateliers Acme", "Lyon"),
            ("Verpleegkundige", "Zorggroep Nul", "Utrecht"),
            ("Técnica de Qualidade", "Oficinas Acme Lda.", "Porto"),
        ] {
            let text = format!(
                "Ada Byron\nada@example.org\n\n## Experience\n{title}\t– Plans of all the pumps for ships and\n{firm}\ttheir boats\n\
                 {town}\t– Repairs\n01/2019 – 03/2021\n\n{title}\t– Pumps\n{firm}\n{town}\n02/2017 – 12/2018\n\n## Skills\nGo, C"
            );
            let draft = draft(&text);
            let work = &draft.skeleton_timeline["work"];
            for at in 0..2 {
                assert_eq!(work[at]["position"], title, "{work}");
                assert_eq!(work[at]["name"], firm, "{work}");
                assert_eq!(work[at]["location"], town, "{work}");
            }
            assert_eq!(draft.highlights[0].len(), 2, "{:?}", draft.highlights);
        }
    }
}
