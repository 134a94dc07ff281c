//! Skills: the items of lists under a heading for them.

mod grades;
mod grid;
mod items;
mod kinds;
mod levels;

use std::collections::HashSet;

use super::{
    Confidence, Findings, SKILLS_MISSING, dates,
    doubt::{is_certificate, is_strange_skill},
    lines::Line,
    place,
    sections::{Part, section_of},
    vocabulary::vocabulary,
    words,
};

use grades::Graded;
use items::items;
use kinds::{
    KINDS_MIN, heads_kind, is_short_kind, names_kind, part_from_brackets, part_from_first_words,
    part_from_kinds,
};
use levels::{is_language, is_spoken, is_spoken_in, says_level};

/// Most skills that are drafted.
const SKILLS_MAX: usize = 100;

/// Longest skill, in words.
const WORDS_MAX: usize = 7;

/// Fewest words of an item that may be a sentence, where others are.
const TOLD_MIN: usize = 5;

/// Shorter lines are not broken off at the edge of a column.
const LINE_MIN: usize = 45;

/// Reads the skills of sections, each once.
pub(super) fn read(sections: &[&[Line]], findings: &mut Findings) -> Vec<String> {
    let mut skills: Vec<String> = Vec::new();
    let Graded { sections, unsure } = grades::without(sections);
    let sections: Vec<&[Line]> = sections.iter().map(Vec::as_slice).collect();
    let sections = sections.as_slice();
    let kinds = heads_of_grids(sections);
    let lists = || sections.iter().flat_map(|lines| unbroken(unlabelled(lines).as_slice()));
    // One language may be what somebody teaches; several are what they speak.
    let spoken = lists().flat_map(|list| items(&list.text)).filter(|item| is_language(item));
    let speaks = spoken.count() > 1;
    let halves = halves(sections);
    let torn: HashSet<String> = sections.iter().flat_map(|lines| grid::torn(lines)).collect();
    if !torn.is_empty() {
        findings.issue(SKILLS_MISSING);
    }
    // Among sentences a shorter one is hardly a skill either.
    let tells = lists().flat_map(|list| items(&list.text)).any(|item| !is_short(&item));
    for list in lists() {
        let (items, told): (Vec<String>, Vec<String>) =
            items(&list.text).into_iter().partition(|item| is_short(item));
        // What stands in a sentence is told apart badly.
        let is_told = !told.is_empty();
        if is_told || items.is_empty() && !says_level(&list.text) {
            findings.issue(SKILLS_MISSING);
        }
        // `Teaching` alone in its line may be a heading.
        let is_alone = items.len() == 1;
        // Beside other skills a language is one of them.
        let speaks = speaks && items.iter().all(|item| is_language(item));
        for item in items {
            let known = skills.iter().any(|skill| skill.eq_ignore_ascii_case(&item));
            if known {
                continue;
            }
            if skills.len() == SKILLS_MAX {
                findings.issue(SKILLS_MISSING);
                break;
            }
            // `Software    Word, Excel`
            if heads_row(&item, &list.text) && heads_kind(&item) {
                continue;
            }
            let is_heading = is_alone && (section_of(&item).is_some() || names_kind(&item));
            let is_heading = is_heading || kinds.contains(&item) || heads_row(&item, &list.text);
            let is_doubtful = is_certificate(&list.text)
                || unsure.contains(&item)
                || torn.contains(&item)
                || is_strange_skill(&item)
                || speaks
                || is_alone && halves.contains(&item)
                || tells && item.split_whitespace().count() >= TOLD_MIN
                || is_spoken(&item)
                || is_spoken_in(&item, &list.text)
                || list.seams.iter().any(|seam| item.contains(seam.as_str()));
            if is_told || is_heading || is_doubtful {
                findings.sure(&format!("skills.{}", skills.len()), Confidence::Low);
            }
            skills.push(item);
        }
    }
    for at in (0..skills.len()).filter(|at| may_be_several(&skills[*at], &skills)) {
        findings.sure(&format!("skills.{at}"), Confidence::Low);
        findings.issue(SKILLS_MISSING);
    }
    skills
}

/// Fewest items of a list that is taken for skills under a heading that nobody knows, and the most words of one.
const LIST_MIN: usize = 4;
const LIST_WORDS_MAX: usize = 4;

