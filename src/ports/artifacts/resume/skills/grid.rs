//! Lists of skills side by side, each below what kind its skills are of: `Design    Methods` above `Figma, Sketch    Surveys,
//! Interviews`.

use super::{super::lines::Line, items::items, kinds::is_short_kind};

/// The lists below each other without their heads, each in one line as far as its cells tell.
pub(super) fn below_heads(lines: &[Line]) -> Option<Vec<Line>> {
    let rows = rows(lines)?;
    let cells = |line: &Line| line.text.split('\t').map(str::to_owned).collect::<Vec<_>>();
    let count = cells(&lines[0]).len();
    let mut lists: Vec<String> = vec![String::new(); count];
    let mut rest: Vec<Line> = Vec::new();
    for line in rows {
        let cells = cells(line);
        if cells.len() != count {
            // Which column a cell is of cannot be told where there are fewer of them.
            rest.extend(cells.into_iter().map(|text| Line {
                text,
                after_gap: true,
                ..line.clone()
            }));
            continue;
        }
        for (list, cell) in lists.iter_mut().zip(cells) {
            if !list.is_empty() {
                list.push(' ');
            }
            list.push_str(cell.trim());
        }
    }
    let whole = lists.into_iter().filter(|list| !list.is_empty());
    let whole = whole.map(|text| Line { text, after_gap: true, ..lines[0].clone() });
    Some(whole.chain(rest).collect())
}

/// What may be parts of two skills: what stands in rows with fewer cells than heads, and is no whole word between commas.
pub(super) fn torn(lines: &[Line]) -> Vec<String> {
    let Some(rows) = rows(lines) else { return Vec::new() };
    let count = lines[0].text.matches('\t').count();
    let torn = rows.iter().filter(|line| line.text.matches('\t').count() != count);
    torn.flat_map(|line| {
        let is_alone = !line.text.contains([',', '\t']);
        items(&line.text).into_iter().filter(move |item| is_alone || item.contains(' '))
    })
    .collect()
}

/// The rows below a line of short heads, where each cell of the first one is a list.
fn rows(lines: &[Line]) -> Option<&[Line]> {
    let [heads, rows @ ..] = lines else { return None };
    let is_list = |cell: &str| cell.contains(", ");
    let first = rows.first()?.text.as_str();
    let are_heads = heads.text.contains('\t') && heads.text.split('\t').all(is_short_kind);
    let are_lists = first.contains('\t') && first.split('\t').all(is_list);
    let is_plain = !lines.iter().any(|line| line.bullet || line.text.contains(':'));
    (are_heads && are_lists && is_plain && !rows[0].after_gap).then_some(rows)
}

#[cfg(test)]
mod tests {
    use crate::ports::artifacts::resume::draft;

    /// The skills of a résumé, and how many of them are doubtful.
    fn found(lines: &str) -> (String, usize) {
        let draft = draft(&format!("Ada Byron\n\n## Skills\n{lines}\n\n## Hobbies\nTea"));
        let paths = draft.confidence.keys().filter(|path| path.starts_with("skills."));
        (draft.skills.join("|"), paths.count())
    }

    #[test]
    fn lists_side_by_side_go_on_in_their_columns() {
        let lines = "Nullware\tNull-end\nFigma, Sketch, user\tGo, PHP\nresearch\tRust";
        assert_eq!(found(lines).0, "Figma|Sketch|user research|Go|PHP Rust");
    }

    #[test]
    fn what_cannot_be_told_to_a_column_is_doubtful() {
        let lines = "Nullware\tNull-end\tMethods\nFigma, Sketch Go, PHP\tScrum, Lean\nweb";
        assert_eq!(found(lines), ("Figma|Sketch Go|PHP|Scrum|Lean|web".to_owned(), 2));
    }
}
