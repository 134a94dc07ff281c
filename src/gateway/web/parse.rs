//! Form fields to commands. Pure; what stands in a card is read by [`crate::chat::form`].

use crate::{
    base::ids::WaitId,
    chat::form::{Fields, text},
    session::Command,
};

/// The command that a button of the menu stands for.
pub fn command(fields: &Fields) -> Option<Command> {
    Some(match fields.get("command") {
        "stop" => Command::Stop,
        "interrupt" => Command::Interrupt,
        "resume" => Command::Resume,
        "human" => Command::Human,
        "delete" => Command::Delete,
        "later" => Command::Later,
        "ask_again" => Command::AskAgain,
        "stop_reminders" => Command::StopReminders,
        "reopen" => Command::Reopen { wait: WaitId::from_short(fields.get("wait"))? },
        "change" => Command::Change { wait: WaitId::from_short(fields.get("wait"))? },
        "advance" => Command::Advance { reason: text(fields.get("reason")) },
        _ => return None,
    })
}

/// The order that a button of the staff page stands for.
pub fn order(fields: &Fields) -> Option<Command> {
    Some(match fields.get("command") {
        "take_over" => Command::TakeOver,
        "hand_back" => Command::HandBack,
        "write" => Command::Write { text: text(fields.get("text")) },
        "nudge" => Command::Nudge,
        "reopen" => Command::Reopen { wait: WaitId::from_short(fields.get("wait"))? },
        "end" => Command::End { reason: text(fields.get("reason")) },
        "advance" => Command::Advance { reason: text(fields.get("reason")) },
        "hold" => Command::Hold { reason: text(fields.get("reason")) },
        "release" => Command::Release,
        _ => return None,
    })
}