/// Whether lines are nothing but a list of short items, without dates, sentences, names of languages or firms.
pub(super) fn is_list(lines: &[Line]) -> bool {
    let found: Vec<String> = lines.iter().flat_map(|line| items(&line.text)).collect();
    let is_plain = |line: &Line| {
        !line.text.contains(['@', ':'])
            && !line.text.ends_with('.')
            && dates::find(&line.text).is_none()
    };
    let is_item = |item: &String| {
        item.split_whitespace().count() <= LIST_WORDS_MAX
            && !is_language(item)
            && !is_spoken(item)
            && !is_certificate(item)
            && !words::is_organisation(item)
            && !words::is_school(item)
            && !place::is_known(item)
    };
    found.len() >= LIST_MIN && lines.iter().all(is_plain) && found.iter().all(is_item)
}

/// Whether a section that may be a kind of the skills above it holds lists or items, which were not read.
pub(super) fn may_be_lost(part: &Part) -> bool {
    let lists = |line: &Line| line.bullet || line.text.contains(',') || line.fields().len() > 1;
    let is_one = |line: &Line| is_short(&line.text) || line.text.contains(',');
    part.may_be_skills && part.lines.first().is_some_and(|line| lists(line) && is_one(line))
}

/// Shortest first word of the second half of a skill, in characters.
const HALF_MIN: usize = 6;

/// Lines of one skill that begin small, where others do not, and those above them: `Patient` above `monitoring`.
fn halves(sections: &[&[Line]]) -> Vec<String> {
    let is_single = |line: &Line| !line.text.contains([',', ';', '\t', ':']);
    // `dbt` and `memoQ` are whole names.
    let is_small = |line: &Line| {
        let word = first_word(&line.text);
        is_single(line) && word.chars().all(char::is_lowercase) && word.len() >= HALF_MIN
    };
    let mut found = Vec::new();
    for lines in sections {
        let small = lines.iter().filter(|line| is_small(line)).count();
        if small * 4 > lines.len() {
            continue;
        }
        let is_pair = |pair: &&[Line]| is_single(&pair[0]) && is_small(&pair[1]) && !pair[1].bullet;
        let pairs = lines.windows(2).filter(is_pair);
        found.extend(pairs.flat_map(|pair| pair.iter().map(|line| line.text.clone())));
    }
    found
}

/// Fewest words of what may be several skills.
const SEVERAL_MIN: usize = 4;

/// Whether an item may be several skills that nothing parts any more, where most of the others are one word: all its words
/// begin large, `Pumps HACCP Cranes Rigging`.
fn may_be_several(item: &str, skills: &[String]) -> bool {
    let is_large = |word: &str| word.starts_with(char::is_uppercase) && !word.contains('(');
    let singles = skills.iter().filter(|skill| !skill.contains(' ')).count();
    let words = || item.split_whitespace();
    words().count() >= SEVERAL_MIN && words().all(is_large) && singles * 2 > skills.len()
}

/// Whether an item stands in a column of its own before a list, as what kind that is of may.
fn heads_row(item: &str, list: &str) -> bool {
    list.split_once('\t').is_some_and(|(first, rest)| first == item && lists_several(rest))
}

/// Whether several items stand in a text, parted as lists in a line are: `Go, PHP`, `Go | PHP`, `Go · PHP`.
fn lists_several(text: &str) -> bool {
    text.contains(',') || MARKS.iter().any(|mark| text.contains(mark))
}

/// Marks that part items in a line.
const MARKS: [&str; 3] = [" | ", " · ", " • "];

/// `Teaching    Reading` above `Writing` and `Arithmetic`: what kind they are of stands once, in a column of its own.
fn unlabelled(lines: &[Line]) -> Vec<Line> {
    let mut lines = lines.to_vec();
    for line in &mut lines {
        line.text = line.text.replacen(":\t", ": ", 1);
    }
    // `Languages:` alone in its line says of what kind the skills below it are.
    if lines.iter().any(|line| !line.text.ends_with(':')) {
        for at in 1..lines.len() {
            lines[at].after_gap |= lines[at - 1].text.ends_with(':');
        }
        lines.retain(|line| !line.text.ends_with(':'));
    }
    // `Languages` above the items `Rust` and `Go`, `Tools` above others.
    let heads = |pair: &[Line]| !pair[0].bullet && pair[1].bullet;
    let kinds: Vec<String> =
        lines.windows(2).filter(|pair| heads(pair)).map(|pair| pair[0].text.clone()).collect();
    // `Nursing    Planning` above items in as many columns.
    let columns = |text: &str| text.matches('\t').count();
    let heads_columns = lines.windows(2).any(|pair| {
        heads(pair)
            && columns(&pair[0].text) > 0
            && columns(&pair[0].text) == columns(&pair[1].text)
    });
    let is_known = kinds.iter().any(|kind| section_of(kind).is_some());
    if kinds.len() > 1 || is_known || heads_columns {
        lines.retain(|line| line.bullet || !kinds.contains(&line.text));
        return lines;
    }
    if let Some(lists) = grid::below_heads(&lines) {
        return lists;
    }
    if let Some(heads) = heads_of_rows(&lines).or_else(|| heads_by_name(&lines)) {
        return without_heads(&lines, &heads);
    }
    if let Some(lists) = below_kinds(&lines) {
        return lists;
    }
    part_from_kinds(&mut lines);
    part_from_brackets(&mut lines);
    part_from_first_words(&mut lines);
    if part_from_columns(&mut lines) {
        return lines;
    }
    let (first, rest) = match lines.split_first_mut() {
        Some((first, rest)) if rest.len() > 1 && !first.bullet => (first, rest),
        _ => return lines,
    };
    let is_one = |line: &Line| !line.text.contains([',', '\t']) && line.fields().len() == 1;
    if let Some((kind, item)) = first.text.split_once('\t')
        && !kind.contains(',')
        && !item.contains('\t')
        && (heads_kind(kind) || kind.split(' ').any(heads_kind))
        && rest.iter().all(is_one)
    {
        first.text = item.to_owned();
    }
    lines
}

