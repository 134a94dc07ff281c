//! The entries of a section: each stands around a period, with the lines that name the role and what is said of it.

use super::super::{
    dates::Period,
    lines::{Line, lead},
    place,
    vocabulary::{folded, vocabulary},
    words,
};
use super::{
    Order, Role,
    periods::{anchor, without},
    pieces::{Kind, is_firm_in_label, is_title_in_label, named},
    town_columns,
};

/// Most lines that name a role: firm, title, place, dates, and how long it lasted; and most of them above the dates.
const HEAD_MAX: usize = 5;
const ABOVE_MAX: usize = 3;

/// The lines that name one role.
#[derive(Debug)]
pub(super) struct Entry {
    /// The lines without the period.
    pub(super) head: Vec<String>,
    pub(super) period: Period,
    /// It begins a block of its own rather than standing under a firm that was named before.
    pub(super) own_block: bool,
    /// Its first lines are elsewhere.
    pub(super) is_cut: bool,
    /// What is said of the work.
    pub(super) items: Vec<String>,
    /// What stands behind the period in its line, where it begins that line and other lines stand above.
    beside: Option<String>,
    /// The line below the period, where that ends its line.
    below: Option<String>,
    /// The town, where others have theirs.
    pub(super) town: Option<String>,
}

/// The lines with the periods of entries.
fn anchors(lines: &[Line]) -> Vec<(usize, Period)> {
    let anchors: Vec<(usize, Period)> = lines
        .iter()
        .enumerate()
        .filter_map(|(at, line)| anchor(line).map(|period| (at, period)))
        .filter(|(at, _)| !lines[*at].bullet || heads_list(lines, *at))
        .collect();
    // Where periods begin their lines, one in brackets is said of a role.
    let leading = anchors.iter().filter(|(_, period)| period.at.start == 0).count();
    let in_brackets = |(at, period): &(usize, Period)| {
        lines[*at].text[..period.at.start].trim_end().ends_with('(')
    };
    // So is one date at the end of a sentence that begins with what somebody did: `Wrote a report, printed 2024`.
    let ends_sentence = |(at, period): &(usize, Period)| {
        let line = &lines[*at];
        period.start.is_none()
            && !period.lasts
            && !line.after_gap
            && period.at.end == line.text.len()
            && line.text[..period.at.start].trim_end().contains(", ")
            && line.text.split([' ', ',']).skip(1).any(|word| word.starts_with(char::is_lowercase))
            && !words::is_position(&line.text)
    };
    let is_said =
        |anchor: &(usize, Period)| leading > 1 && (in_brackets(anchor) || ends_sentence(anchor));
    anchors.into_iter().filter(|anchor| !is_said(anchor)).collect()
}

/// Finds the lines with periods and the lines around them that belong to each. Whether a firm stands above its
/// period or beneath shows at the first one, and a résumé keeps to it.
pub(super) fn entries(lines: &[Line]) -> Vec<Entry> {
    let anchors = anchors(lines);
    let habit = Habit::of(lines, &anchors);
    let above = habit.most;
    let firm_beside = anchors.first().is_some_and(|(first, period)| {
        above == 0 && !words::is_position(&without(&lines[*first].text, period))
    });
    let led = |at: usize, free: usize| firm_beside && leads(lines, at, free);
    let mut entries = Vec::new();
    let mut free = 0;
    // The entries go on under the firm of the last one.
    let mut under_firm = false;
    for (n, (at, period)) in anchors.iter().enumerate() {
        let mut before = back(lines, *at, free, &habit);
        let is_led = n > 0 && led(*at, free);
        before += usize::from(is_led);
        under_firm = is_led || under_firm && !lines[*at].after_gap;
        let next = anchors.get(n + 1).map_or(lines.len(), |(next, _)| {
            let before = back(lines, *next, at + 1, &habit);
            next - before.max(usize::from(led(*next, at + 1)))
        });
        let mut head: Vec<String> =
            lines[at - before..*at].iter().map(|line| line.text.clone()).collect();
        let rest = without(&lines[*at].text, period);
        let is_beside = before > 0 && period.at.start == 0 && !rest.is_empty();
        let beside = is_beside.then(|| rest.clone());
        let ends = period.at.start > 0;
        head.push(rest);
        let room = HEAD_MAX - head.len();
        let after = &lines[at + 1..next];
        let own = after.iter().take_while(|line| habit.lead != Some(line.level)).count();
        let after = &after[..own];
        let taken =
            after.iter().take(room).take_while(|line| adds(&mut head, line, &habit)).count();
        free = at + 1 + taken;
        let below = after.first().filter(|_| ends && taken > 0).map(|line| line.text.clone());
        head.retain(|line| !line.is_empty());
        let own_block =
            before > 0 && before >= above.min(2) || above == 0 && (is_led || !under_firm);
        // Nothing but the entry stands above the first period of a section.
        let is_cut = n == 0 && *at > before && !lines[at - before].after_gap;
        let items = items(&lines[free..next.max(free)]);
        let (period, town) = (period.clone(), None);
        entries.push(Entry { head, period, own_block, is_cut, items, beside, below, town });
    }
    with_towns(entries)
}

