//! Words that only Discord shows.

use super::{
    limits,
    render::{
        self, Message,
        kit::{self, button, container, danger, primary, rows, section, small},
        text::{escape, one_line, parts, said, time},
    },
};
use crate::{
    config::Approvers,
    form::words::Words,
    ids::SessionId,
    model::{session::PersonId, ui::Offered},
};

/// Words of ours, which may hold Markdown.
pub fn words(text: impl Into<String>) -> Message {
    Message { content: text.into(), ..Message::default() }
}

/// Words as they were written, without any markup.
pub fn plain(text: &str) -> Vec<Message> {
    parts(text, limits::CONTENT).into_iter().map(words).collect()
}

/// The line that says how far one is.
pub fn progress(text: &str) -> Message {
    let line = small(&[said(&one_line(text), limits::QUOTE)]);
    Message { content: String::new(), components: vec![line] }
}

/// A question that is not asked, for it was answered when the member came in.
pub fn said_before(question: &str, what: &str) -> Message {
    let question = said(&crate::form::plain(question), limits::QUOTE);
    let what = said(what, limits::VALUE_SHOWN);
    words(format!(
        "{question} **{what}**: you told the server so when you came in, so I do not ask again. You can change it under \
         *Channels & Roles*."
    ))
}

/// How a request was decided.
pub fn decided(what: &str, by: &PersonId, by_name: &str) -> Message {
    words(format!("{} by {}.", escape(what), render::text::person(by, by_name)))
}

/// Those who decide, called by their roles and names; nobody where none is listed. With the ids that may be called.
pub fn called(approvers: &Approvers) -> Option<(Message, Called)> {
    let roles: Vec<String> = approvers.discord_roles.iter().take(CALLED_MAX).cloned().collect();
    let users: Vec<String> = approvers.discord_users.iter().take(CALLED_MAX).cloned().collect();
    let all = roles.iter().map(|id| format!("<@&{id}>"));
    let all: Vec<String> = all.chain(users.iter().map(|id| format!("<@{id}>"))).collect();
    (!all.is_empty()).then(|| (words(all.join(" ")), Called { roles, users }))
}

/// Who is called by a message: nobody else is, whatever its words say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Called {
    /// Roles.
    pub roles: Vec<String>,
    /// Users.
    pub users: Vec<String>,
}

/// Roles and people that are called at once.
const CALLED_MAX: usize = 10;

/// A copy of everything, for whoever wants one, and the end of it.
pub fn copy_offered(session: SessionId) -> Message {
    let id = |begin: &str| format!("{begin}{}", session.short());
    let mut components = vec![kit::text("You can have a copy of everything.")];
    components.extend(rows([
        button(id(COPY), "Download my answers"),
        button(id(DELETE), "Delete my data"),
    ]));
    Message { content: String::new(), components }
}

/// A button that opens an address; none where Discord takes no address so long.
pub fn link(label: &str, url: &str) -> Option<Message> {
    let components = rows([kit::link(url, label)?]);
    Some(Message { content: String::new(), components })
}

/// The buttons that go with words which offer commands; none where they offer nothing.
pub fn offered(offers: &[Offered], session: SessionId) -> Option<Message> {
    let one = |offered: &Offered| {
        let id = format!("{OFFER}{}.{}", offered.name(), session.short());
        button(id, offered.label())
    };
    let components = rows(offers.iter().map(one));
    (!components.is_empty()).then(|| Message { content: String::new(), components })
}

/// Reads the id of such a button.
pub fn parse_offer(id: &str) -> Option<(Offered, &str)> {
    let (name, session) = id.strip_prefix(OFFER)?.split_once('.')?;
    Some((Offered::parse(name)?, session))
}

/// Begins the id of a button that gives an offered command.
const OFFER: &str = "offer.";

/// Begins the id of the button that hands a copy out.
pub const COPY: &str = "copy.";

/// Begins the id of the button that asks whether everything is to be erased.
pub const DELETE: &str = "delete.";

/// Begins the id of the button that starts a flow. It is the same for ever: panels stand for years.
pub const START: &str = "start.";

