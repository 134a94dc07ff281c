//! Everything that Slack still holds, looked through for words that somebody planted.

use super::state::State;

impl State {
    /// Where one of the words still stands, and whose it is: `message of Anteroom in #desk: a word`. A file of the app's
    /// is always found: nobody can see from outside what is in an archive.
    pub(crate) fn search(&self, words: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        let mut look = |what: String, text: &str| {
            let word = words.iter().find(|word| text.contains(**word));
            found.extend(word.map(|word| format!("{what}: {word}")));
        };
        let name = |user: &str| self.users.get(user).map_or("?", |user| user.name.as_str());
        for channel in self.channels.values() {
            let place = if channel.id.starts_with('D') {
                "a direct conversation".to_owned()
            } else {
                format!("#{}", channel.name)
            };
            look(format!("the name of {place}"), &channel.name);
            for message in channel.messages.values() {
                // What one person alone is shown goes with their next look.
                if message.only_for.is_some() {
                    continue;
                }
                let what = format!("message of {} in {place}", name(&message.user));
                let text = format!("{} {} {}", message.text, message.blocks, message.metadata);
                look(what, &text);
            }
        }
        for ((_, _), session) in &self.sessions {
            look("a session's title".to_owned(), &format!("{} {}", session.title, session.doing));
        }
        for (user, view) in &self.homes {
            look(format!("Home of {}", name(user)), &self.views[view].body.to_string());
        }
        for file in self.files.values().filter(|file| !file.is_tombstone) {
            let what = format!("file of {}", name(&file.user));
            if file.user == super::BOT_USER {
                found.push(format!("{what}: {}", file.name));
                continue;
            }
            let text = format!("{} {}", file.name, String::from_utf8_lossy(&file.bytes));
            let word = words.iter().find(|word| text.contains(**word));
            found.extend(word.map(|word| format!("{what}: {word}")));
        }
        found
    }
}
