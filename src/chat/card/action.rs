//! What can be pressed on a card, what it takes, and what is asked before it counts. The names are the same on every
//! platform and stand in messages that were posted long ago.

use std::borrow::Cow;

use crate::{
    chat::form::{growing, is_blank, one_line},
    messages::{buttons, forms},
    model::ui::{Choice, Choose, Confirm, Control, Decide, Review, Upload},
};

/// Longest icon that stands before a label, in UTF-16 units: one emoji of several characters.
const ICON_MAX: usize = 8;

/// Lists to which entries can be added by a button of their own.
const ADDABLE_MAX: usize = 8;

/// Something that can be pressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Action {
    /// Names it in a [`ComponentId`](crate::chat::form::ComponentId).
    pub name: Cow<'static, str>,
    /// What stands on it. Perhaps of a flow's author: too long for its place, but never blank.
    pub label: Cow<'static, str>,
    /// How it looks.
    pub emphasis: Emphasis,
    /// What goes with it.
    pub takes: Takes,
    /// What somebody is asked once more before it counts.
    pub sure: Option<Sure>,
    /// Name and label of the button that opens the form for what it takes; `None` if it's the same button.
    pub opened_by: Option<(&'static str, &'static str)>,
}

/// How a button looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Emphasis {
    /// Like any other.
    None,
    /// What most people will press.
    Primary,
    /// A yes to what others asked for, or to what was collected.
    Positive,
    /// What can't be taken back, or goes against somebody.
    Danger,
}

/// What goes with an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Takes {
    /// Pressing it is all.
    Nothing,
    /// Which of the choices. It isn't needed where pressing a choice answers at once.
    Picks,
    /// Values of the fields.
    Fields,
    /// A new entry of a list, to be filled in before anything is saved.
    Entry,
    /// Words or files, which can be sent as a message too.
    Message,
    /// Words beside the answer, under this name.
    Remark(&'static str),
}

/// What is asked before an action counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sure {
    /// `Approve this?`
    pub title: &'static str,
    /// What it is about.
    pub words: Cow<'static, str>,
    /// Label of the button that does it.
    pub yes: Cow<'static, str>,
}

impl Action {
    pub(super) const fn new(name: &'static str, label: &'static str) -> Self {
        let (name, label) = (Cow::Borrowed(name), Cow::Borrowed(label));
        let (emphasis, takes) = (Emphasis::None, Takes::Nothing);
        Self { name, label, emphasis, takes, sure: None, opened_by: None }
    }

    /// With the words of a flow's author on it, if there are some.
    fn labelled(self, label: &str) -> Self {
        if is_blank(label) { self } else { Self { label: Cow::Owned(label.to_owned()), ..self } }
    }

    fn looking(self, emphasis: Emphasis) -> Self {
        Self { emphasis, ..self }
    }

    fn taking(self, takes: Takes) -> Self {
        Self { takes, ..self }
    }

    fn opened_by(self, name: &'static str, label: &'static str) -> Self {
        Self { opened_by: Some((name, label)), ..self }
    }

    /// All that can be pressed for an answer, in order. Nothing of a review `is_untouched` where nobody has written
    /// anything yet: there is nothing to approve then, and nothing to start over.
    pub fn of(control: &Control, is_untouched: bool) -> Vec<Self> {
        match control {
            Control::Choose(choose) => Self::of_choice(choose),
            Control::Form(form) => {
                let submit = Self::new("submit", buttons::SEND).labelled(&form.submit);
                let submit = submit.taking(Takes::Fields).opened_by("open", buttons::FILL_IN);
                skippable(submit.looking(Emphasis::Primary), form.skippable)
            }
            Control::Review(review) => Self::of_review(review, is_untouched),
            Control::Upload(upload) => Self::of_upload(upload),
            Control::Ask(ask) => {
                let send = Self::new("send", buttons::SEND).taking(Takes::Message);
                let send = send.opened_by("open", buttons::WRITE_ANSWER);
                skippable(send.looking(Emphasis::Primary), !ask.required)
            }
            Control::Decide(decide) => Self::of_request(decide),
            Control::Confirm(confirm) => Self::of_confirmation(confirm).into(),
        }
    }

