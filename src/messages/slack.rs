//! What only Slack shows.

/// A conversation has begun where the person is not looking.
pub(crate) const WROTE_TO_YOU: &str =
    "I've sent you a direct message; look under this app's messages.";
/// They had the conversation before, `direct`ly or in a channel, and it may rest.
pub(crate) fn yours_already(direct: bool, rests: bool) -> String {
    let place = if direct { "; look under this app's messages" } else { "" };
    format!("You already have this conversation{place}.{}", how_to_resume(rests))
}
/// The same with its address.
pub(crate) fn yours_already_at(link: &str, rests: bool) -> String {
    format!("You already have <{link}|this conversation>.{}", how_to_resume(rests))
}
const fn how_to_resume(rests: bool) -> &'static str {
    if rests { " Type *resume* in it to continue." } else { "" }
}
/// Somebody who began the conversation themselves cannot be written to directly.
pub(crate) const OPEN_YOUR_MESSAGES: &str = "I can't write to you directly. Open this app under “Apps” and write to me there, and we'll continue.";
/// A form was opened before what it shows was changed elsewhere.
pub(crate) const CHANGED_MEANWHILE: &str =
    "This was changed in the meantime. Copy what you wrote, close this form and open it again.";

/// What works in a conversation, for whoever asks; the buttons follow.
pub(crate) const HELP: &str = "*What works here:*\n• Type your answer, or press a button on a card.\n• Drop a file into this thread.\n• For anything else there are these buttons:";

/// Begins a conversation in a channel, with somebody who cannot be written to directly.
pub(crate) fn moved_here(user: &str) -> String {
    format!(
        "<@{user}>, I can't send you direct messages, so let's talk here, in the thread below. Everyone in this channel can read it."
    )
}

/// Begins the rest of a conversation in a channel, where the thread it stood in takes no messages any more.
pub(crate) fn goes_on_here(user: &str) -> String {
    format!("<@{user}>, our earlier thread is closed, so let's continue here, in the thread below.")
}

/// Whom somebody invited cannot be written to; what to do.
pub(crate) fn not_reached(user: &str) -> String {
    format!(
        "I can't send <@{user}> direct messages, so they haven't read anything yet. Nothing is lost. Ask them to open this \
         app under “Apps” and write to me there, or invite them again later. Whoever runs this bot can also choose a \
         private channel for the interview."
    )
}

/// The Home tab.
pub(crate) const NO_CONVERSATIONS: &str = "You don't have any conversations yet.";
pub(crate) const HOME_UNSURE: &str =
    "I couldn't check what else you can see. Please open this page again in a moment.";
pub(crate) fn part(number: usize, of: usize, title: &str, percent: f64, status: &str) -> String {
    format!("Part {number} of {of} · {title} · {percent} % · {status}")
}
pub(crate) fn waits_for_answer(question: &str) -> String {
    format!("Waiting for your answer: {question}")
}

/// Suggested prompts of the agent view.
pub(crate) const SKIP_QUESTION: &str = "Skip this question";
pub(crate) const STOP_FOR_NOW: &str = "Stop for now";

/// The native buttons under an answer, for screen readers.
pub(crate) const ANSWER_HELPFUL: &str = "This answer was helpful";
pub(crate) const ANSWER_NOT_HELPFUL: &str = "This answer was not helpful";

/// Those who decide are called.
pub(crate) fn please_decide(deciders: &str) -> String {
    format!("{deciders}, please decide.")
}

/// The pages on which an administrator installs the app.
pub(crate) const INSTALL_NOT_HERE: &str = "Not here";
pub(crate) const INSTALL_ONE_WORKSPACE: &str = "This bot serves one workspace only.";
pub(crate) const INSTALL_FAILED: &str = "That didn't work. Please try again.";
pub(crate) const INSTALL_NOT_FINISHED: &str = "Not finished yet";
pub(crate) const INSTALL_NOT_KEPT: &str = "Slack has added the app, but the bot couldn't save its access and doesn't work in your \
    workspace yet. Please install it once more in a few minutes; nothing needs to be removed first. If this happens again, \
    tell whoever runs the bot.";
pub(crate) const INSTALL_ONCE_MORE: &str = "Install once more";
pub(crate) const INSTALL_AGAIN: &str = "Please start again";
pub(crate) const INSTALL_OTHER_VISIT: &str =
    "This page belongs to another visit, or ten minutes have passed. Please start again.";
pub(crate) const NOT_INSTALLED: &str = "Not installed";
pub(crate) const NOTHING_INSTALLED: &str = "Nothing was installed, and nothing was changed.";
pub(crate) const INSTALLED: &str = "Installed";
pub(crate) const INSTALL_DONE: &str = "You can close this page and go back to Slack.";
