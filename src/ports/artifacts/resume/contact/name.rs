//! The name of the person, at the head of the résumé.

use super::super::{
    Confidence, Findings, dates,
    lines::{Line, fields},
    place,
    sections::section_of,
    vocabulary::{Label, folded, vocabulary},
    words,
};
use super::{
    label_of, mail,
    wrapped::{PARTICLES, rest_below},
};

/// Lines from the top among which the name is looked for.
const NAME_LINES: usize = 8;

/// The name and the line it stands in: `Name: …`, or the first line that can be a name.
///
/// The e-mail address tells names from jobs and firms that are called like one: `Lena Koch`.
pub(super) fn name(head: &[&Line], mail: &str, findings: &mut Findings) -> Option<(String, usize)> {
    let top = head.iter().take(NAME_LINES).enumerate();
    let local = mail::own_part(mail);
    let mut names = top.filter(|(_, line)| !line.bullet).filter_map(|(position, line)| {
        let broken = || {
            let next = broken_name(line, head.get(position + 1)?);
            let below = &head[position + 1..];
            let next = torn(line, below).or(next).or_else(|| broken_beside(line, below));
            name_in(&next?, &local)
        };
        let one = || name_in(&line.text, &local);
        let large = || name_in(&large_name(line, head.get(position + 1)?)?, &local);
        let whole = one().filter(|name| !is_half(name));
        let whole = whole.map(|name| wrapped(&name, &local, head, position).unwrap_or(name));
        Some((large().or(whole).or_else(broken).or_else(one)?, position))
    });
    let (written, position) = if let Some(found) = labelled(head) {
        found
    } else {
        let first = names.next()?;
        // A job above the name may be written like one.
        let is_other = !agrees(&first.0, &local);
        let other = is_other.then(|| names.find(|(name, _)| agrees(name, &local))).flatten();
        other.unwrap_or(first)
    };
    let (written, position) =
        fuller(head, &local, &written, position).unwrap_or((written, position));
    let (titles, plain) = titled(&written);
    let with_title = !titles.is_empty();
    let name = titles.into_iter().chain([calmed(plain).as_str()]).collect::<Vec<_>>().join(" ");
    // What the address has a part of stands elsewhere.
    let is_elsewhere = |line: &&Line| !line.text.contains('@') && agrees(&line.text, &local);
    let strays = !agrees(plain, &local)
        && head.iter().copied().take(NAME_LINES).any(|line| is_elsewhere(&line));
    // Whether a title belongs to the name is for the person to say; half a name is a guess.
    // An address that has all of the name has all there is of it, unless more was taken in from below.
    let is_whole = || folded(plain).split([' ', '-']).all(|part| local.contains(part));
    let may_go_on =
        rest_below(head, position).is_some_and(|rest| !agrees(rest, &local) && !is_whole());
    let may_go_on = may_go_on || goes_on_large(head, position, plain);
    let sure = match position {
        _ if may_go_on || strays || is_guessed(&head[position].text, &local) => Confidence::Low,
        _ if with_title || !plain.contains(' ') || is_half(plain) => Confidence::Low,
        0 | 1 => Confidence::High,
        _ => Confidence::Medium,
    };
    findings.sure("basics.name", sure);
    Some((name, position))
}

/// Whether a line in the type of the first half of a name stands below the second: `# Ada`, `Augusta` and `# Byron`.
fn goes_on_large(head: &[&Line], position: usize, name: &str) -> bool {
    let [line, second, third] = head.get(position..position + 3).unwrap_or_default() else {
        return false;
    };
    let is_name = |text: &str| {
        text.starts_with(char::is_uppercase)
            && text.chars().all(|c| c.is_alphabetic() || " -'’".contains(c))
            && section_of(text).is_none()
            && !words::is_position(text)
    };
    let is_split = line.text != name && name.ends_with(second.text.as_str());
    is_split && line.level > 0 && third.level == line.level && is_name(&third.text)
}

/// Whether the address has a part of a name.
fn agrees(name: &str, local: &str) -> bool {
    folded(name).split([' ', '-', '\t']).any(|part| part.len() > 2 && local.contains(part))
}

