//! What was said last on the page of a conversation.

use super::html::{Token, attribute, tokens};

/// The last thing that anybody said on a page: the name of its row, whether the bot said it, and the words.
pub(crate) fn last_words(page: &str) -> Option<(String, bool, String)> {
    let mut last: Option<(String, bool, String)> = None;
    let mut row = String::new();
    let mut is_inside = false;
    for token in tokens(page) {
        match (&token, &mut last) {
            (Token::Open { tag, attributes }, _) => {
                let get = |name: &str| attribute(attributes, name).unwrap_or_default();
                let class = get("class");
                if tag == "div" && class.starts_with("row ") {
                    row = get("id");
                } else if tag == "article" {
                    is_inside = class.starts_with("bubble ") && !row.is_empty();
                    if is_inside {
                        last = Some((row.clone(), class == "bubble bot", String::new()));
                    }
                }
            }
            (Token::Close(tag), _) if tag == "article" => is_inside = false,
            (Token::Text(text), Some((.., words))) if is_inside => {
                words.push_str(text);
                words.push(' ');
            }
            _ => {}
        }
    }
    last
}
