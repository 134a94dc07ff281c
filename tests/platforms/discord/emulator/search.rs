//! Everything that Discord still holds, looked through for words that somebody planted.

use super::state::{BOT, State};

impl State {
    /// Where one of the words still stands, and whose it is: `message of the bot in #welcome: a word`.
    pub(crate) fn search(&self, words: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut look = |what: String, text: &str| {
            let word = words.iter().find(|word| text.contains(**word));
            found.extend(word.map(|word| format!("{what}: {word}")));
        };
        for channel in self.channels.values() {
            let name =
                if channel.name.is_empty() { "a direct conversation" } else { &channel.name };
            look(format!("the name of {name}"), &channel.name);
            for message in channel.messages.values().filter(|message| message.only_for.is_none()) {
                let who = if message.author == BOT { "the bot" } else { "a person" };
                let words = format!("{} {}", message.body["content"], message.body["components"]);
                look(format!("message of {who} in {name}"), &words);
                if !message.body["attachments"].as_array().is_none_or(Vec::is_empty) {
                    let files = message.body["attachments"].to_string();
                    look(format!("file of {who} in {name}"), &files);
                }
            }
        }
        found
    }
}