/// A name behind its label, or in two halves behind theirs.
fn labelled(head: &[&Line]) -> Option<(String, usize)> {
    let values = |wanted: &dyn Fn(&str) -> bool| {
        head.iter().take(NAME_LINES).enumerate().find_map(|(position, line)| {
            let (label, value) = line.text.split_once([':', '\t'])?;
            let value = value.trim_matches([' ', '\t', ':']);
            (wanted(label) && !value.is_empty()).then(|| (value.to_owned(), position))
        })
    };
    let given = values(&|label| GIVEN.contains(&folded(label.trim()).as_str()));
    let family = values(&|label| FAMILY.contains(&folded(label.trim()).as_str()));
    match (given, family) {
        (Some((given, position)), Some((family, _))) => {
            Some((format!("{given} {family}"), position))
        }
        _ => values(&|label| label_of(label).0 == Some(Label::Name)),
    }
}

const GIVEN: [&str; 11] = [
    "vorname",
    "vornamen",
    "prenom",
    "prenoms",
    "nombre",
    "nombres",
    "first name",
    "given name",
    "forename",
    "voornaam",
    "nome",
];

const FAMILY: [&str; 13] = [
    "name",
    "nachname",
    "familienname",
    "nom",
    "nom de famille",
    "apellido",
    "apellidos",
    "surname",
    "last name",
    "family name",
    "achternaam",
    "apelido",
    "sobrenome",
];

/// A name without courtesies, and the titles before it: `Mme`, `Dr.`, `Dipl.-Ing.`.
fn titled(name: &str) -> (Vec<&str>, &str) {
    let (mut titles, mut rest) = (Vec::new(), name.trim());
    while let Some((first, after)) = rest.split_once(' ') {
        let plain = folded(first).replace('.', "");
        let written =
            first.ends_with('.') || ["dr", "prof", "sir", "dame"].contains(&plain.as_str());
        if written && (vocabulary().honours.contains(&plain) || plain.starts_with("dipl-")) {
            // A Dutch lawyer writes `mr.`, a gentleman `Mr.`.
            if plain != "mr" || first.starts_with('m') {
                titles.push(first);
            }
        } else if !vocabulary().courtesies.contains(&plain) {
            break;
        }
        rest = after.trim_start();
    }
    (titles, rest)
}

/// `A. Byron` at the top of the page is `Ada Byron` below.
fn fuller(head: &[&Line], local: &str, name: &str, position: usize) -> Option<(String, usize)> {
    let is_initial = |word: &str| word.trim_end_matches('.').chars().count() == 1;
    let (first, last) = (name.split(' ').next()?, name.rsplit(' ').next()?);
    if !is_initial(first) {
        return None;
    }
    let lines = head.iter().take(NAME_LINES).enumerate().skip(position + 1);
    lines.filter_map(|(position, line)| Some((name_in(&line.text, local)?, position))).find(
        |(other, _)| {
            let (_, plain) = titled(other);
            let begins = first.chars().next().is_some_and(|initial| plain.starts_with(initial));
            begins && plain.ends_with(last) && !is_initial(plain.split(' ').next().unwrap_or(plain))
        },
    )
}

/// `Ada van der`, `Ada Byron-`: the rest of the name is missing.
fn is_half(name: &str) -> bool {
    if name.ends_with('-') {
        return true;
    }
    let last = name.rsplit(' ').next().unwrap_or_default().to_lowercase();
    name.contains(' ') && PARTICLES.contains(&last.as_str())
}

/// A name on two lines: `Ada` above `Byron-Lovelace`.
fn broken_name(line: &Line, next: &Line) -> Option<String> {
    let is_one = |line: &Line| line.text.split_whitespace().count() == 1 || is_half(&line.text);
    let is_known = |line: &Line| section_of(&line.text).is_some();
    let fits = is_one(line) && next.text.split_whitespace().count() <= 2 && !next.after_gap;
    // `Schweiz` ends the address above `# Ada Byron`, which is a name in larger type.
    let is_apart = next.text.contains(' ')
        && (line.level == 0 && next.level > 0 || place::is_place(&line.text));
    (fits && !is_apart && !is_known(line) && !is_known(next))
        .then(|| format!("{} {}", line.text, next.text))
}