/// The entries with the towns that others show to be ones: behind the periods, or in a column of the head.
fn with_towns(entries: Vec<Entry>) -> Vec<Entry> {
    let mut entries = entries;
    let spots: [fn(&Entry) -> Option<&str>; 2] =
        [|entry| entry.beside.as_deref(), |entry| entry.below.as_deref()];
    for spot in spots {
        if !town_columns::are_places(entries.iter().filter_map(spot)) {
            continue;
        }
        for entry in &mut entries {
            let town = spot(entry).filter(|town| town_columns::is_town(town)).map(str::to_owned);
            entry.head.retain(|line| Some(line) != town.as_ref());
            entry.town = town;
        }
        return entries;
    }
    let heads: Vec<&[String]> = entries.iter().map(|entry| entry.head.as_slice()).collect();
    let found = town_columns::in_columns(&heads);
    for (entry, found) in entries.iter_mut().zip(found) {
        if let Some((at, name, town)) = found {
            entry.head[at] = name;
            entry.town = Some(town);
        }
    }
    entries
}

/// Whether an item of a list with a period can be a role: `Mentor of two students since 2021` among items without any
/// is said of one.
fn heads_list(lines: &[Line], at: usize) -> bool {
    let begin = lines[..at].iter().rposition(|line| !line.bullet).map_or(0, |last| last + 1);
    let length = lines[begin..].iter().take_while(|line| line.bullet).count();
    let run = &lines[begin..begin + length];
    let dated = |line: &Line| anchor(line).is_some_and(|period| period.start.is_some());
    let under_role = lines[..begin].iter().any(|line| !line.bullet && anchor(line).is_some());
    !under_role || length > 1 && run.iter().all(dated)
}

/// Most items of one role, and what one of them may have in characters.
const ITEMS_MAX: usize = 30;
const ITEM_MAX: usize = 600;

/// The items of a list; a line that begins none goes on with the one before.
fn items(lines: &[Line]) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    let bulleted = lines.iter().any(|line| line.bullet);
    for line in lines {
        let is_full = items.len() == ITEMS_MAX;
        match items.last_mut() {
            Some(last) if !line.bullet && (bulleted || !last.ends_with('.')) => {
                if last.len() < ITEM_MAX {
                    last.push(' ');
                    last.push_str(&line.text);
                }
            }
            _ if is_full => break,
            _ => items.push(line.text.clone()),
        }
    }
    items
}

/// How the entries of a section begin, as the first of them shows.
#[derive(Debug, Clone, Copy)]
struct Habit {
    /// Most lines above a period that name the role.
    most: usize,
    /// Empty lines may stand between them.
    crosses: bool,
    /// The mark that the first line of each has, and no other.
    lead: Option<usize>,
    /// The firm stands above the title, and both above the period.
    has_firm_above: bool,
    /// The titles stand right below the periods.
    has_titles_below: bool,
}

