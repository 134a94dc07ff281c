//! A person who sees a card and answers it: only what is drawn is pressed, only what an input takes is entered.

use anteroom::{
    chat::{
        form::{ComponentId, Draft},
        transcript::Opening,
    },
    gateway::discord::{
        answer::{self, Step},
        inbound::{File, Inputs, Typed},
        render::{Cx, Message, aside, card},
    },
    model::{
        ui::{Control, FieldError, Reply},
        wait::Wait,
    },
};
use serde_json::Value;

use super::{components_of, modal, wrong_with, wrong_with_modal};
use crate::discord::emulator::components;

/// What a person can use on a message: each control with what it sends.
pub(crate) fn controls(message: &Message) -> Vec<(ComponentId, Inputs)> {
    let mut found = Vec::new();
    for component in components::all(&components_of(message)) {
        let Some(id) = component["custom_id"].as_str() else { continue };
        if Opening::parse(id).is_some() {
            // It opens the transcript, and answers nothing.
            continue;
        }
        let element = ComponentId::parse(id).unwrap_or_else(|| panic!("`{id}` is not ours"));
        let mut send = |values: Vec<String>| {
            let mut inputs = Inputs::default();
            if !values.is_empty() {
                inputs.0.insert(id.to_owned(), Typed { values, files: Vec::new() });
            }
            found.push((element.clone(), inputs));
        };
        match component["type"].as_u64() {
            Some(3) if component["max_values"].as_u64().unwrap_or(1) > 1 => {
                send(options(component).into_iter().take(2).collect());
            }
            Some(3) => options(component).into_iter().for_each(|value| send(vec![value])),
            _ => send(Vec::new()),
        }
    }
    found
}

fn options(component: &Value) -> Vec<String> {
    let options = component["options"].as_array().into_iter().flatten();
    options.filter_map(|option| option["value"].as_str().map(str::to_owned)).collect()
}

/// A form with everything entered that may be: what is empty is filled in with `words`, what stands there already too
/// where there are some.
pub(crate) fn filled(modal: &Value, words: &str) -> Inputs {
    let mut inputs = Inputs::default();
    for component in components::all(modal["components"].as_array().unwrap()) {
        let Some(id) = component["custom_id"].as_str() else { continue };
        let name = id.split('~').next().unwrap();
        // What is picked need not be named.
        let words = if name == "named" { "" } else { words };
        let Some(mut typed) = entered(component, words) else { continue };
        // Of one choice in several menus, one is picked.
        if name.starts_with("pick.") && name != "pick.0" && component["max_values"] == 1 {
            typed.values.clear();
        }
        inputs.0.insert(name.to_owned(), typed);
    }
    inputs
}

fn entered(component: &Value, words: &str) -> Option<Typed> {
    let values = |values: Vec<String>| Some(Typed { values, files: Vec::new() });
    match component["type"].as_u64()? {
        4 => {
            let held = component["value"].as_str().filter(|_| words.is_empty());
            let placeholder = component["placeholder"].as_str();
            let example = placeholder.map(|words| words.split(", ").next().unwrap_or(words));
            let typed = held.or(example).unwrap_or(words);
            let least = usize::try_from(component["min_length"].as_u64().unwrap_or(0)).unwrap();
            let most = usize::try_from(component["max_length"].as_u64().unwrap_or(4_000)).unwrap();
            let missing = least.saturating_sub(typed.chars().count());
            let padded = format!("{typed}{}", "x".repeat(missing));
            values(vec![padded.chars().take(most).collect()])
        }
        21 => values(vec![options(component).into_iter().find(|value| value != "none")?]),
        3 | 22 => {
            let most = usize::try_from(component["max_values"].as_u64().unwrap_or(1)).unwrap();
            values(options(component).into_iter().take(most.min(2)).collect())
        }
        19 => Some(Typed {
            values: Vec::new(),
            files: vec![File { id: "1".to_owned(), name: "cv.pdf".to_owned(), ..File::default() }],
        }),
        _ => None,
    }
}

/// What a control led to.
#[derive(Debug)]
pub(crate) struct Outcome {
    /// The action that was sent in the end.
    pub(crate) action: String,
    pub(crate) came: Result<Reply, Vec<FieldError>>,
}

/// A person with a card before them, and what they have entered so far.
pub(crate) struct Person<'a> {
    pub(crate) wait: &'a Wait,
    pub(crate) cx: Cx,
    pub(crate) words: &'a str,
}