/// A name on two lines of the same large type: `# Ada Augusta` above `# Byron Lovelace`.
fn large_name(line: &Line, next: &Line) -> Option<String> {
    let fits = line.level > 0 && next.level == line.level && !next.after_gap;
    let is_name = |text: &str| {
        (1..=3).contains(&text.split_whitespace().count())
            && text.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c))
            && section_of(text).is_none()
            && !vocabulary().titles.contains(&folded(text))
            && !words::is_position(text)
            && !words::is_organisation(text)
            && !place::is_place(text)
    };
    // The second half may stand before a title: `# Byron Lovelace | Programmer`.
    let (last, title) = match fields(&next.text).as_slice() {
        [last, title] => ((*last).to_owned(), Some(*title)),
        _ => (next.text.clone(), None),
    };
    let is_title = title.is_none_or(words::is_position);
    (fits && is_title && is_name(&line.text) && is_name(&last))
        .then(|| format!("{} {last}", line.text))
}

/// A name that goes on in the line below it: the address has a part of that, or it stands below larger type, and the title
/// below that.
fn wrapped(name: &str, local: &str, head: &[&Line], position: usize) -> Option<String> {
    let rest = rest_below(head, position)?;
    let is_titled = || {
        head.get(position + 2)
            .is_some_and(|after| after.level > 0 || words::is_position(&after.text))
    };
    let is_said = agrees(rest, local) || head[position].level > 0 && is_titled();
    is_said.then(|| format!("{name} {rest}"))
}

/// A name that stands below the head, as where a column with the address comes second: its own line, and nothing in it
/// that the e-mail address does not have a part of.
pub(super) fn elsewhere<'l>(
    mut lines: impl Iterator<Item = &'l Line>,
    mail: &str,
) -> Option<String> {
    let local = mail::own_part(mail);
    let is_of_mail = |name: &String| {
        let name = folded(name);
        let mut parts = name.split([' ', '-', '\'', '’']).filter(|part| part.len() > 1);
        name.contains(' ') && parts.clone().count() > 1 && parts.all(|part| local.contains(part))
    };
    let is_short = |line: &&Line| !line.bullet && line.text.split_whitespace().count() <= 5;
    let named =
        |line| Some(line).filter(is_short).and_then(|line: &Line| name_in(&line.text, &local));
    lines.find_map(|line| named(line).filter(is_of_mail)).map(|name| calmed(&name))
}

/// Lines of addresses beside the lines of a name.
const BESIDE_MAX: usize = 4;

/// A name on two lines of larger type with other lines beside it: `Ada Byron-    1 Quay Road`, and further down
/// `# Lovelace`.
fn broken_beside(line: &Line, below: &[&Line]) -> Option<String> {
    let first = fields(&line.text).into_iter().next().filter(|first| is_half(first))?;
    let rest = below.iter().take(BESIDE_MAX).find(|line| line.level > 0)?;
    let is_name = rest.text.split_whitespace().count() <= 2 && section_of(&rest.text).is_none();
    let space = if first.ends_with('-') { "" } else { " " };
    is_name.then(|| format!("{first}{space}{}", rest.text))
}

/// A name in two types with other lines between them: `# Ada`, and `BYRON    ada@example.org` further down, where an
/// address has both: `example.com/in/ada-byron`.
fn torn(line: &Line, below: &[&Line]) -> Option<String> {
    let is_word = |text: &str| text.chars().all(|c| c.is_alphabetic() || "-'’".contains(c));
    let first = Some(line.text.as_str()).filter(|text| line.level > 0 && is_word(text))?;
    let near = &below[..below.len().min(NAME_LINES)];
    let last = near.iter().take(BESIDE_MAX).find_map(|line| {
        let (last, _) = line.text.split_once('\t')?;
        (is_word(last) && !last.contains(char::is_lowercase)).then_some(last)
    })?;
    let written = ["-", ".", "_", ""].map(|mark| folded(&format!("{first}{mark}{last}")));
    let has_both = |line: &&&Line| {
        let text = folded(&line.text);
        text.contains(['@', '/']) && written.iter().any(|name| text.contains(name.as_str()))
    };
    near.iter().find(has_both).map(|_| format!("{first} {last}"))
}