impl Habit {
    /// What the first entry shows, and all titles.
    fn of(lines: &[Line], anchors: &[(usize, Period)]) -> Self {
        let habit = Self {
            most: ABOVE_MAX,
            crosses: true,
            lead: lead(lines),
            has_firm_above: false,
            has_titles_below: has_titles_below(lines, anchors),
        };
        let Some((first, _)) = anchors.first() else { return habit };
        let above = back(lines, *first, 0, &habit);
        let inner = lines[first - above..=*first].iter().skip(1);
        Self {
            most: above,
            crosses: above > 0 && inner.clone().any(|line| line.after_gap),
            has_firm_above: above > 1 && has_firm_above(&lines[first - above..*first]),
            ..habit
        }
    }
}

/// Fewest titles right below periods that show that titles stand there.
const BELOW_MIN: usize = 2;

/// Whether most periods stand alone in their lines and have a title right below them.
fn has_titles_below(lines: &[Line], anchors: &[(usize, Period)]) -> bool {
    let is_above_title = |(at, period): &&(usize, Period)| {
        without(&lines[*at].text, period).is_empty()
            && lines.get(at + 1).is_some_and(|next| !next.bullet && words::is_position(&next.text))
    };
    let count = anchors.iter().filter(is_above_title).count();
    count >= BELOW_MIN && count * 2 > anchors.len()
}

/// Longest title that no word tells, in words.
const TITLE_MAX: usize = 6;

/// Takes a line right under a period in as the title where others have theirs, below a firm and its town.
fn takes_title(head: &mut Vec<String>, line: &Line) -> bool {
    let kinds = |lines: &[String]| -> Vec<Kind> {
        named(lines).into_iter().map(|named| named.kind).collect()
    };
    let above: Vec<String> = head.iter().filter(|line| !line.is_empty()).cloned().collect();
    let [firm, town] = above.as_slice() else { return false };
    let text = &line.text;
    let takes = names(line)
        && text.starts_with(char::is_uppercase)
        && text.split_whitespace().count() <= TITLE_MAX
        && kinds(&above) == [Kind::Firm, Kind::Unknown]
        && kinds(std::slice::from_ref(text)) == [Kind::Unknown];
    if takes {
        *head = vec![format!("{firm}, {town}"), text.clone()];
    }
    takes
}

/// Whether a firm stands in the first of some lines above a period, and a title below it.
fn has_firm_above(lines: &[Line]) -> bool {
    let head: Vec<String> = lines.iter().map(|line| line.text.clone()).collect();
    let role = Role::of_lines(&head, Order::Unknown);
    let at = |name: &Option<String>| {
        let name = name.as_deref()?;
        head.iter().position(|line| line.contains(name))
    };
    at(&role.organisation).zip(at(&role.position)).is_some_and(|(firm, title)| firm < title)
}

/// Whether a firm without a period stands above its roles, where others stand beside their periods: it begins a block,
/// and the first title is right under it.
fn leads(lines: &[Line], at: usize, free: usize) -> bool {
    let Some(above) = at.checked_sub(1).filter(|above| *above >= free).map(|above| &lines[above])
    else {
        return false;
    };
    let title = anchor(&lines[at]).map(|period| without(&lines[at].text, &period));
    let title = Role::of_lines(title.as_slice(), Order::Unknown);
    above.after_gap
        && !lines[at].after_gap
        && names(above)
        && !words::is_position(&above.text)
        && title.organisation.is_none()
        && title.position.is_some()
}