    fn of_choice(choose: &Choose) -> Vec<Self> {
        let done = Self::new("done", buttons::DONE).taking(Takes::Picks);
        let done = done.opened_by("open", buttons::CHOOSE).looking(Emphasis::Primary);
        skippable(done, !choose.required)
    }

    fn of_upload(upload: &Upload) -> Vec<Self> {
        let send = Self::new("send", buttons::SEND).taking(Takes::Message);
        let label = buttons::upload(&upload.upload_type, upload.max_files);
        skippable(send.opened_by("open", label).looking(Emphasis::Primary), !upload.required)
    }

    fn of_review(review: &Review, is_untouched: bool) -> Vec<Self> {
        let approve = Self::new("approve", buttons::LOOKS_RIGHT).looking(Emphasis::Positive);
        let save = Self::new("save", buttons::SAVE).taking(Takes::Fields);
        let save = if is_untouched {
            save.opened_by("edit", buttons::FILL_IN).looking(Emphasis::Primary)
        } else {
            save.opened_by("edit", buttons::EDIT)
        };
        let reject = Self::new("reject", buttons::START_OVER).taking(Takes::Remark("notes"));
        let skip = review.skippable.then(Self::skip);
        let of_written = |action: Self| (!is_untouched).then_some(action);
        let before = of_written(approve).into_iter().chain([save]).chain(Self::adding(review));
        before.chain(of_written(reject)).chain(skip).collect()
    }

    /// What deciders can press.
    fn of_request(decide: &Decide) -> Vec<Self> {
        let approve = Self::new("approve", buttons::APPROVE).labelled(&decide.approve);
        let sure = Sure {
            title: forms::APPROVE_THIS,
            words: Cow::Owned(decide.request.to_string()),
            yes: Cow::Borrowed(buttons::YES_APPROVE),
        };
        let approve = Self { sure: Some(sure), ..approve.looking(Emphasis::Positive) };
        let deny = Self::new("deny", buttons::DENY).labelled(&decide.deny);
        let tell = decide.deny_and_tell.as_ref().map(|label| {
            let tell = Self::new("deny_and_tell", buttons::DENY_AND_TELL_SHORT).labelled(label);
            tell.taking(Takes::Remark("feedback"))
        });
        [approve, deny.looking(Emphasis::Danger)].into_iter().chain(tell).collect()
    }

    /// What can be pressed under something that needs a yes.
    fn of_confirmation(confirm: &Confirm) -> [Self; 2] {
        let yes = Self::new("yes", buttons::YES).labelled(&confirm.yes);
        let yes = if confirm.danger {
            let words = Cow::Borrowed(forms::CANT_BE_UNDONE);
            let sure = Sure { title: forms::ARE_YOU_SURE, words, yes: yes.label.clone() };
            Self { sure: Some(sure), ..yes.looking(Emphasis::Danger) }
        } else {
            yes.looking(Emphasis::Primary)
        };
        [yes, Self::new("no", buttons::NO).labelled(&confirm.no)]
    }

    /// Adds an entry, for each list that takes some.
    pub fn adding(review: &Review) -> impl Iterator<Item = Self> {
        growing(review).take(ADDABLE_MAX).map(|n| {
            let label = Cow::Owned(buttons::add(&one_line(&review.lists[n].noun)));
            let name = Cow::Owned(format!("add.{n}"));
            Self { name, label, ..Self::new("add", buttons::ADD_ANY).taking(Takes::Entry) }
        })
    }

    /// Picks the `n`th choice, counted from 0, and answers with it at once.
    pub fn pick(n: usize, choice: &Choice, label: &str) -> Self {
        let name = Cow::Owned(format!("pick.{n}"));
        // A name of an icon is no decoration here.
        let is_shown = |icon: &&str| !icon.is_ascii() && icon.encode_utf16().count() <= ICON_MAX;
        let label = match choice.icon.as_deref().filter(is_shown) {
            Some(icon) => format!("{icon} {label}"),
            None => label.to_owned(),
        };
        Self { name, ..Self::new("pick", buttons::CHOOSE).labelled(&label) }
    }

    fn skip() -> Self {
        Self::new("skip", buttons::SKIP)
    }

