//! Lists and numbers in words.

use super::Text;

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

/// `a, b and c`, of texts.
pub(crate) fn and_texts(items: Vec<Text>) -> Text {
    joined_texts(items, " and ")
}

/// `a, b, c`, of texts.
pub(crate) fn plain_texts(items: Vec<Text>) -> Text {
    joined_texts(items, ", ")
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

fn joined_texts(items: Vec<Text>, before_last: &'static str) -> Text {
    let count = items.len();
    let before = |n| match n {
        0 => "",
        n if n + 1 == count => before_last,
        _ => ", ",
    };
    let all = items.into_iter().enumerate();
    all.fold(Text::default(), |all, (n, item)| all.then_markdown(before(n)).then_text(item))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_several_follows_a_word() {
        assert_eq!((and(&[] as &[&str]), and(&["a"])), (String::new(), "a".to_owned()));
        assert_eq!(and(&["a", "b"]), "a and b");
        assert_eq!(or(&["a", "b", "c"]), "a, b or c");
        let texts = |all: &[&'static str]| all.iter().map(|one| Text::from(*one)).collect();
        assert_eq!(and_texts(texts(&["a", "b", "c"])), Text::from("a, b and c"));
        assert_eq!(plain_texts(texts(&["a", "b"])), Text::from("a, b"));
    }
}