/// How many lines right above `at` can name the same role, not above `free`.
fn back(lines: &[Line], at: usize, free: usize, habit: &Habit) -> usize {
    // Where the firm stands above the title, it does so apart from it, too: `Fitter – Leeds` is no whole role there.
    let is_below_firm = |line: &Line, count: usize| {
        habit.crosses && habit.has_firm_above && line.after_gap && count + 1 == habit.most
    };
    let mut count = 0;
    while count < habit.most && at > free + count {
        let line = &lines[at - count - 1];
        // A line right under a bullet is its second half.
        let wrapped = !line.after_gap && at - count >= 2 && lines[at - count - 2].bullet;
        let bullet = &lines[(at - count).saturating_sub(2)].text;
        // `Acme    Smallville` is in two columns, which no item goes on with.
        let hangs = wrapped
            && !line.text.contains('\t')
            && !words::is_organisation(&line.text)
            && !words::is_position(&line.text)
            && !names_town(&line.text)
            && (line.text.starts_with(char::is_lowercase)
                || reaches_edge(bullet, &line.text, lines));
        // A place right under a period belongs to it.
        let is_under = at - count >= 2
            && place::is_place(&line.text)
            && anchor(&lines[at - count - 2]).is_some_and(|period| period.start.is_some());
        if !names(line)
            || hangs
            || is_under
            || (count > 0
                && lines[at - count].after_gap
                && !is_below_firm(line, count)
                && (!habit.crosses || complete_line(&lines[at - count].text)))
        {
            break;
        }
        count += 1;
        if habit.lead == Some(line.level) {
            break;
        }
    }
    count
}

/// Whether a line is a name and its known place: `Acme Testing, Lancaster, OH`.
fn names_town(text: &str) -> bool {
    let is_name = |name: &str| {
        name.split_whitespace().count() > 1
            && name.split_whitespace().all(|word| word.starts_with(char::is_uppercase))
    };
    !place::is_place(text)
        && text.split_once(", ").is_some_and(|(name, town)| is_name(name) && place::is_place(town))
}

/// Whether a line is broken off at the edge of its column rather than ended: the first word of the next one would not
/// have fitted in any more.
fn reaches_edge(line: &str, next: &str, lines: &[Line]) -> bool {
    let length = |text: &str| text.chars().count();
    let longest = lines.iter().map(|line| length(&line.text)).max().unwrap_or_default();
    let word = next.split(' ').next().unwrap_or_default();
    let has_room = length(line) + 1 + length(word) <= longest;
    !line.ends_with(['.', '!', ';', ':']) && length(line) * 5 > longest * 4 && !has_room
}

/// A line that can name a firm, a title or a place.
fn names(line: &Line) -> bool {
    let has_period = anchor(line).is_some();
    let label = line.text.split(':').next().filter(|label| label.len() < line.text.len());
    let is_note = label.is_some_and(|label| vocabulary().notes.contains(&folded(label.trim())))
        && !is_title_in_label(&line.text);
    // `self-employed, Smallville`
    let is_own = line.text.split(',').next().is_some_and(words::is_own);
    // `Diary, travel, minutes`
    let mut others = line.text.split(", ").skip(1);
    let lists =
        others.clone().count() > 1 && others.all(|other| other.starts_with(char::is_lowercase));
    !line.bullet && (!line.is_prose() || is_own) && !has_period && !is_note && !lists
}

/// Takes a line under the period in, if it says what is still missing; what follows a full head is about the work.
fn adds(head: &mut Vec<String>, line: &Line, habit: &Habit) -> bool {
    if habit.has_titles_below && takes_title(head, line) {
        return true;
    }
    let text = &line.text;
    let before = Role::of_lines(head, Order::Unknown);
    let mut with = head.clone();
    with.push(text.clone());
    let after = Role::of_lines(&with, Order::Unknown);
    let short =
        text.split_whitespace().count() <= 10 || is_firm_in_label(text) || is_long_entry(text);
    // Where the first firm stands above its title, what stands below the period is hardly one.
    let is_firm = || !habit.has_firm_above || words::is_organisation(text);
    let gains = (before.position.is_none() && after.position.is_some())
        || (before.organisation.is_none() && after.organisation.is_some() && is_firm())
        || (before.location.is_none() && place::is_place(text));
    let grows = after.position != before.position;
    let keeps = before.position.as_deref().is_none_or(|title| {
        // `self-employed, Smallville` above the title: it stands where the firm would.
        words::is_own(title) && after.organisation.as_deref() == Some(title)
            || after.position.as_deref().is_some_and(|longer| longer.starts_with(title))
    });
    let gains = gains || grows && before.position.is_some();
    // `Acme Ltd, Smallville` above `Wrangler`, but not above `Repair of steam engines`.
    let mut words = line.text.split_whitespace();
    let is_name = words.next().is_some()
        && (words.clone().next().is_none()
            || words.clone().any(|word| word.starts_with(char::is_uppercase)));
    let replaces = before.is_beside && !after.is_beside && is_name && words.count() < 8;
    // `Acme Ltd – Smallville` above `Engineer`: the town was taken for the title.
    let has_title = |lines: &[String]| named(lines).iter().any(|named| named.kind == Kind::Title);
    let tells = !has_title(head) && has_title(std::slice::from_ref(text));
    let adds = names(line) && short && (gains && keeps || tells || replaces);
    if adds {
        head.push(text.clone());
    }
    adds
}

