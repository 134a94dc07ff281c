//! Messages that only Discord shows; their words are in the catalogue.

use super::{
    limits,
    render::{
        self, Message,
        body::Called,
        component::Component,
        components::{self, Weight, button, danger, offer, primary, rows, section, small},
        text::{escape, one_line, parts, said},
    },
};
use crate::{
    base::ids::SessionId,
    chat::{form::MessageAccess, handler::ButtonId, profile},
    config::Approvers,
    messages,
    model::{session::PersonId, ui::Offered},
    session::State,
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
    Message::of(vec![small(&[said(&one_line(text), limits::QUOTE)])])
}

/// A question that is not asked, for it was answered when the member came in.
pub(crate) fn said_before(question: &str, what: &str) -> Message {
    let question = said(&crate::chat::form::plain(question), limits::QUOTE);
    let what = said(what, limits::VALUE_SHOWN);
    words(messages::discord::said_before(&question, &what))
}

/// How a request was decided.
pub fn decided(what: &str, by: &PersonId, by_name: &str) -> Message {
    words(messages::requests::decided_by(&escape(what), &render::text::person(by, by_name)))
}

/// Those who decide, called by their roles and names; nobody where none is listed. With the ids that may be called.
pub fn called(approvers: &Approvers) -> Option<(String, Called)> {
    let roles: Vec<String> = approvers.discord_roles.iter().take(CALLED_MAX).cloned().collect();
    let users: Vec<String> = approvers.discord_users.iter().take(CALLED_MAX).cloned().collect();
    let all = roles.iter().map(|id| format!("<@&{id}>"));
    let all: Vec<String> = all.chain(users.iter().map(|id| format!("<@{id}>"))).collect();
    (!all.is_empty()).then(|| (all.join(" "), Called { roles, users }))
}

/// Roles and people that are called at once.
const CALLED_MAX: usize = 10;

/// Words of somebody, who is mentioned before them.
pub fn by(user: &str, messages: &[Message]) -> Vec<Message> {
    let mention = format!("<@{user}>");
    let Some((first, rest)) = messages.split_first() else { return Vec::new() };
    let together = format!("{mention}: {}", first.content);
    let mut all =
        if first.components.is_empty() && render::text::units(&together) <= limits::CONTENT {
            vec![words(together)]
        } else {
            vec![words(format!("{mention}:")), first.clone()]
        };
    all.extend(rest.iter().cloned());
    all
}

/// The buttons of a copy and of the end of it.
fn copy_row(session: SessionId) -> Vec<Component> {
    rows([
        button(ButtonId::copy(session), messages::buttons::DOWNLOAD_MY_ANSWERS),
        button(ButtonId::delete(session), messages::buttons::DELETE_MY_DATA),
    ])
}

/// The end of a conversation, with a copy of it and the end of that.
pub fn closing(text: &str, session: SessionId) -> Message {
    let parts = render::markdown::parts(text, limits::TEXT_DISPLAY);
    let mut components: Vec<Component> =
        parts.iter().take(1).map(|part| components::text(part)).collect();
    components.extend(copy_row(session));
    Message::card(components, render::GOOD)
}

/// A copy of everything, for whoever wants one, and the end of it.
pub(crate) fn copy_offered(session: SessionId) -> Message {
    let mut components = vec![components::text(messages::interview::COPY_OFFERED)];
    components.extend(copy_row(session));
    Message::of(components)
}

/// A button that opens an address; `None` if Discord takes no address so long.
pub fn link(label: &str, url: &str) -> Option<Message> {
    Some(Message::of(rows([components::link(url, label)?])))
}

/// Puts what the team may open about somebody under the last of some messages in words.
pub(crate) fn about_under(messages: &mut [Message], state: &State) {
    if let Some(last) = messages.last_mut() {
        last.components.extend(about(state));
    }
}

/// The buttons of what the team may open about somebody.
pub fn about(state: &State) -> Vec<Component> {
    rows(profile::buttons(state).into_iter().map(|(id, label)| button(id, label)))
}