/// Begins the id of the button that shows staff one conversation.
pub const SHOW: &str = "show.";

/// Begins the id of the button that ends a conversation once staff are sure.
pub const END: &str = "end.";

/// A message with a button that begins a flow, which stays where it is posted.
pub fn panel(text: &str, flow: &str) -> Message {
    let mut components: Vec<_> = render::markdown::parts(text, limits::TEXT_DISPLAY)
        .iter()
        .take(1)
        .map(|p| kit::text(p))
        .collect();
    components.extend(rows([primary(format!("{START}{flow}"), "Start")]));
    Message { content: String::new(), components: vec![container(&components, render::OPEN)] }
}

/// Which of several flows?
pub fn chooser<'a>(hello: &str, flows: impl Iterator<Item = (&'a str, &'a str)>) -> Message {
    let mut components = vec![kit::text(hello)];
    let label = |title: &str| render::text::clip_or(title, limits::BUTTON_LABEL, "Start");
    let buttons = flows.take(limits::ROW_BUTTONS * 5);
    components
        .extend(rows(buttons.map(|(id, title)| button(format!("{START}{id}"), &label(title)))));
    Message { content: String::new(), components }
}

/// Whether staff are sure that a conversation is to end.
pub fn sure_to_end(session: SessionId) -> Message {
    let mut components =
        vec![kit::text("### End the conversation?\nNothing more is asked. What was said is kept.")];
    components.extend(rows([danger(format!("{END}{}", session.short()), "End")]));
    components.push(small(&["If not, dismiss this message.".to_owned()]));
    Message { content: String::new(), components: vec![container(&components, render::BAD)] }
}

/// A text with a button beside it.
pub fn row(text: &str, id: String, label: &str) -> serde_json::Value {
    section(text, &button(id, label))
}

/// What became of roles, a line each: what was given, then what was not and why. Nothing is marked by colour alone.
pub fn roles(given: &[String], not: &[(String, String)]) -> Message {
    let given = given.iter().map(|role| format!("✓ {}", said(role, limits::QUOTE)));
    let not = not.iter().map(|(role, why)| format!("✗ {}: {why}", said(role, limits::QUOTE)));
    let lines: Vec<String> =
        ["Your roles:".to_owned()].into_iter().chain(given).chain(not).collect();
    words(render::text::clip(&lines.join("\n"), limits::CONTENT))
}

/// A sentence with its time, as the reader's clock shows it.
pub fn sentence(words: &Words) -> String {
    let text = escape(&words.text);
    match words.at {
        Some(at) => format!("{text} {}.", time(at)),
        None => text,
    }
}

/// Where a conversation goes on.
pub fn room(channel: &str, is_direct: bool) -> String {
    if is_direct {
        return "I have written to you directly.".to_owned();
    }
    format!("Your thread: <#{channel}>")
}

/// Nowhere to talk could be made.
pub const NO_ROOM: &str = "I could not open a thread for you, and you do not take direct messages from this server. Allow \
                           them in the server's privacy settings, or ask the team, then press again.";

/// It takes longer than a moment.
pub const ROOM_LATER: &str =
    "Your thread takes a moment longer. You will find it in the list of threads.";

/// An order that only makes sense within a server.
pub const IN_A_SERVER: &str = "Please do that in the server, not here.";

/// A panel was posted.
pub const POSTED: &str = "Posted. It works for as long as it stands here.";

/// A panel could not be posted.
pub const NOT_POSTED: &str =
    "I may not post here. Give me the permissions to see this channel and to send messages in it.";

/// For those who look after the server.
pub const FOR_MODERATORS: &str = "Only those who manage this server can do that.";

/// There is no open question for a file.
pub const NO_UPLOAD: &str = "There is no conversation that the file could belong to.";

/// Something was pressed that is not known any more.
pub const GONE: &str = "That button does not work any more.";

/// What a thread is called whose conversation was erased.
pub const ERASED_THREAD: &str = "erased";

/// Everything was erased.
pub fn erased(receipt: &str) -> String {
    format!(
        "Everything about this conversation is erased. Receipt: `{receipt}`. Messages and files in Discord stay until \
         you delete them there."
    )
}