/// Puts a colon behind the kinds of `CAD    SolidWorks, Inventor`, where most rows with columns are such lists, or their
/// first texts are called as kinds are and skills stand alone below. No line goes on with the one above then.
fn part_from_columns(lines: &mut [Line]) -> bool {
    let lists = |line: &&Line| {
        line.text.split_once('\t').is_some_and(|(kind, items)| {
            !lists_several(kind) && lists_several(items) && !items.contains('\t')
        })
    };
    // The bars of `CAD    Creo | Inventor` part items and no columns.
    let is_marked = |text: &str| MARKS.iter().any(|mark| text.contains(mark));
    let is_grid = |line: &Line| line.fields().len() > 2 && !is_marked(&line.text);
    let has_columns = |line: &Line| line.text.matches('\t').count() > 1 || is_grid(line);
    if lines.len() < 2 || lines.iter().any(|line| line.bullet || has_columns(line)) {
        return false;
    }
    let rows = lines.iter().filter(lists).count();
    let tabbed = lines.iter().filter(|line| line.text.contains('\t')).count();
    let is_named =
        |line: &&Line| line.text.split_once('\t').is_some_and(|(kind, _)| names_kind(kind));
    let named = lines.iter().filter(is_named).count();
    let are_lists = rows > 1 && rows * 2 > tabbed
        || named >= KINDS_MIN && named * 2 > tabbed && tabbed < lines.len();
    if are_lists {
        for line in lines {
            line.text = line.text.replacen('\t', ": ", 1);
        }
    }
    are_lists
}

/// The lines without the ones that say of what kind those below them are: `Languages` above `Go, PHP` and `Data` above
/// `Redis,` and `Kafka`, or each above some lines of one skill.
fn below_kinds(lines: &[Line]) -> Option<Vec<Line>> {
    if lines.iter().any(|line| line.bullet) {
        return None;
    }
    let heads = heads_of_lists(lines)
        .or_else(|| heads_of_blocks(lines).filter(|_| lines.iter().all(is_kind)))?;
    Some(without_heads(lines, &heads))
}

/// The lines without the kinds above them; no list goes on with the one above a kind.
fn without_heads(lines: &[Line], heads: &[usize]) -> Vec<Line> {
    let begins = |at: usize| at > 0 && heads.contains(&(at - 1));
    let rest = lines.iter().enumerate().filter(|(at, _)| !heads.contains(at));
    rest.map(|(at, line)| Line { after_gap: line.after_gap || begins(at), ..line.clone() })
        .collect()
}

/// Whether a line is as short as a kind of skills.
fn is_kind(line: &Line) -> bool {
    line.fields().len() == 1 && is_short_kind(&line.text)
}

/// The lines above lists, where one stands above each list: a line of several items and what its comma leads to.
fn heads_of_lists(lines: &[Line]) -> Option<Vec<usize>> {
    let is_list = |at: usize| {
        let text = &lines[at].text;
        text.contains(", ") || lines[at].fields().len() > 1 || text.ends_with(',')
    };
    let goes_on = |at: usize| at > 0 && lines[at - 1].text.ends_with([',', '•', '·', '|']);
    let heads: Vec<usize> = (0..lines.len()).filter(|at| !is_list(*at) && !goes_on(*at)).collect();
    let heads_list = |at: &usize| is_kind(&lines[*at]) && at + 1 < lines.len() && is_list(at + 1);
    let is_whole = heads.first() == Some(&0) && heads.iter().all(heads_list);
    (heads.len() >= KINDS_MIN && is_whole).then_some(heads)
}