impl Person<'_> {
    /// The card as it stands; it must be drawn well.
    pub(crate) fn look(&self) -> Message {
        let message = card(self.wait, &self.cx);
        assert_eq!(wrong_with(&message), Vec::<String>::new(), "{:#?}", self.wait);
        message
    }

    /// Uses a control to its end: the form that it opens is filled in and sent, "are you sure?" is said yes to.
    pub(crate) fn press(&mut self, used: &(ComponentId, Inputs)) -> Option<Outcome> {
        let element = answer::resolve(&used.0, &used.1);
        if let Some(message) = aside(self.wait, &element.action, &self.cx) {
            assert_eq!(wrong_with(&message), Vec::<String>::new(), "{}", element.action);
            let next =
                controls(&message).into_iter().find(|(e, _)| !e.action.starts_with("read"))?;
            return self.press(&next);
        }
        let Some(form) = modal(self.wait, &element.action, &self.cx) else {
            return self.take(&element, &used.1);
        };
        assert_eq!(wrong_with_modal(&form), Vec::<String>::new(), "{:#?}", self.wait);
        let sent = ComponentId::parse(form["custom_id"].as_str().unwrap()).unwrap();
        let sent = answer::resolve(&sent, &Inputs::default());
        self.take(&sent, &filled(&form, self.words))
    }

    fn take(&mut self, element: &ComponentId, inputs: &Inputs) -> Option<Outcome> {
        let action = element.action.clone();
        match answer::step(self.wait, &self.cx.draft, element, inputs) {
            Step::Answered { reply, draft } => {
                self.cx.draft = draft;
                Some(Outcome { action, came: Ok(reply) })
            }
            Step::Kept(draft) => {
                self.cx.draft = draft;
                None
            }
            Step::Wrong { draft, errors } => {
                self.cx.draft = draft;
                Some(Outcome { action, came: Err(errors) })
            }
        }
    }

    /// Goes through every page or menu that only keeps what is entered, then sends: what a person does who means it.
    pub(crate) fn work_through(&mut self) {
        let drawn = controls(&self.look());
        let is_form = matches!(self.wait.prompt.control, Control::Form(_));
        // Of what nobody has begun to write, several pages are written before it can be sent.
        let is_sent = drawn.iter().any(|(element, _)| element.action == "approve");
        let is_blank = matches!(self.wait.prompt.control, Control::Review(_)) && !is_sent;
        let keeps = |element: &ComponentId| match element
            .action
            .split_once('.')
            .unwrap_or((&element.action, ""))
        {
            ("tick" | "page", _) => true,
            ("open", _) => is_form,
            ("edit", page) => is_blank && !page.is_empty(),
            _ => false,
        };
        let used: Vec<_> = drawn.into_iter().filter(|(element, _)| keeps(element)).collect();
        for used in used {
            if let Some(Outcome { action, came: Err(errors) }) = self.press(&used) {
                panic!("`{action}` was filled in and is refused: {errors:?}\n{:#?}", self.wait);
            }
        }
    }
}

/// Every control of a card that answers it, with what comes of it.
pub(crate) fn answers(wait: &Wait, cx: &Cx, words: &str) -> Vec<Outcome> {
    let mut first = Person { wait, cx: cx.clone(), words };
    first.work_through();
    let draft = first.cx.draft.clone();
    let drawn = controls(&first.look());
    let uses = drawn.into_iter().filter(|(element, _)| !element.action.starts_with("read"));
    let mut outcomes = Vec::new();
    for used in some(uses.collect()) {
        // Entries are moved in a copy: each use begins where the others began.
        let mut person = Person { wait, cx: Cx { draft: draft.clone(), ..cx.clone() }, words };
        outcomes.extend(person.press(&used));
        person.look();
    }
    outcomes
}

/// A draft that holds what a person entered on some pages.
pub(crate) fn begun(wait: &Wait, words: &str) -> Draft {
    let mut person = Person { wait, cx: Cx::default(), words };
    person.work_through();
    person.cx.draft
}

/// A dozen of many that are alike, the first and the last among them.
pub(crate) fn some<T>(mut all: Vec<T>) -> Vec<T> {
    if all.len() > 12 {
        let middle = all.len() - 6;
        all.drain(6..middle);
    }
    all
}
