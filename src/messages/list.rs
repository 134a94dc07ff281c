//! Lists and numbers in words.

/// `a`, `a and b`, `a, b and c`.
pub(crate) fn and<S: AsRef<str>>(items: &[S]) -> String {
    joined(items, "and")
}

/// `a`, `a or b`, `a, b or c`.
pub(crate) fn or<S: AsRef<str>>(items: &[S]) -> String {
    joined(items, "or")
}

/// `a, b, c`, where what is listed stands after a colon.
pub(crate) fn plain<S: AsRef<str>>(items: &[S]) -> String {
    items.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(", ")
}

/// `1 message`, `24 messages`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// The end of a list that names only some.
pub(crate) fn and_more(count: usize) -> String {
    format!("and {count} more")
}

fn joined<S: AsRef<str>>(items: &[S], word: &str) -> String {
    match items {
        [before @ .., last] if !before.is_empty() => {
            format!("{} {word} {}", plain(before), last.as_ref())
        }
        items => plain(items),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_follows_a_word() {
        assert_eq!((and(&[] as &[&str]), and(&["a"])), (String::new(), "a".to_owned()));
        assert_eq!(and(&["a", "b"]), "a and b");
        assert_eq!(or(&["a", "b", "c"]), "a, b or c");
    }
}