/// The first lines of blocks of several lines, one of which at least is called like a heading.
fn heads_of_blocks(lines: &[Line]) -> Option<Vec<usize>> {
    let heads: Vec<usize> =
        (0..lines.len()).filter(|at| *at == 0 || lines[*at].after_gap).collect();
    let ends = heads.iter().skip(1).copied().chain([lines.len()]);
    let is_filled = heads.iter().zip(ends).all(|(head, end)| end - head > 1);
    let is_known = heads.iter().any(|head| section_of(&lines[*head].text).is_some());
    (heads.len() >= KINDS_MIN && is_filled && is_known).then_some(heads)
}

/// Lines alone at the beginning of blocks whose other lines are in columns: `Planning` above `Budgets    Run of show`.
fn heads_of_rows(lines: &[Line]) -> Option<Vec<usize>> {
    let is_head = |at: &usize| {
        let (line, next) = (&lines[*at], lines.get(at + 1));
        (*at == 0 || line.after_gap)
            && line.fields().len() == 1
            && !line.text.contains([',', ':'])
            && next.is_some_and(|next| !next.after_gap && next.fields().len() > 1)
    };
    let heads: Vec<usize> = (0..lines.len()).filter(is_head).collect();
    let has_items = lines.iter().any(|line| line.bullet || line.text.contains(','));
    (heads.len() >= KINDS_MIN && !has_items).then_some(heads)
}

/// Lines that are called as kinds of skills are, above lines of which most are in columns: `Languages` above `Go    PHP`.
fn heads_by_name(lines: &[Line]) -> Option<Vec<usize>> {
    let is_head = |at: usize| lines[at].fields().len() == 1 && names_kind(&lines[at].text);
    let heads: Vec<usize> = (0..lines.len()).filter(|at| is_head(*at)).collect();
    let below = |head: &usize| lines.get(head + 1).filter(|_| !is_head(head + 1));
    let in_columns = heads.iter().filter_map(below).filter(|line| line.fields().len() > 1).count();
    let has_items = lines.iter().any(|line| line.bullet || line.text.contains([',', ':']));
    let are_heads = heads.first() == Some(&0) && heads.iter().all(|head| below(head).is_some());
    // One stands above each list, also those that are called otherwise.
    let are_some = || heads_of_lists(lines).is_some_and(|all| all.len() > heads.len());
    let are_clear = heads.len() >= KINDS_MIN && are_heads && in_columns * 2 >= heads.len();
    (are_clear && !has_items && !are_some()).then_some(heads)
}

/// What stands in the first rows of grids, where one of it is called as kinds of skills are: it may be their heads.
fn heads_of_grids(sections: &[&[Line]]) -> Vec<String> {
    let columns = |line: &Line| line.text.matches('\t').count();
    let is_grid = |lines: &&&[Line]| {
        matches!(lines, [first, second, third, ..] if columns(first) > 0
            && !first.bullet
            && !first.text.contains([',', '|'])
            && columns(first) == columns(second)
            && columns(first) == columns(third))
    };
    let firsts = sections.iter().filter(is_grid).filter_map(|lines| lines.first());
    let rows = firsts.map(Line::fields).filter(|row| row.iter().any(|item| names_kind(item)));
    rows.flatten().map(str::to_owned).collect()
}

/// A list, and the first words of its lines that go on with what stands above them: they may begin an item.
#[derive(Debug)]
struct List {
    text: String,
    seams: Vec<String>,
}

/// The lines, with those put together that are one list.
fn unbroken(lines: &[Line]) -> Vec<List> {
    let mut whole: Vec<List> = Vec::new();
    let mut above: Option<&Line> = None;
    let mut bulleted = false;
    let is_row = |text: &str| text.contains("   ") || text.contains("[x] ");
    let longest = lines.iter().map(|line| line.text.chars().count()).max().unwrap_or_default();
    for line in lines {
        let goes_on = !line.bullet && !line.after_gap && !line.text.contains([':', '\t']);
        let goes_on = goes_on && !is_row(&line.text);
        let is_broken = |above: &Line, list: &str| {
            goes_on
                && !is_row(&above.text)
                && (is_in_item(list, &line.text)
                    || is_broken(&above.text, &line.text, bulleted)
                        && !has_room(&above.text, &line.text, longest))
        };
        let last = whole.last_mut();
        if let Some(last) = last
            && above.is_some_and(|above| breaks_word(&above.text, line))
        {
            last.text.pop();
            last.seams.push(format!("{}{}", last_word(&last.text), first_word(&line.text)));
            last.text.push_str(&line.text);
            above = Some(line);
            continue;
        }
        let last = whole.last_mut();
        if let Some(last) = last.filter(|last| above.is_some_and(|it| is_broken(it, &last.text))) {
            if is_seam(&last.text, &line.text) {
                last.seams.push(format!("{} {}", last_word(&last.text), first_word(&line.text)));
            }
            last.text.push(' ');
            last.text.push_str(&line.text);
        } else {
            whole.push(List { text: line.text.clone(), seams: Vec::new() });
            bulleted = line.bullet;
        }
        above = Some(line);
    }
    whole
}

