//! What was pressed and entered, as steps towards a reply. Pure. What comes in is data: it is read by the stored
//! question, and the core checks it once more.
//!
//! Discord closes a form before anybody has looked at it, and no form can follow another: what was entered is kept in
//! a [`Draft`], so that a form with a mistake opens again as it was, and a question may take several.

use super::{
    inbound::{File, Inputs, Typed},
    limits,
    render::{inputs::entered, pages},
};
use crate::{
    chat::form::{self, ComponentId, Draft, Fields, Slot, named, picked},
    messages,
    model::{
        ui::{Choose, Control, FieldError, Reply, Verdict},
        wait::Wait,
    },
    session::answer::check_field,
};

/// What came of it.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// An answer, for the core to take or refuse. Files are not in it: they come as [`Reply::Uploaded`] once they are
    /// kept. The draft stays until it is taken.
    Answered {
        /// The answer.
        reply: Reply,
        /// What it was made of.
        draft: Draft,
    },
    /// Nothing to answer yet: keep this, and draw the card again.
    Kept(Draft),
    /// Keep this and say what is wrong with it; nothing is answered.
    Wrong {
        /// With what was entered, right or wrong.
        draft: Draft,
        /// What is wrong.
        errors: Vec<FieldError>,
    },
}

/// What a control stands for: without what tells one opening of a form from another, and a menu as the button that its
/// option would be. `menu.0` with `7` becomes `pick.7`, `page.0` with `2` `open.2`, `edit.0` with `2` `edit.2`,
/// `arrange.0` with `up.0.1` that. Anything else stays.
pub fn resolve(element: &ComponentId, inputs: &Inputs) -> ComponentId {
    let action = element.action.split('~').next().unwrap_or_default();
    let own = ComponentId::id(element.wait, element.revision, action);
    let value = inputs.0.get(&own).and_then(|typed| typed.values.first());
    let is_place = |value: &&String| value.parse::<usize>().is_ok();
    let becomes = match action.split_once('.') {
        Some(("menu", _)) => value.filter(is_place).map(|value| format!("pick.{value}")),
        Some(("page", _)) => value.filter(is_place).map(|value| format!("open.{value}")),
        Some(("edit", _)) => value.filter(is_place).map(|value| format!("edit.{value}")),
        Some(("arrange", _)) => {
            let element =
                value.map(|value| ComponentId { action: value.clone(), ..element.clone() });
            element.filter(ComponentId::is_rearranging).map(|element| element.action)
        }
        _ => None,
    };
    let action = becomes.unwrap_or_else(|| action.to_owned());
    ComponentId { action, ..element.clone() }
}

/// The files that a form holds.
pub fn files(inputs: &Inputs) -> Vec<File> {
    inputs.0.values().flat_map(|typed| &typed.files).cloned().collect()
}

/// What a button, a menu or a form that was sent comes to, for an element that was [resolved](resolve) and opens
/// nothing.
pub fn step(wait: &Wait, draft: &Draft, element: &ComponentId, inputs: &Inputs) -> Step {
    let reading = Reading { wait, inputs, draft: draft.clone() };
    let (verb, place) = element.action.split_once('.').unwrap_or((&element.action, ""));
    match (&wait.prompt.control, verb) {
        (Control::Choose(choose), "tick") => reading.tick(choose, element, place),
        (Control::Choose(choose), "done") => reading.done(choose),
        (Control::Form(form), "fill" | "submit") => {
            let slots = draft.slots(form);
            let reading = reading.enter(&slots);
            if verb == "fill" { reading.kept(&slots) } else { reading.answered() }
        }
        (Control::Review(review), "save") => {
            let pages = pages::of_review(review, draft);
            let slots: Vec<Slot> = pages.into_iter().flat_map(|page| page.slots).collect();
            reading.enter(&slots).saved(&slots)
        }
        (Control::Review(review), "approve") if draft.is_changed(review) => reading.approved(),
        (Control::Review(review), "add" | "remove" | "up") => {
            let mut draft = draft.clone();
            draft.rearrange(review, &element.action);
            // A new entry has nothing to save before it is filled in.
            let has_new = draft.rows.iter().flatten().flatten().any(Option::is_none);
            if has_new || verb == "add" {
                return Step::Kept(draft);
            }
            Reading { draft, ..reading }.answered()
        }
        (Control::Upload(_), "send") if files(inputs).is_empty() => {
            reading.wrong(vec![FieldError::whole(messages::answers::CHOOSE_FILE_FIRST)])
        }
        (Control::Upload(_), "send") => {
            reading.came_to(Ok(Reply::Uploaded { artifacts: Vec::new() }))
        }
        (
            Control::Choose(_)
            | Control::Form(_)
            | Control::Review(_)
            | Control::Upload(_)
            | Control::Ask(_)
            | Control::Decide(_)
            | Control::Confirm(_),
            _,
        ) => {
            let reply = form::reply(&wait.prompt, &element.action, &reading.words());
            reading.came_to(reply)
        }
    }
}

struct Reading<'a> {
    wait: &'a Wait,
    inputs: &'a Inputs,
    draft: Draft,
}

