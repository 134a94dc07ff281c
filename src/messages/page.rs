//! What only the web page says.

/// The form is not one that this page made.
pub const STALE_FORM: &str = "This page is out of date. Please reload it and try again.";
/// What came is no form.
pub const UNREAD_FORM: &str =
    "That couldn't be read, so nothing was sent. Please reload the page and try again.";
/// A page that asks for itself once more.
pub(crate) const ONE_MOMENT: &str = "One moment, please.";
/// The form has more in it than a form of this page.
pub(crate) const LARGE_FORM: &str = "That is too much for one form, so nothing was sent. Please shorten it, or send it in parts or as a file.";
/// One browser, or one conversation, has all the live pages that it may have.
pub const MANY_PAGES: &str =
    "This is open in too many tabs. Close one, or reload this page to see what's new.";
/// Everybody's live pages together are as many as there may be.
pub const ALL_PAGES: &str =
    "Too many pages are open right now. This one works, but reload it to see what's new.";
/// There is no such address here.
pub const NOTHING_HERE: &str = "There is no page at this address.";
/// The page was opened under a name that is not this machine's.
pub const OTHER_HOST: &str = "This page answers on localhost only. Please open it under that name.";
/// No node that could answer is reached just now. Nothing was sent.
pub(crate) const UNREACHABLE: &str =
    "The bot can't be reached right now, so nothing was sent. Please try again in a few seconds.";
/// The connection broke after something was sent.
pub(crate) const UNCERTAIN: &str = "The connection broke, so it isn't certain that this was sent. Please open the page again in a few seconds to see.";
/// The staff page was opened without its key.
pub const STAFF_KEY: &str =
    "The staff page opens with the staff key. Whoever runs this bot can give it to you.";
/// The staff page was opened with another key.
pub const WRONG_KEY: &str = "That key is wrong.";
/// The input for it.
pub(crate) const KEY: &str = "Staff key";

/// A message is longer than one may be.
pub(crate) fn long_message(count: usize, most: usize) -> String {
    format!(
        "That's {count} characters, and a message holds {most}. Nothing was sent. Please shorten it, or send it in parts."
    )
}

/// Titles and heads of pages.
pub(crate) const SORRY: &str = "Sorry";
pub(crate) const WELCOME: &str = "Welcome";
pub(crate) const INTERVIEWS: &str = "Interviews";
pub(crate) const ERASED_TITLE: &str = "Erased";
pub(crate) const ERASED: &str = "Everything is erased";
pub(crate) const ERASED_BODY: &str = "Your answers, your files and the conversation are gone. We keep only a record that an erasure took place; it doesn't contain your name.";
pub(crate) const RECEIPT: &str = "Receipt:";

/// The start page.
pub(crate) const LEAD: &str = "Try an interview as a participant would see it.";
pub(crate) const LOCAL: &str = "Nothing leaves this machine.";
pub(crate) const NO_INTERVIEWS: &str =
    "There are no interviews yet. Add a flow to the folder of flows, then reload this page.";
pub(crate) const YOUR_NAME: &str = "Your name";
pub(crate) const ALL_INTERVIEWS: &str = "All interviews";
pub(crate) const SKIP_TO_CONTENT: &str = "Skip to the content";

/// The conversation.
pub(crate) const STARTING: &str = "It starts in a moment. You can write below at any time.";
pub(crate) const TO_SEE_NEWS: &str = "to see what's new.";
pub(crate) const WRITE_A_MESSAGE: &str = "Write a message";
pub(crate) const ENTER_SENDS: &str = "Enter sends the message, Shift and Enter starts a new line.";
pub(crate) const WHY_SKIP: &str = "Why do you want to skip ahead?";
pub(crate) const ASSISTANT: &str = "Assistant";
pub(crate) const ASSISTANT_TO_TEAM: &str = "Assistant, to the team";
pub(crate) const FROM_THE_TEAM: &str = " · from the team";
pub(crate) const REHEARSAL: &str = "Rehearsal";
pub(crate) const COPY_READY: &str = "A copy of your data is ready.";
pub(crate) const ARCHIVE: &str = "Your answers, files and the whole conversation, in one archive.";
pub(crate) const DOWNLOAD_COPY: &str = "Download a copy";
pub(crate) const BY: &str = " by ";
pub(crate) const ASKED: &str = " · asked ";
pub(crate) fn question(title: &str, body: &str) -> String {
    format!("Question: {title}{body}")
}

/// How far somebody is.
pub(crate) const THEIR_PROGRESS: &str = "Their progress";
pub(crate) const YOUR_PROGRESS: &str = "Your progress";
pub(crate) const STOPPED: &str = "Stopped";
pub(crate) const PAUSED: &str = "Paused";
pub(crate) const NOT_NOW: &str = "Not now";
pub(crate) const ENDED: &str = "Ended by the team";
pub(crate) const CONVERSATION_PAUSED: &str = "This conversation is paused.";
pub(crate) const TEAM_IS_HERE: &str = "Someone from the team is here. The assistant is paused.";
pub(crate) const TEAM_ASKED: &str =
    "Someone from the team has been asked to join. The assistant is paused.";

/// What an effect would do, and that it was not done here.
pub(crate) const ROLES_ON_DISCORD: &str = "Nothing was given: roles exist only on Discord.";
pub(crate) const NO_CHANNELS: &str = "Nothing was posted: this page has no channels.";
pub(crate) const NO_WEBHOOK: &str = "Nothing was sent: the web hook isn't set up.";
pub(crate) const NO_ROLE_GIVEN: &str = "No role was given here.";
pub(crate) const NOTHING_POSTED: &str = "Nothing was posted.";
pub(crate) fn would_give(person: &str, roles: &str) -> String {
    format!("Would give {person} {roles}.")
}
pub(crate) fn would_post(channel: &str, mentioned: Option<&str>) -> String {
    let mention = mentioned.map(|person| format!(", mentioning {person}")).unwrap_or_default();
    format!("Would post in {channel}{mention}:")
}
pub(crate) fn would_summarise(channel: &str) -> String {
    format!("Would post a summary in {channel}:")
}
pub(crate) fn would_call(hook: &str, data: &[String]) -> String {
    let data =
        if data.is_empty() { String::new() } else { format!(": {}", super::list::plain(data)) };
    format!("Would call the web hook *{hook}*{data}.")
}
pub(crate) fn you_would_get(roles: &str) -> String {
    format!("On Discord, you would now get {roles}.")
}
pub(crate) fn would_be_posted(channel: &str) -> String {
    format!("On Discord, this would now be posted in {channel}:")
}

/// `the role *Member*`
pub(crate) fn roles(titles: &[String]) -> String {
    match titles {
        [] => super::requests::A_ROLE.to_owned(),
        [only] => format!("the role {only}"),
        several => format!("the roles {}", super::list::and(several)),
    }
}

/// What became of an effect.
pub(crate) fn awaits_approval(what: &str) -> String {
    format!("Waiting for the team's approval: {what}.")
}
pub(crate) fn done(what: &str) -> String {
    format!("Done: {what}.")
}
pub(crate) fn not_applicable(what: &str) -> String {
    format!("Not applicable here: {what}.")
}
pub(crate) fn not_done(what: &str) -> String {
    format!("Not done here: {what}.")
}
pub(crate) fn declined(what: &str) -> String {
    format!("Declined by the team: {what}.")
}
pub(crate) fn failed(what: &str, reason: &str) -> String {
    format!("Failed: {what} ({reason}).")
}