/// Whether a hyphen breaks a word off at the end of a line: `Stabi-` above `litätsrechnung`, but not `Schul-` above `und
/// Berufsrecht`. Whether it stays in the word is not told.
fn breaks_word(above: &str, line: &Line) -> bool {
    const JOINTS: [&str; 10] = ["und", "oder", "and", "or", "et", "ou", "y", "e", "en", "of"];
    let is_cut = above.strip_suffix('-').is_some_and(|begin| begin.ends_with(char::is_lowercase));
    is_cut
        && !line.bullet
        && !line.after_gap
        && line.text.starts_with(char::is_lowercase)
        && !JOINTS.contains(&first_word(&line.text))
}

/// Whether an item may end between two lines, though no mark says so: `Word, Excel` above `Access, Teams`.
fn is_seam(above: &str, below: &str) -> bool {
    !above.ends_with([',', ';', '-', '/', '&', '·', '•', '|', '–'])
        && below.starts_with(char::is_uppercase)
        && !vocabulary().linking.contains(last_word(above))
}

fn first_word(text: &str) -> &str {
    text.split([' ', ',', ';']).next().unwrap_or_default()
}

fn last_word(text: &str) -> &str {
    text.rsplit([' ', ',', ';']).next().unwrap_or_default()
}

/// Whether the first word of the next line would have fitted in: no line is broken there.
fn has_room(line: &str, next: &str, longest: usize) -> bool {
    let length = |text: &str| text.chars().count();
    !line.ends_with(',') && (length(line) + 1 + length(first_word(next))) * 5 < longest * 4
}

/// Most items at the end of a list that show how its items begin; a list may be long.
const SHOWN_MAX: usize = 8;

/// Whether a list goes on in the middle of an item, because that begins small below and all others do not: `Reading, Client`
/// above `communication, Welding`.
fn is_in_item(list: &str, next: &str) -> bool {
    let is_large = |item: &str| !item.trim().starts_with(char::is_lowercase);
    let is_list = |text: &str| text.contains(", ") && !text.contains(['\t', ':']);
    let begin = list.rmatch_indices(", ").nth(SHOWN_MAX).map_or(0, |(at, mark)| at + mark.len());
    let end = &list[begin..];
    next.starts_with(char::is_lowercase)
        && is_list(next)
        && is_list(end)
        && !end.ends_with([',', '.', ';'])
        && end.split(',').all(is_large)
        && next.split(',').skip(1).all(is_large)
}

/// Whether a line goes on in the next one: a long one, a list, or an item whose next line begins small.
fn is_broken(line: &str, next: &str, bulleted: bool) -> bool {
    let is_list = line.len() > LINE_MIN || line.ends_with(',');
    !line.contains('\t') && (is_list || bulleted && next.starts_with(char::is_lowercase))
}

/// Whether an item is no sentence. Two sentences are a remark.
fn is_short(item: &str) -> bool {
    item.split_whitespace().count() <= WORDS_MAX && !item.contains(". ")
}

#[cfg(test)]
mod tests {
    use super::{
        super::{draft, lines::lines},
        *,
    };

    fn line(text: &str) -> Line {
        Line { text: text.to_owned(), bullet: false, after_gap: false, level: 0 }
    }

    fn found(texts: &[&str]) -> Vec<String> {
        let lines: Vec<Line> = texts.iter().map(|text| line(text)).collect();
        read(&[&lines], &mut Findings::default())
    }

    #[test]
    fn kinds_in_a_column_of_their_own_are_no_skills() {
        for (one, other) in [("Programme", "Fachlich"), ("Software", "Methoden")] {
            let rows = [
                &format!("{one}\tDATEV"),
                "Lexware",
                &format!("{other}\tLohnbuchhaltung"),
                "Jahresabschluss",
            ];
            let skills = ["DATEV", "Lexware", "Lohnbuchhaltung", "Jahresabschluss"];
            assert_eq!(found(&rows), skills, "{one}");
        }
    }