impl Reading<'_> {
    fn typed(&self, name: &str) -> Option<&Typed> {
        self.inputs.0.get(name)
    }

    fn first(&self, name: &str) -> Option<String> {
        self.typed(name).and_then(|typed| typed.values.first()).cloned()
    }

    /// Words that stand in an input of their own.
    fn words(&self) -> Fields {
        let sent = ["text", "notes", "feedback"].into_iter();
        Fields(sent.filter_map(|name| Some((name.to_owned(), self.first(name)?))).collect())
    }

    fn came_to(self, reply: Result<Reply, Vec<FieldError>>) -> Step {
        match reply {
            Ok(reply) => Step::Answered { reply, draft: self.draft },
            Err(errors) => self.wrong(errors),
        }
    }

    fn wrong(self, errors: Vec<FieldError>) -> Step {
        Step::Wrong { draft: self.draft, errors }
    }

    /// All that was entered, as the answer.
    fn answered(self) -> Step {
        let reply = self.draft.reply(&self.wait.prompt);
        self.came_to(reply)
    }

    /// What one form holds, as an edit to be saved. What was entered in another one and is not right yet does not
    /// hold it up.
    fn saved(self, slots: &[Slot]) -> Step {
        let sent: Vec<&str> = slots
            .iter()
            .filter(|slot| self.inputs.0.contains_key(&slot.name))
            .map(|slot| slot.field.path.as_str())
            .collect();
        let mut own = self.draft.clone();
        own.typed.retain(|path, _| sent.contains(&path.as_str()));
        let reply = own.reply(&self.wait.prompt);
        self.came_to(reply)
    }

    /// All that was entered, with consent to it.
    fn approved(self) -> Step {
        let reply = self.draft.reply(&self.wait.prompt).map(|reply| match reply {
            Reply::Reviewed { data, notes, .. } => {
                Reply::Reviewed { verdict: Verdict::Modified, data, notes }
            }
            reply => reply,
        });
        self.came_to(reply)
    }

    /// Puts what a form holds into the draft. What it does not hold stays as it is.
    fn enter(mut self, slots: &[Slot]) -> Self {
        for slot in slots {
            let values = self.typed(&slot.name).and_then(|typed| entered(&slot.field, typed));
            if let Some(values) = values {
                self.draft.enter(&slot.field.path, values);
            }
        }
        if let Some(notes) = self.first("notes") {
            self.draft.notes = Some(form::text(&notes)).filter(|notes| !notes.is_empty());
        }
        self
    }

    /// Keeps what was entered, and says what is wrong with it while the person is there.
    fn kept(self, slots: &[Slot]) -> Step {
        let sent = slots.iter().filter(|slot| self.inputs.0.contains_key(&slot.name));
        let errors: Vec<FieldError> = sent.filter_map(|slot| self.complaint(slot)).collect();
        if errors.is_empty() { Step::Kept(self.draft) } else { self.wrong(errors) }
    }

    fn complaint(&self, slot: &Slot) -> Option<FieldError> {
        let values = self.draft.typed.get(&slot.field.path)?;
        let name = form::field_name(&slot.field.path);
        let sent = Fields(values.iter().map(|value| (name.clone(), value.clone())).collect());
        match form::read(&slot.field, &sent) {
            Ok(Some(value)) => check_field(&slot.field, &value)
                .map(|message| FieldError { path: slot.field.path.clone(), message }),
            Ok(None) => None,
            Err(error) => Some(error),
        }
    }

    /// A menu of which several may be picked counts once everything is sent.
    fn tick(mut self, choose: &Choose, element: &ComponentId, place: &str) -> Step {
        let own = ComponentId::id(element.wait, element.revision, &element.action);
        let ids = picked(&choose.choices, self.typed(&own).map_or(&[][..], |typed| &typed.values));
        self.draft.pick(&among(choose, place), ids);
        Step::Kept(self.draft)
    }

    fn done(mut self, choose: &Choose) -> Step {
        let menus: Vec<(String, Vec<String>)> = (0..limits::MENUS_MAX)
            .map(|k| k.to_string())
            .filter_map(|k| {
                let typed = self.typed(&format!("pick.{k}"))?;
                Some((k, picked(&choose.choices, &typed.values)))
            })
            .collect();
        for (k, ids) in menus {
            self.draft.pick(&among(choose, &k), ids);
        }
        let others = self.first("named").unwrap_or_default();
        for id in named(&choose.choices, true, &others) {
            if !choose.choices.iter().any(|choice| choice.id == id) {
                let name =
                    super::render::text::clip_or(&id, limits::OPTION_TEXT, messages::forms::THAT);
                let message = messages::answers::not_a_choice(&name);
                return self.wrong(vec![FieldError { path: "named".to_owned(), message }]);
            }
            self.draft.pick(std::slice::from_ref(&id), vec![id.clone()]);
        }
        self.answered()
    }
}

/// The choices of one menu.
fn among(choose: &Choose, place: &str) -> Vec<String> {
    let place = place.parse::<usize>().unwrap_or(usize::MAX);
    let chunk = choose.choices.chunks(limits::SELECT_OPTIONS).nth(place).unwrap_or_default();
    chunk.iter().map(|choice| choice.id.clone()).collect()
}
