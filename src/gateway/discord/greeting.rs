//! The greeting before the first message of a thread.

/// What stands before the first message of a thread: who is mentioned in a private thread is let into it.
pub(super) fn greeting(user: &str) -> String {
    format!("{GREETING}{user}{GREETED}")
}

/// Words without the greeting before them.
pub(super) fn without_greeting(words: &str) -> &str {
    let rest = words.strip_prefix(GREETING).and_then(|rest| rest.split_once(GREETED));
    match rest {
        Some((user, rest)) if user.bytes().all(|byte| byte.is_ascii_digit()) => {
            rest.strip_prefix('\n').unwrap_or(words)
        }
        _ => words,
    }
}

/// Begin and end the greeting around a user's id.
const GREETING: &str = "Hi <@";
const GREETED: &str = ">!";