    #[test]
    fn a_word_broken_off_with_a_hyphen_is_one_and_doubtful() {
        let rows = [line("Fachlich\tECDIS, Planung, Stabi-"), line("litätsrechnung, Krisen")];
        let mut findings = Findings::default();
        let skills = read(&[&rows], &mut findings);
        let at = skills.iter().position(|skill| skill == "Stabilitätsrechnung").unwrap();
        assert_eq!(findings.confidence[&format!("skills.{at}")], Confidence::Low);
        assert!(
            found(&["Planung, Schul-", "und Berufsrecht"])
                .iter()
                .all(|it| !it.contains("Schulund"))
        );
    }

    #[test]
    fn the_first_of_two_skills_in_a_row_is_one_unless_it_is_called_as_kinds_are() {
        assert_eq!(found(&["Revit\tAutoCAD", "SketchUp", "Lumion"]).len(), 4);
        assert_eq!(found(&["Systems and skills\tAutoCAD", "SketchUp", "Lumion"]).len(), 3);
    }

    #[test]
    fn skills_that_nothing_parts_are_told_to_be_missing() {
        let told = |item: &str| {
            let text = format!("Ada Byron\n\nSkills\n{item}\nWelding\nLathes\nExcel");
            draft(&text).issues.iter().any(|issue| issue == SKILLS_MISSING)
        };
        assert!(told("Pumps HACCP Cranes Rigging"));
        assert!(!told("Pumps of all kinds") && !told("Adobe Creative Suite"));
    }

    #[test]
    fn an_item_that_is_called_like_a_section_is_one_right_above_a_heading() {
        for (last, below) in [
            ("Health and safety", "Languages\nEnglish, French"),
            ("Capacitación", "Idiomas\tEspañol, Inglés"),
        ] {
            let text =
                format!("Ada Byron\n\nSkills\n• Go\n• Welding\n• Turning\n• {last}\n{below}");
            assert!(draft(&text).skills.iter().any(|skill| skill == last), "{last}");
        }
    }

    #[test]
    fn items_below_an_unknown_kind_among_kinds_are_told_to_be_missing() {
        let kinds = "Calidad\n• AMFE\n• SPC\n\nHerramientas\n• Minitab\n• SolidWorks";
        let skills = format!("Conocimientos\n\n{kinds}\n\nNulidad\n• Fresado\n• Calibres");
        let text = format!("Ada Byron\nada@example.org\n\n{skills}\n\nIdiomas\n\n• Euskera");
        assert!(draft(&text).issues.iter().any(|issue| issue == SKILLS_MISSING));
    }

    #[test]
    fn kinds_beside_lists_with_dots_are_no_skills() {
        for dot in ["·", "•"] {
            let rows = [
                format!("Clinical\tVenepuncture {dot} Enteral feeding"),
                format!("Working with families\tSafeguarding {dot} Parenting {dot} Care planning"),
                format!("Systems\tSystmOne {dot} Microsoft Teams"),
            ];
            let rows: Vec<&str> = rows.iter().map(String::as_str).collect();
            assert_eq!(
                found(&rows).join("|"),
                "Venepuncture|Enteral feeding|Safeguarding|Parenting|Care planning|SystmOne|Microsoft Teams"
            );
        }
    }

    #[test]
    fn kinds_above_lists_of_several_lines_are_no_skills_and_part_the_lists() {
        let systems = ["Systems", "Windows Server, Ubuntu Server,", "VMware, Active Directory"];
        let rest = ["Cloud", "Azure, Microsoft 365", "Scripts", "PowerShell, Bash"];
        assert_eq!(
            found(&[systems.as_slice(), &rest].concat()).join("|"),
            "Windows Server|Ubuntu Server|VMware|Active Directory|Azure|Microsoft 365|PowerShell|Bash"
        );
    }

    #[test]
    fn lists_below_kinds_do_not_go_on_with_each_other() {
        let mut lines: Vec<Line> = [
            "Null",
            "Storage | Filing | Minute taking | Records of long and short pumps",
            "Emca",
            "Gestiona | Word",
        ]
        .map(line)
        .into();
        lines[2].after_gap = true;
        let skills = read(&[&lines], &mut Findings::default()).join("|");
        assert_eq!(
            skills,
            "Storage|Filing|Minute taking|Records of long and short pumps|Gestiona|Word"
        );
    }

    #[test]
    fn kinds_with_a_colon_part_the_lists_below_them() {
        let lines = ["Systems:", "Ubuntu Server,", "Active Directory", "Cloud:", "Azure, AWS"];
        assert_eq!(found(&lines).join("|"), "Ubuntu Server|Active Directory|Azure|AWS");
    }