/// A name at the beginning of a line, before a title or an address.
fn name_in(line: &str, local: &str) -> Option<String> {
    let folded_line = folded(line);
    let title = vocabulary().titles.iter().filter(|title| {
        folded_line.starts_with(title.as_str())
            && !folded_line[title.len()..].starts_with(char::is_alphanumeric)
    });
    let title = title.map(|title| title.chars().count()).max().unwrap_or_default();
    let line: String = line.chars().skip(title).collect();
    let line = line.trim_start_matches([' ', '-', '–', '—', ':', '|', ',']);
    let line = line.strip_prefix("of ").unwrap_or(line);
    let first = fields(line).into_iter().next()?;
    // `Katarzyna (Kasia) Nowak`
    let plain = match (first.split_once(" ("), first.split_once(") ")) {
        (Some((before, _)), Some((_, after))) => format!("{before} {after}"),
        _ => first.to_owned(),
    };
    let plain = surname_last(&without_nick(&plain));
    let first = plain.split([',', '(', '|']).next().unwrap_or_default();
    let first =
        first.split(" – ").next().unwrap_or(first).split(" - ").next().unwrap_or(first).trim();
    let (titles, first) = titled(first);
    let mut words: Vec<&str> = first.split_whitespace().collect();
    // `Ada Byron RN BSN`
    while let [_, _, .., last] = words.as_slice()
        && last.chars().filter(|c| c.is_uppercase()).count() > 1
        && vocabulary().short_degrees.contains(&folded(&last.replace('.', "")))
    {
        words.pop();
    }
    words.truncate(words.len() - title_at_end(&words, local));
    let letters = first.chars().all(|c| c.is_alphabetic() || " .'’-".contains(c));
    let capitals = words
        .iter()
        .filter(|word| !PARTICLES.contains(&word.to_lowercase().as_str()))
        .all(|word| {
            // `d’Alembert`
            let after = word.split_once(['\'', '’']).map_or(*word, |(_, after)| after);
            [*word, after]
                .into_iter()
                .any(|word| word.chars().next().is_some_and(|c| !c.is_lowercase()))
        });
    let is_heading = |word: &&str| word.len() > 3 && section_of(word).is_some();
    let is_label = |word: &&str| word.len() > 1 && vocabulary().labels.contains_key(&folded(word));
    let in_mail = |word: &str| word.len() > 2 && local.contains(&folded(word));
    let agrees = words.iter().any(|word| in_mail(word) && !words::is_position(word))
        || words.iter().all(|word| in_mail(word))
        || mail::is_initialled(&words, local);
    let other = !agrees
        && (words::is_position(&words.join(" "))
            || words.iter().any(|word| is_heading(word) || is_label(word))
            || words::is_organisation(first))
        || place::is_place(first)
        || dates::find(first).is_some();
    let names = words.iter().filter(|word| !PARTICLES.contains(&word.to_lowercase().as_str()));
    let fits = words.len() > 1 && names.count() <= 5 && letters && capitals && !other;
    fits.then(|| titles.into_iter().chain(words).collect::<Vec<_>>().join(" "))
}

/// How many words at the end of a line are a job rather than a name: `Ada Byron HR-adviser`, `Ada Byron Chief Engineer`,
/// `Ada Byron Directora de Arte`. A job of one plain word may be a surname, unless the address has all others.
fn title_at_end(words: &[&str], local: &str) -> usize {
    let in_mail = |word: &&str| word.len() > 2 && local.contains(&folded(word));
    let count = words.len();
    let Some(first) = (2..count).find(|at| words::is_position(words[*at])) else { return 0 };
    // What stands between a name and the last word goes on with that: `Chief Engineer`.
    let begin = if first + 1 == count { 2 } else { first };
    let (name, title) = words.split_at(begin);
    let is_plain = title.len() == 1 && !title[0].contains('-');
    let is_known = if is_plain { name.iter().all(in_mail) } else { name.iter().any(in_mail) };
    if is_known && !title.iter().any(in_mail) { count - begin } else { 0 }
}

