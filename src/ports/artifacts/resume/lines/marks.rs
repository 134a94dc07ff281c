//! Marks that say nothing of their own, or stand without the spaces that others have.

/// Signs of which scales are made, and fewest of them.
const SIGNS: &str = "●○◉◯★☆■□▪▫▮▯⬤◆◇";
const SIGNS_MIN: usize = 3;

/// Whether a line is a scale that tells how well somebody can do what stands above: `●●●○○`.
pub(super) fn is_scale(line: &str) -> bool {
    let signs = || line.chars().filter(|c| !c.is_whitespace());
    signs().count() >= SIGNS_MIN && signs().all(|c| SIGNS.contains(c))
}

/// A text without the scales in the columns of its lines, `●●●○○    Welding`: each is said of what stands above it or beside
/// it, and no column of its own.
pub(in crate::ports::artifacts::resume) fn without_scales(text: &str) -> String {
    let bare = |line: &str| {
        let cells = line.split('\t').filter(|cell| !is_scale(cell));
        if is_scale(line) { line.to_owned() } else { cells.collect::<Vec<_>>().join("\t") }
    };
    text.split('\n').map(bare).collect::<Vec<_>>().join("\n")
}

/// Longest line of addresses, in bytes.
const LINE_MAX: usize = 400;

/// `Smallville •555 0147`, as some programs write it, with a space behind the dot as well.
pub(super) fn spaced(text: &str) -> String {
    if text.len() > LINE_MAX {
        return text.to_owned();
    }
    let mut found = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(" •") {
        found.push_str(before);
        found.push_str(" •");
        if after.starts_with(char::is_alphanumeric) {
            found.push(' ');
        }
        rest = after;
    }
    found.push_str(rest);
    found
}

#[cfg(test)]
mod tests {
    use super::{super::lines, *};

    #[test]
    fn scales_part_no_lines_and_dots_part_fields() {
        let gaps: Vec<bool> =
            lines("Rust\n●●●○○\nGo\n●●●●○\n\nCAD").iter().map(|line| line.after_gap).collect();
        assert_eq!(gaps, [true, false, true]);
        assert!(!is_scale("• Go") && !is_scale("■"));
        let columns = "Rust\n●●●○○\tGo\n●●●●○\n●●●●○\tFEM\t●●●●○";
        assert_eq!(without_scales(columns), "Rust\nGo\n●●●●○\nFEM");
        assert_eq!(
            spaced("Leeds •555 0147 •ada@example.org"),
            "Leeds • 555 0147 • ada@example.org"
        );
    }
}