    #[test]
    fn languages_with_levels_and_kinds_beside_or_above_lists_are_no_skills() {
        assert_eq!(
            found(&["Word, Excel", "English: fluent", "German: gut (B2)"]),
            ["Word", "Excel"]
        );
        assert_eq!(found(&["Software and methods\tWord, Excel"]), ["Word", "Excel"]);
        let lines = ["Speech", "Rust • Go", "Storage", "Redis • Kafka •", "Terraform"];
        assert_eq!(found(&lines), ["Rust", "Go", "Redis", "Kafka", "Terraform"]);
    }

    #[test]
    fn kinds_at_the_beginning_of_every_line_are_no_skills() {
        let lines = ["Design Figma, Drawing", "Research Interviews, Surveys"];
        assert_eq!(found(&lines), ["Figma", "Drawing", "Interviews", "Surveys"]);
        let lines = ["Design thinking, Drawing", "Research, Surveys"];
        assert_eq!(found(&lines), ["Design thinking", "Drawing", "Research", "Surveys"]);
    }

    #[test]
    fn kinds_whose_skills_stand_in_brackets_are_no_skills() {
        let lines = ["Methods (Interviews, Surveys)", "Teaching (Seminars, Exams)"];
        assert_eq!(found(&lines), ["Interviews", "Surveys", "Seminars", "Exams"]);
        let lines = ["Python (NumPy, SciPy)", "R (dplyr, ggplot2)"];
        assert_eq!(found(&lines), lines);
        assert_eq!(found(&["Werkzeuge (Word, Excel).", "Python (NumPy, SciPy)"]).len(), 4);
        assert_eq!(found(&["Werkzeuge (Word, Excel)", "Lean", "R (dplyr, ggplot2)"]).len(), 4);
    }

    #[test]
    fn an_item_across_two_lines_is_marked_where_it_may_be_two() {
        let marked = |lines: &[&str]| {
            let lines: Vec<Line> = lines.iter().map(|text| line(text)).collect();
            let mut findings = Findings::default();
            let skills = read(&[&lines], &mut findings);
            let paths = findings.confidence.into_keys();
            let at = paths.filter_map(|path| path.strip_prefix("skills.")?.parse::<usize>().ok());
            at.map(|at| skills[at].clone()).collect::<Vec<_>>()
        };
        let first = "Bookkeeping, Yearly closing of the books, Payroll";
        assert_eq!(marked(&[first, "Controlling, Audits"]), ["Payroll Controlling"]);
        assert!(marked(&[&format!("{first},"), "Controlling, Audits"]).is_empty());
        assert!(marked(&[first, "for agencies, Audits"]).is_empty());
        // There was room for `Controlling` in the first line.
        let long =
            "Budgets, Forecasts, Contracts, Tenders, Negotiations with banks and their lawyers,";
        assert!(marked(&[long, first, "Controlling, Audits"]).is_empty());
    }

    #[test]
    fn languages_are_marked_in_a_list_of_their_own_and_so_is_what_stands_at_the_edge_of_a_page() {
        let marked = |text: &str| {
            let mut findings = Findings::default();
            read(&[&[line(text)]], &mut findings);
            findings.confidence.into_keys().collect::<Vec<_>>()
        };
        assert!(marked("Word, Spanish").is_empty());
        assert!(marked("Word, Spanish, French").is_empty());
        assert_eq!(marked("Spanish, French"), ["skills.0", "skills.1"]);
        assert_eq!(marked("Word, https://example.org"), ["skills.1"]);
        assert_eq!(marked("Trade\tTaxes, Audits"), ["skills.0"]);
        let lines = ["Triage", "Patient", "monitoring", "Wounds", "Charting"].map(line);
        let mut findings = Findings::default();
        read(&[&lines], &mut findings);
        assert_eq!(findings.confidence.into_keys().collect::<Vec<_>>(), ["skills.1", "skills.2"]);
    }

    #[test]
    fn dashes_part_skills_where_there_are_several_and_no_commas() {
        assert_eq!(items("WMS – SAP EWM – Douane en AEO"), ["WMS", "SAP EWM", "Douane en AEO"]);
        assert_eq!(items("Rust - C - SQL"), ["Rust", "C", "SQL"]);
        assert_eq!(items("Word – Excel"), ["Word – Excel"]);
        assert_eq!(items("Grants of $12,000, Audits"), ["Grants of $12,000", "Audits"]);
    }