/// Whether it is a guess where a name ends that a job stands behind, or that none does.
fn is_guessed(line: &str, local: &str) -> bool {
    // A comma says where it ends.
    let field = fields(line).into_iter().next().filter(|field| !field.contains(','));
    let Some(field) = field else { return false };
    let words: Vec<&str> = field.split_whitespace().collect();
    let is_own = |word: &str| word.len() > 2 && local.contains(&folded(word));
    let title = title_at_end(&words, local);
    let begin = words.len() - title;
    let last = words.last().copied().unwrap_or_default();
    match title {
        0 => begin > 2 && words::is_position(last) && !is_own(last),
        1 => begin > 2 || !last.contains('-'),
        _ => begin > 2 || !words::is_position(words[begin]),
    }
}

/// `Augusta "Ada" Byron` without what stands in quotes.
fn without_nick(name: &str) -> String {
    let is_nick = |word: &&str| {
        let marks = ['"', '“', '”', '„', '«', '»'];
        word.starts_with(marks) && word.ends_with(marks) && word.chars().count() > 2
    };
    name.split(' ').filter(|word| !is_nick(word)).collect::<Vec<_>>().join(" ")
}

/// `BYRON, Ada` as it is spoken, and any other name as it is.
fn surname_last(name: &str) -> String {
    let Some((family, given)) = name.split_once(", ") else { return name.to_owned() };
    let is_loud = |word: &str| {
        word.chars().filter(|c| c.is_alphabetic()).count() > 1 && !word.contains(char::is_lowercase)
    };
    let is_calm = |word: &str| {
        word.starts_with(char::is_uppercase)
            && word.contains(char::is_lowercase)
            && word.chars().all(|c| c.is_alphabetic() || c == '-')
    };
    let is_turned = family.split(' ').all(is_loud)
        && (1..=3).contains(&given.split(' ').count())
        && given.split(' ').all(is_calm)
        && !words::is_position(given);
    if is_turned { format!("{given} {family}") } else { name.to_owned() }
}

/// `ADA BYRON-LOVELACE` and `Ada BYRON` in ordinary letters.
fn calmed(name: &str) -> String {
    let is_loud = |word: &&str| {
        word.chars().filter(|c| c.is_alphabetic()).count() > 2
            && word.chars().any(char::is_uppercase)
            && !word.chars().any(char::is_lowercase)
    };
    let words: Vec<&str> = name.split_whitespace().collect();
    let all = words.iter().all(|word| is_loud(word) || word.chars().count() < 4);
    let any = words.iter().any(is_loud);
    let calm = words.into_iter().map(|word| match word.to_lowercase() {
        small if any && all && PARTICLES.contains(&small.as_str()) => small,
        _ if any && all || is_loud(&word) => calm(word),
        _ => word.to_owned(),
    });
    calm.collect::<Vec<_>>().join(" ")
}

