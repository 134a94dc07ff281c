//! What code handles in every state, without a model: stop, human, export, delete, and what staff may order.

/// An order, typed as a whole message or given by a button or slash command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// "stop": nothing more is asked.
    Stop,
    /// "resume" or "continue": go on after stop, pause, "later" or a hand-over nobody claimed.
    Resume,
    /// "human": a person is asked for.
    Human,
    /// "skip": pass over the open question, where its objective allows.
    Skip,
    /// "export": a copy of everything.
    Export,
    /// "delete my data": opens the card that asks once more.
    Delete,
    /// "stop reminders".
    StopReminders,
    /// Move to the next phase although objectives are missing (S1 §3C).
    Advance {
        /// Why.
        reason: String,
    },
    /// Staff takes the conversation over.
    TakeOver,
    /// Staff hands the conversation back to the bot.
    HandBack,
    /// Staff writes to the participant.
    Write {
        /// What.
        text: String,
    },
    /// Staff reminds the participant now.
    Nudge,
    /// Staff ends the session.
    End {
        /// Why.
        reason: String,
    },
}