    #[test]
    fn languages_with_grades_and_heads_of_grids_are_marked() {
        let line =
            |text: &str| Line { text: text.to_owned(), bullet: false, after_gap: false, level: 0 };
        let doubtful = |texts: &[&str]| {
            let lines: Vec<Line> = texts.iter().map(|text| line(text)).collect();
            let mut findings = Findings::default();
            let skills = read(&[&lines], &mut findings);
            let is_low = |at: &usize| {
                findings.confidence.get(&format!("skills.{at}")) == Some(&Confidence::Low)
            };
            (0..skills.len()).filter(is_low).map(|at| skills[at].clone()).collect::<Vec<_>>()
        };
        assert_eq!(doubtful(&["Word, Inglés (nativo), Excel"]), ["Inglés"]);
        let english = "Englisch (fließend, C1)";
        assert_eq!(doubtful(&["Word, Englisch (fließend, C1)"]), [english]);
        assert!(doubtful(&["Word, Spanish, Excel"]).is_empty());
        let rows = ["Revit\tPHPP\tHand drawing", "Rhino\tIES VE\tPhotography"];
        assert_eq!(
            doubtful(&["CAD\tAnalysis\tMaking", rows[0], rows[1]]),
            ["CAD", "Analysis", "Making"]
        );
        assert!(doubtful(&["ArchiCAD\tEnscape\tModels", rows[0], rows[1]]).is_empty());
    }

    #[test]
    fn heads_of_columns_are_no_skills() {
        let line = |text: &str, bullet: bool| Line {
            text: text.to_owned(),
            bullet,
            after_gap: false,
            level: 0,
        };
        let lines = [
            line("Soins\tOrganisation", false),
            line("Perfusions\t• Plannings", true),
            line("Pansements\t• Netsoins", true),
        ];
        let skills = read(&[&lines], &mut Findings::default());
        assert_eq!(skills, ["Perfusions", "Plannings", "Pansements", "Netsoins"]);
    }

    #[test]
    fn kinds_above_rows_of_skills_are_none() {
        for (kinds, rest) in [
            (["Lenguajes", "Plataformas", "Otros"], ["Java\tPHP", "Docker\tAWS", "Scrum"]),
            (["Languages", "Databases", "Other"], ["Java\tPHP", "Redis", "Scrum\tKanban"]),
            (["Langages", "Plateformes", "Autres"], ["Java\tPHP", "Docker\tAWS", "Scrum"]),
            (
                ["Programmiersprachen", "Plattformen", "Sonstiges"],
                ["Java\tPHP", "AWS\tGo", "Scrum"],
            ),
            (["Linguagens", "Plataformas", "Outros"], ["Java\tPHP", "AWS\tGo", "Scrum"]),
        ] {
            let rows: Vec<String> =
                kinds.iter().zip(rest).map(|(kind, row)| format!("{kind}\n{row}")).collect();
            let found = read(&[&lines(&rows.join("\n"))], &mut Findings::default());
            assert!(kinds.iter().all(|kind| !found.contains(&(*kind).to_owned())), "{found:?}");
            assert!(found.contains(&"Scrum".to_owned()), "{found:?}");
        }
    }

    #[test]
    fn an_item_that_goes_on_in_a_narrow_column_is_one() {
        let list = "Radiography, Team\nleadership, Client\ncommunication, Stock control";
        let found = read(&[&lines(list)], &mut Findings::default());
        assert_eq!(
            found,
            ["Radiography", "Team leadership", "Client communication", "Stock control"]
        );
        let small = read(&[&lines("Go, dbt\nterraform, Kafka")], &mut Findings::default());
        assert_eq!(small, ["Go", "dbt", "terraform", "Kafka"]);
    }

    #[test]
    fn bars_part_the_skills_behind_their_kinds() {
        let (spoken, free) = ("Sprachkenntnisse\tDeutsch | Englisch (B2)", "Hobbys\tChor, Schach");
        let rows = "Systeme\tDebian | Nullix\nNetz\tVLAN | WLAN\nWerkzeuge\tBash | Vi";
        let text = |rows: &str| {
            format!(
                "Ada Byron\n\n## Ausbildung\nDiplom\n\n## Fähigkeiten\n{spoken}\n{rows}\n{free}\n"
            )
        };
        let several = draft(&text(rows));
        assert_eq!(several.skills.join("|"), "Debian|Nullix|VLAN|WLAN|Bash|Vi");
        assert!(!several.confidence.keys().any(|path| path.starts_with("skills.")));
        let one = draft(&text("Fähigkeiten\tDebian | Nullix | VLAN"));
        assert_eq!(one.skills.join("|"), "Debian|Nullix|VLAN");
    }

    #[test]
    fn lines_above_all_lists_are_kinds_though_only_some_are_called_so() {
        let lines =
            ["Systeme", "Debian · Nullix 365", "Netz", "VLAN · WLAN", "Werkzeuge", "Bash · Vi"];
        assert_eq!(found(&lines).join("|"), "Debian|Nullix 365|VLAN|WLAN|Bash|Vi");
    }
}