fn calm(name: &str) -> String {
    let mut at_start = true;
    let mut calmed = String::new();
    for c in name.chars() {
        if at_start {
            calmed.push(c);
        } else {
            calmed.extend(c.to_lowercase());
        }
        at_start = !c.is_alphabetic();
    }
    calmed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_on_two_lines_of_large_type_is_one_and_a_title_below_it_is_none_of_it() {
        let line =
            |text: &str| Line { text: text.to_owned(), bullet: false, after_gap: false, level: 1 };
        let whole = |next: &str| large_name(&line("Ada Augusta"), &line(next));
        for next in ["Byron Lovelace", "Byron Lovelace | Programmer"] {
            assert_eq!(whole(next).as_deref(), Some("Ada Augusta Byron Lovelace"), "{next}");
        }
        for next in ["Curriculum Vitae", "Programmer", "Experience", "Acme Ltd"] {
            assert_eq!(whole(next), None, "{next}");
        }
    }

    #[test]
    fn a_name_of_three_lines_in_two_types_may_go_on() {
        let line = |text: &str, level: usize| Line {
            text: text.to_owned(),
            bullet: false,
            after_gap: false,
            level,
        };
        let goes_on = |last: &str| {
            let lines = [line("Ada", 1), line("Augusta", 0), line(last, 1)];
            goes_on_large(&lines.each_ref(), 0, "Ada Augusta")
        };
        assert!(goes_on("Byron") && !goes_on("Programmer") && !goes_on("Experience"));
    }

    #[test]
    fn a_job_behind_a_name_is_no_part_of_it() {
        for (line, local, name) in [
            ("Ada Byron HR-adviseur", "ada.b", "Ada Byron"),
            ("Ada Byron Software Engineer", "abyron", "Ada Byron"),
            ("Ada Byron Directora de Arte", "ada", "Ada Byron"),
            ("Ada Byron Vega Diseñadora gráfica", "ada.vega", "Ada Byron Vega"),
            ("Ada Byron Baker", "ada.byron", "Ada Byron"),
            ("Ada Augusta Baker", "ada", "Ada Augusta Baker"),
            ("Ada Byron Chef Baker", "ada.chef.baker", "Ada Byron Chef Baker"),
        ] {
            assert_eq!(name_in(line, local).as_deref(), Some(name), "{line}");
        }
    }

    #[test]
    fn where_a_name_ends_before_a_job_may_be_a_guess() {
        for (line, is_one) in [
            ("Ada Byron", false),
            ("Ada Byron | Baker", false),
            ("Ada Byron, Baker", false),
            ("Ada Byron HR-adviseur", false),
            ("Ada Byron Directora de Arte", false),
            ("Ada Byron Software Engineer", true),
            ("Ada Byron Vega Diseñadora gráfica", true),
            ("Ada Byron Baker", true),
            ("Ada Augusta Baker", true),
        ] {
            assert_eq!(is_guessed(line, "ada.byron"), is_one, "{line}");
        }
    }

    #[test]
    fn the_end_of_an_address_above_a_name_is_no_part_of_it() {
        let line = |text: &str, level: usize| Line {
            text: text.to_owned(),
            bullet: false,
            after_gap: false,
            level,
        };
        let name = |above: Line, below: Line| broken_name(&above, &below);
        assert_eq!(name(line("Schweiz", 0), line("Ada Byron", 1)), None);
        assert_eq!(name(line("Schweiz", 0), line("Ada Byron", 0)), None);
        assert_eq!(name(line("Nulleville", 0), line("Ada Byron", 1)), None);
        let whole = Some("Ada Byron-Lovelace".to_owned());
        assert_eq!(name(line("Ada", 1), line("Byron-Lovelace", 0)), whole);
        assert_eq!(name(line("Ada", 0), line("Byron-Lovelace", 0)), whole);
    }

    #[test]
    fn names_are_told_as_they_are_spoken() {
        for (written, name) in [
            ("BYRON LOVELACE, Ada Augusta", "Ada Augusta BYRON LOVELACE"),
            ("Augusta \"Ada\" Byron", "Augusta Byron"),
            ("Ada Byron, PhD", "Ada Byron, PhD"),
            ("ADA BYRON, Engineer", "ADA BYRON, Engineer"),
        ] {
            assert_eq!(surname_last(&without_nick(written)), name);
        }
    }

    #[test]
    fn a_name_in_two_types_is_told_by_an_address() {
        let said = |page: &str| {
            let text = format!("# Ada\n1010 Null\n555 010 0147\nBYRON\tal@example.org\n{page}");
            crate::ports::artifacts::resume::draft(&text).applicant_profile["basics"]["name"]
                .clone()
        };
        assert_eq!(said("linkedin.com/in/ada-byron"), "Ada Byron");
        assert_ne!(said("linkedin.com/in/ada-l"), "Ada Byron");
    }
}