    /// The button that stands for it where a form is opened for what it takes: `[Fill in]` for `[Send]`.
    #[must_use]
    pub fn opener(&self) -> Self {
        let Some((name, label)) = self.opened_by else { return self.clone() };
        Self { name: Cow::Borrowed(name), label: Cow::Borrowed(label), ..self.clone() }
    }
}

fn skippable(action: Action, may_skip: bool) -> Vec<Action> {
    [action].into_iter().chain(may_skip.then(Action::skip)).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    /// `name: Label (opener: Label), what it takes, what is asked before`, a line each.
    fn shown(control: Value, is_untouched: bool) -> String {
        let line = |action: &Action| {
            let Action { name, label, takes, .. } = action;
            let sure = action.sure.as_ref().map(|sure| format!(", {} {}", sure.title, sure.yes));
            let opener = action.opener();
            let opener = format!("{}: {}", opener.name, opener.label);
            format!("{name}: {label} ({opener}), {takes:?}{}", sure.unwrap_or_default())
        };
        let control: Control = serde_json::from_value(control).unwrap();
        Action::of(&control, is_untouched).iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn every_question_says_what_can_be_pressed_and_what_opens_its_form() {
        let choose =
            json!({ "kind": "choose", "choices": [], "multiple": true, "required": false });
        insta::assert_snapshot!(shown(choose, true), @"
        done: Done (open: Choose…), Picks
        skip: Skip (skip: Skip), Nothing
        ");
        let form = json!({ "kind": "form", "fields": [], "submit": " ", "skippable": false });
        insta::assert_snapshot!(shown(form, true), @"submit: Send (open: Fill in), Fields");
        let upload = json!({
            "kind": "upload", "upload_type": "resume", "accept": [], "max_bytes": 1, "max_files": 1, "required": true,
        });
        insta::assert_snapshot!(shown(upload, true), @"send: Send (open: Upload résumé), Message");
        let ask = json!({ "kind": "ask", "max": 1, "required": false });
        insta::assert_snapshot!(shown(ask, true), @"
        send: Send (open: Write an answer), Message
        skip: Skip (skip: Skip), Nothing
        ");
        let decide = json!({
            "kind": "decide", "request": "Now?", "facts": [], "approve": "Yes", "deny": "", "deny_and_tell": "No, but",
        });
        insta::assert_snapshot!(shown(decide, true), @r#"
        approve: Yes (approve: Yes), Nothing, Approve this? Yes, approve
        deny: Deny (deny: Deny), Nothing
        deny_and_tell: No, but (deny_and_tell: No, but), Remark("feedback")
        "#);
        let confirm = json!({ "kind": "confirm", "yes": "Erase", "no": "Keep", "danger": true });
        insta::assert_snapshot!(shown(confirm, true), @"
        yes: Erase (yes: Erase), Nothing, Are you sure? Erase
        no: Keep (no: Keep), Nothing
        ");
    }

    #[test]
    fn of_a_review_that_nobody_has_written_into_nothing_is_approved_or_begun_anew() {
        let list = json!({ "path": "roles", "noun": "role", "fields": [] });
        let review = json!({
            "kind": "review", "data_type": "pet", "data": {}, "schema": {}, "groups": [], "lists": [list], "skippable": true,
        });
        insta::assert_snapshot!(shown(review.clone(), true), @"
        save: Save (edit: Fill in), Fields
        add.0: Add a role (add.0: Add a role), Entry
        skip: Skip (skip: Skip), Nothing
        ");
        insta::assert_snapshot!(shown(review, false), @r#"
        approve: Looks right (approve: Looks right), Nothing
        save: Save (edit: Edit), Fields
        add.0: Add a role (add.0: Add a role), Entry
        reject: Start over (reject: Start over), Remark("notes")
        skip: Skip (skip: Skip), Nothing
        "#);
    }

    #[test]
    fn a_name_of_an_icon_is_not_shown() {
        let label = |icon: &str| {
            let choice = json!({ "id": "red", "label": "Red", "icon": icon });
            Action::pick(0, &serde_json::from_value(choice).unwrap(), "Red").label.into_owned()
        };
        assert_eq!([label("🟥"), label("square")], ["🟥 Red", "Red"]);
    }
}