/// Longest entry in one line, in words.
const ENTRY_MAX: usize = 14;

/// Whether a long line is a title, a firm and a town with commas between them, and no list of what was done.
fn is_long_entry(text: &str) -> bool {
    let pieces = || text.split(", ");
    text.split_whitespace().count() <= ENTRY_MAX
        && pieces().count() == 3
        && pieces().all(|piece| piece.starts_with(char::is_uppercase))
        && !text.ends_with('.')
        && complete_line(text)
}

fn complete_line(text: &str) -> bool {
    let role = Role::of_lines(&[text.to_owned()], Order::Unknown);
    role.organisation.is_some() && role.position.is_some()
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    #[test]
    fn a_year_at_the_end_of_what_was_done_is_no_role_where_periods_begin_their_lines() {
        let text = "Ada Byron\nada@example.org\n\n## Experience\n05/2019 – present\tFitter, Acme Ltd, Leeds\n\
                    Wrote a leaflet on all the pumps, printed 2021\n05/2016 – 04/2019\tWelder, Emca Ltd, Leeds\n\
                    Welded rails";
        assert_eq!(draft(text).skeleton_timeline["work"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn what_says_that_somebody_was_their_own_employer_stands_where_the_firm_would() {
        for own in
            ["Selbstständig", "zzp", "Freelance", "Self-employed", "À mon compte", "Autónomo"]
        {
            let roles = format!(
                "2016 – 2018\t{own}, Leeds\nProject Manager\n\n2011 – 2016\tAcme Ltd, Leeds\nEngineer"
            );
            let draft = draft(&format!("Ada Byron\n\n## Experience\n{roles}"));
            let role = &draft.skeleton_timeline["work"][0];
            assert_eq!(role["position"], "Project Manager", "{own}");
            assert_eq!(role["name"], own);
        }
    }

    #[test]
    fn the_other_entries_tell_where_the_firm_stands_beside_ones_own_business() {
        let text = "Ada Byron\n\n## Experience\nFitter\nAcme Ltd, Leeds (2014 – 2019)\n\nSelf-employed\nByron Heating, Leeds (2009 – 2014)\n\n\
                    Welder\nEmca Ltd, Leeds (2005 – 2009)";
        let role = &draft(text).skeleton_timeline["work"][1];
        assert_eq!(role["position"], "Self-employed", "{role}");
        assert_eq!(role["name"], "Byron Heating", "{role}");
    }

    #[test]
    fn a_firm_apart_from_its_title_and_town_is_one() {
        let entry = |firm: &str, title: &str, since: &str| {
            format!("{firm}\n\n{title}\n{since}\n\n• Tours of the pumps\n• Care of the valves\n\n")
        };
        let first = entry("Acme Ltd", "Fitter – Leeds", "May 2019 – present");
        let second = entry("Emca des Nulls", "Welder – Nullcarneau", "May 2015 – June 2018");
        let text = format!("Ada Byron\n\n## Experience\n\n{first}{second}");
        let role = &draft(&text).skeleton_timeline["work"][1];
        assert_eq!([&role["name"], &role["position"]], ["Emca des Nulls", "Welder"], "{role}");
    }

    #[test]
    fn what_stands_below_a_period_where_others_have_their_titles_is_one() {
        let text = |title: &str| {
            format!(
                "Ada Byron\n\n## Experience\nAcme Pumps Ltd\nNulleham\n2019 – 2021\n{title}\n• Pumps\n\
                 Emca Foods Ltd\nLeeds\n2015 – 2019\nEngineer\n• Valves\n\
                 Ocme Mail Ltd\nHull\n2011 – 2015\nDriver\n• Parcels"
            )
        };
        let role = |title: &str| draft(&text(title)).skeleton_timeline["work"][0].clone();
        let read = role("Wranglerette");
        assert_eq!(
            (&read["position"], &read["location"]),
            (&"Wranglerette".into(), &"Nulleham".into())
        );
        assert_ne!(role("built pumps for the port and the ships of it")["location"], "Nulleham");
    }

    #[test]
    fn names_in_larger_type_below_their_dates_begin_no_entries() {
        let text = "Ada Byron\n\n# Experience\n2019 – Present\n\n## Fitter, Acme Ltd, Leeds\n• Pumps\n2014 – 2018\n\n\
                    ## Welder, Emca Ltd, Hull\n• Rails\n\n# Education\n2013\n\n## BSc Physics, Nulla College, Leeds\n2009\n\n\
                    ## A Levels, Hill School, Leeds";
        let draft = draft(text);
        let work = &draft.skeleton_timeline["work"];
        assert_eq!([&work[0]["name"], &work[1]["name"]], ["Acme Ltd", "Emca Ltd"]);
        let schools = &draft.education_history["education"];
        assert_eq!([&schools[0]["endDate"], &schools[1]["endDate"]], ["2013", "2009"]);
    }

    #[test]
    fn an_entry_of_many_words_in_one_line_under_its_period_is_one() {
        let text = "Ada Byron\n\n## Experience\n10/2017 – today\nFitter, Acme Ltd, Leeds\n• Pumps\n\
                    01/2011 – 09/2017\nElectricista de Mantenimiento, Aceites Nula de la Sierra S.L., Nulo de Abajo\n• Pumps";
        let role = &draft(text).skeleton_timeline["work"][1];
        assert_eq!(role["position"], "Electricista de Mantenimiento", "{role}");
        assert_eq!(role["name"], "Aceites Nula de la Sierra S.L.", "{role}");
    }

    #[test]
    fn several_titles_with_their_lengths_are_under_one_firm() {
        for (first, second) in [
            ("4 years 1 month", "2 years"),
            ("6 años 2 meses", "3 años"),
            ("4 Jahre 1 Monat", "1 Jahr"),
        ] {
            let roles = format!(
                "###### Hallam & Rowe Ltd\nSenior Solicitor\nOctober 2022 - Present ({second})\nLeeds\nDeeds\n\n\
                 ###### Emca Law LLP\n{first}\nSolicitor\nSeptember 2020 - September 2022\nLeeds\nNew purchases\n\n\
                 Trainee Solicitor\nSeptember 2018 - August 2020\nLeeds\nSeats in property"
            );
            let draft = draft(&format!("# Ada Byron\n\n### Experience\n{roles}"));
            let work = &draft.skeleton_timeline["work"];
            assert_eq!(work[0]["name"], "Hallam & Rowe Ltd", "{work}");
            assert_eq!(work[1]["name"], "Emca Law LLP", "{work}");
            assert_eq!(work[2]["name"], "Emca Law LLP", "{work}");
            assert_eq!(work[2]["position"], "Trainee Solicitor", "{work}");
        }
    }

    #[test]
    fn a_firm_with_its_town_does_not_go_on_with_the_item_above() {
        let text = "Ada Byron\n\n## Experience\nNulla School, Logan, OH\nTeacher, August 2011 – June 2014\n\
                    • Taught science to both of the seven grades\nBuckeye Water Testing, Lancaster, OH\n\
                    Fitter, June 2009 – July 2011\n• Pumps";
        assert_eq!(draft(text).skeleton_timeline["work"][1]["name"], "Buckeye Water Testing");
    }
}
