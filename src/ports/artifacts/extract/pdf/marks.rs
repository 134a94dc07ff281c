//! Marks that texts begin with: of headings, of items, and those that are grades.

/// Fewest marks of a grade.
const GRADE_MIN: usize = 3;

/// The text of a heading without its mark.
pub(super) fn without_mark(text: &str) -> &str {
    let plain = text.trim_start_matches('#');
    if plain.len() < text.len() { plain.strip_prefix(' ').unwrap_or(text) } else { text }
}

/// Whether a text begins with the bullet of an item.
pub(super) fn begins_item(text: &str) -> bool {
    text.starts_with(['•', '▪', '◦', '●', '‣', '■']) && !is_grade(text)
}

/// `●●●○○`: how well somebody knows what stands beside it, and no bullet of an item.
pub(super) fn is_grade(text: &str) -> bool {
    text.chars().count() >= GRADE_MIN && text.chars().all(|c| "•▪◦●○■□ ".contains(c))
}

/// Whether a text is a bullet and nothing else.
pub(super) fn is_bullet(text: &str) -> bool {
    let mut letters = text.chars();
    letters.next().is_some_and(|c| !c.is_alphanumeric()) && letters.next().is_none()
}