/// Puts the buttons of commands under the last of some messages in words.
pub(crate) fn offer_under(messages: &mut [Message], offers: &[Offered], session: SessionId) {
    if let Some(last) = messages.last_mut() {
        last.components = rows(offers.iter().map(|offered| offer(*offered, session)));
    }
}

/// Puts the buttons under an answer of the model: how it was, and help.
pub(crate) fn rate_under(messages: &mut [Message], session: SessionId) {
    let rated = |begin: &str| format!("{begin}{}", session.short());
    if let Some(last) = messages.last_mut() {
        let buttons = [
            (rated(GOOD), messages::buttons::HELPFUL),
            (rated(BAD), messages::buttons::NOT_HELPFUL),
            (ButtonId::help(session), messages::buttons::HELP),
        ];
        last.components.extend(rows(buttons.map(|(id, label)| button(id, label))));
    }
}

/// What works in a conversation, for whoever asks or has typed what the bot cannot read.
pub fn help(first: &str, session: SessionId, message_access: MessageAccess) -> Message {
    let how = match message_access {
        MessageAccess::All => messages::discord::HELP_TYPE,
        MessageAccess::Replies => messages::discord::HELP_REPLY,
        MessageAccess::Nothing => messages::discord::HELP_PRESS,
    };
    let text = messages::discord::help(first, how);
    let mut components = vec![components::text(&text)];
    components.extend(rows(Offered::HELP.map(|offered| offer(offered, session))));
    Message::of(components)
}

/// Begins the id of the button that says that an answer helped.
pub(crate) const GOOD: &str = "rate.good.";

/// Begins the id of the button that says that it did not.
pub const BAD: &str = "rate.bad.";

/// Begins the id of the form that asks why.
pub const WHY: &str = "rate.why.";

/// What stands in a room while the model is at work for long, with the button `id` that stops it.
pub fn working(id: String) -> Message {
    let mut components = vec![small(&[messages::interview::STILL_THINKING.to_owned()])];
    components.extend(rows([button(id, messages::buttons::STOP)]));
    Message::of(components)
}

/// What is left of that where Discord does not let it be deleted.
pub fn worked() -> Message {
    Message::of(vec![small(&[messages::interview::TOOK_A_WHILE.to_owned()])])
}

/// A flow on a panel.
#[derive(Debug, Clone, Default)]
pub struct Panel<'a> {
    /// The flow's id.
    pub flow: &'a str,
    /// Heading; `None` if the text says enough.
    pub title: Option<&'a str>,
    /// What the flow is for.
    pub text: &'a str,
    /// Address of a picture, and what is on it.
    pub image: Option<(&'a str, &'a str)>,
    /// Label of the button.
    pub button: &'a str,
}

/// A message with a button for each flow, which stays where it is posted. Flows that it has no room for are left out.
pub fn panel(flows: &[Panel<'_>]) -> Message {
    let mut components: Vec<Component> = Vec::new();
    let mut left = Weight::IN_CARD;
    for flow in flows {
        let parts = on_panel(flow, flows.len() > 1, !components.is_empty());
        if let Some(rest) = left.checked_sub(Weight::of(&parts)) {
            left = rest;
            components.extend(parts);
        }
    }
    Message::card(components, render::OPEN)
}

/// What a panel says of a flow. Where it stands among several, its button stands beside its text.
fn on_panel(flow: &Panel<'_>, is_among: bool, is_further: bool) -> Vec<Component> {
    let mut components: Vec<Component> =
        is_further.then(components::separator).into_iter().collect();
    components.extend(flow.image.map(|(url, description)| components::picture(url, description)));
    let heading = if is_among { "###" } else { "##" };
    let title =
        flow.title.map(|title| format!("{heading} {}", said(&one_line(title), limits::QUOTE)));
    let most = if is_among { PANEL_TEXT } else { limits::TEXT_DISPLAY - 2 * limits::QUOTE };
    let text = render::markdown::parts(flow.text, most).into_iter().next();
    let text = title.into_iter().chain(text).collect::<Vec<_>>().join("\n");
    let id = ButtonId::start(flow.flow);
    if is_among {
        components.push(section(&text, button(id, flow.button)));
    } else {
        components.push(components::text(&text));
        components.extend(rows([primary(id, flow.button)]));
    }
    components
}

/// Longest text of one flow among several on a panel, in characters.
const PANEL_TEXT: usize = 600;

/// Which of several flows?
pub fn chooser<'a>(hello: &str, flows: impl Iterator<Item = (&'a str, &'a str)>) -> Message {
    let mut components = vec![components::text(hello)];
    let label =
        |title: &str| render::text::clip_or(title, limits::BUTTON_LABEL, messages::buttons::START);
    let buttons = flows.take(limits::ROW_BUTTONS * 5);
    components.extend(rows(buttons.map(|(id, title)| button(ButtonId::start(id), &label(title)))));
    Message::of(components)
}

/// Whether staff are sure that a conversation is to end.
pub(crate) fn sure_to_end(session: SessionId) -> Message {
    let mut components = vec![components::text(&format!(
        "### {}\n{}",
        messages::staff::END_QUESTION,
        messages::staff::END_MEANS
    ))];
    components.extend(rows([danger(ButtonId::end(session), messages::buttons::END)]));
    components.push(small(&[messages::forms::DISMISS.to_owned()]));
    Message::card(components, render::BAD)
}

/// A text with a button beside it.
pub fn row(text: &str, id: String, label: &str) -> Component {
    section(text, button(id, label))
}

/// Roles that were given for an answer, as a message of its own; with who agreed to it, where somebody had to.
pub(crate) fn new_roles(given: &[String], agreed: Option<(&PersonId, &str)>) -> Message {
    let names: Vec<String> = given.iter().map(|role| said(role, limits::QUOTE)).collect();
    let agreed = agreed.map(|(by, name)| render::text::person(by, name));
    words(messages::discord::new_roles(&names, agreed.as_deref()))
}

/// What became of roles, a line each: what was given, then what was not and why. Nothing is marked by colour alone.
pub fn roles(given: &[String], not: &[(String, String)]) -> Message {
    let given = given.iter().map(|role| format!("✓ {}", said(role, limits::QUOTE)));
    let not = not.iter().map(|(role, why)| format!("✗ {}: {why}", said(role, limits::QUOTE)));
    let lines: Vec<String> =
        [messages::discord::YOUR_ROLES.to_owned()].into_iter().chain(given).chain(not).collect();
    words(render::text::clip(&lines.join("\n"), limits::CONTENT))
}

/// What a thread is called whose conversation was erased.
pub(crate) const ERASED_THREAD: &str = "erased";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panel_has_a_button_beside_each_of_several_flows() {
        let flow = |flow, title| Panel {
            flow,
            title: Some(title),
            text: "Text.",
            image: None,
            button: title,
        };
        let message = panel(&[flow("a", "Say hello"), flow("b", "Help out")]);
        let parts = message.body().json()["components"][0]["components"].clone();
        let kinds: Vec<_> = parts.as_array().unwrap().iter().map(|part| &part["type"]).collect();
        assert_eq!(kinds, [9, 14, 9]);
        assert_eq!(parts[2]["accessory"]["label"], "Help out");
        assert_eq!(parts[2]["accessory"]["custom_id"], "start.b");
    }

    #[test]
    fn panel_leaves_out_flows_that_it_has_no_room_for() {
        let text = "x".repeat(PANEL_TEXT);
        let flow =
            Panel { flow: "a", title: Some("Hello"), text: &text, image: None, button: "Start" };
        let message = panel(&vec![flow; 20]);
        assert!(Weight::ALL.checked_sub(Weight::of(&message.components)).is_some());
        let Component::Container(card) = &message.components[0] else { panic!("{message:?}") };
        assert!(card.components.len() > 5);
    }
}
