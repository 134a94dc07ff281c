//! The simulated participant: reads what a person would read and answers from a persona's fact sheet, the same way
//! every time.

mod review;

use crate::{
    model::{
        ui::{Choose, Control, Prompt, Reply},
        wait::{Purpose, Wait},
    },
    session::topics::{contains, normal},
};

use super::persona::{Fact, Persona, Trap};

/// Parts of labels that a willing person does not pick.
const UNWILLING: [&str; 10] = [
    "decline",
    "do not accept",
    "not now",
    "talk to a person",
    "ask staff",
    "question",
    "skip",
    "contact card",
    "profile",
    "no",
];

/// What the participant does next.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    /// Answers a card.
    Answer(Box<Wait>, Reply),
    /// Writes; whether it answers what was asked.
    Say(String, bool),
    /// Sends a file; answers the card where one asks for it.
    Send { name: String, content: String },
    /// Lets time pass.
    Wait(u32),
}

/// What the participant sees.
#[derive(Debug, Clone, Default)]
pub(super) struct View {
    /// Open cards, oldest first.
    pub(super) cards: Vec<Wait>,
    /// What was posted since they last did something.
    pub(super) news: Vec<String>,
}

impl View {
    /// Whether there is something to answer.
    pub(super) fn asks(&self) -> bool {
        !self.cards.is_empty() || self.news.iter().any(|text| text.contains('?'))
    }

    fn text(&self) -> String {
        let cards = self.cards.iter().map(|card| card.prompt.body.common_mark());
        self.news.iter().cloned().chain(cards).collect::<Vec<_>>().join("\n")
    }
}

/// A persona at work.
#[derive(Debug)]
pub(super) struct Participant<'a> {
    persona: &'a Persona,
    facts: Vec<Fact>,
    traps: Vec<&'a Trap>,
    /// Acts so far, the answer to the notice not counted.
    acts: u32,
    /// Words that were spoken from each list of the manner.
    spoken: [usize; 3],
    confirms: bool,
    /// Reviews that were edited.
    edited: Vec<crate::base::ids::WaitId>,
}

impl<'a> Participant<'a> {
    pub(super) fn new(persona: &'a Persona) -> Self {
        Self {
            persona,
            facts: persona.fact.clone(),
            traps: persona.trap.iter().collect(),
            acts: 0,
            spoken: [0; 3],
            confirms: false,
            edited: Vec::new(),
        }
    }

    /// What they do about what they see.
    pub(super) fn act(&mut self, view: &View) -> Act {
        if let Some(notice) = view.cards.iter().find(|card| card.purpose == Purpose::Notice) {
            return Act::Answer(Box::new(notice.clone()), self.answer(notice, view));
        }
        if let Some(act) = self.spring(view) {
            return act;
        }
        self.acts += 1;
        let Some(card) = view.cards.last() else {
            let asked = view.news.last().map(String::as_str).unwrap_or_default();
            return Act::Say(self.words(asked), true);
        };
        if self.persona.manner.writes
            && let Some(words) = self.written(&card.prompt)
        {
            return Act::Say(words, true);
        }
        Act::Answer(Box::new(card.clone()), self.answer(card, view))
    }

    /// The next trap, where its time has come.
    fn spring(&mut self, view: &View) -> Option<Act> {
        let due = |trap: &Trap| {
            let text = normal(&view.text());
            trap.after <= self.acts && trap.at.as_deref().is_none_or(|at| contains(&text, at))
        };
        let at = self.traps.iter().position(|trap| due(trap))?;
        let trap = self.traps.remove(at);
        self.confirms |= trap.confirms;
        if let (Some(about), Some(to)) = (&trap.changes, &trap.to) {
            for fact in self.facts.iter_mut().filter(|fact| fact.about.contains(about)) {
                fact.value.clone_from(to);
                fact.says = None;
            }
        }
        if trap.waits_hours > 0 {
            return Some(Act::Wait(trap.waits_hours));
        }
        self.acts += 1;
        if let Some(name) = &trap.sends {
            return Some(Act::Send { name: name.clone(), content: trap.content.clone() });
        }
        trap.says.clone().map(|says| Act::Say(says, trap.answers))
    }

    fn answer(&mut self, wait: &Wait, view: &View) -> Reply {
        let prompt = &wait.prompt;
        match &prompt.control {
            Control::Choose(choose) => self.pick(choose, &prompt.body.common_mark()),
            Control::Ask(ask) if !ask.required && self.persona.manner.skips => Reply::Skipped,
            Control::Ask(ask) => {
                // Words beside a card belong to it.
                let asked = view.news.last().map(String::as_str).unwrap_or_default();
                let body = prompt.body.common_mark();
                let body = if body.is_empty() { asked } else { &body };
                let most = usize::try_from(ask.max).unwrap_or(usize::MAX);
                Reply::Text { text: self.words(body).chars().take(most).collect() }
            }
            Control::Review(shown) => self.review(wait.id, shown),
            Control::Form(form) => {
                let values = form
                    .fields
                    .iter()
                    .filter_map(|field| Some((field.path.clone(), self.value(field)?)));
                Reply::Filled { values: values.collect() }
            }
            Control::Upload(_) => Reply::Skipped,
            Control::Confirm(_) => Reply::Confirmed { yes: self.confirms },
            Control::Decide(_) => {
                Reply::Decided { decision: crate::model::ui::Decision::Approved, feedback: None }
            }
        }
    }

    /// Picks what the persona likes best, then what their facts name, then the first that a willing person takes.
    fn pick(&self, choose: &Choose, body: &str) -> Reply {
        if !choose.required && self.persona.manner.skips {
            return Reply::Skipped;
        }
        let labels: Vec<String> = choose.choices.iter().map(|c| normal(&c.label)).collect();
        let liked = |like: &str| labels.iter().position(|label| contains(label, like));
        let known = self.fact(body).map(|fact| normal(&fact.value));
        let is_willing = |label: &String| !UNWILLING.iter().any(|word| contains(label, word));
        let found = self
            .persona
            .manner
            .picks
            .iter()
            .find_map(|like| liked(like))
            .or_else(|| labels.iter().position(|label| known.as_deref() == Some(label.as_str())))
            .or_else(|| labels.iter().position(is_willing))
            .unwrap_or_default();
        let ids = choose.choices.get(found).map(|choice| choice.id.clone()).into_iter().collect();
        Reply::Chosen { ids, free_text: None }
    }

    /// What they write under a card of choices or a question instead of pressing something.
    fn written(&mut self, prompt: &Prompt) -> Option<String> {
        match &prompt.control {
            Control::Choose(choose) => match self.pick(choose, &prompt.body.common_mark()) {
                Reply::Chosen { ids, .. } => {
                    let picked = choose.choices.iter().find(|choice| ids.contains(&choice.id))?;
                    Some(picked.label.clone())
                }
                _ => None,
            },
            Control::Ask(_) => Some(self.words(&prompt.body.common_mark())),
            _ => None,
        }
    }

    /// The fact that a text asks for: the one of the longest words that stand in it.
    fn fact(&self, text: &str) -> Option<&Fact> {
        let text = normal(text);
        let rank = |fact: &Fact| {
            let fitting = fact.about.iter().filter(|about| contains(&text, about));
            fitting.map(String::len).max()
        };
        self.facts
            .iter()
            .filter_map(|fact| Some((rank(fact)?, fact)))
            .max_by_key(|(n, _)| *n)
            .map(|(_, f)| f)
    }

    /// What they say to a question, in their manner.
    fn words(&mut self, asked: &str) -> String {
        let text = normal(asked);
        let entry =
            self.persona.entry.iter().find(|entry| entry.of.iter().any(|of| contains(&text, of)));
        let known = self.fact(asked).map(|fact| fact.says.as_ref().unwrap_or(&fact.value).clone());
        let manner = &self.persona.manner;
        let said = known
            .or_else(|| entry.map(|entry| entry.says.clone()))
            .or_else(|| next(&manner.otherwise, &mut self.spoken[0]))
            .unwrap_or_else(|| "I can't say anything about that.".to_owned());
        let before = next(&manner.before, &mut self.spoken[1]);
        let after = next(&manner.after, &mut self.spoken[2]);
        before.into_iter().chain([said]).chain(after).collect::<Vec<_>>().join(" ")
    }
}

/// The next of several, from the beginning again after the last.
fn next(words: &[String], spoken: &mut usize) -> Option<String> {
    let said = words.get(*spoken % words.len().max(1)).cloned();
    *spoken += 1;
    said
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::{Value, json};

    use super::*;
    use crate::{
        base::ids::{CallId, CountingIds, SessionId, WaitId},
        model::{
            ui::{Choice, Field, Group, Input, Review, Verdict},
            wait::{Answerers, WaitStatus},
        },
    };

    fn persona(more: &str) -> Persona {
        let text = format!(
            "format = 1\nid = \"a\"\ntitle = \"A\"\n[[fact]]\nabout = [\"name\"]\nvalue = \"Ada Byron\"\n\
             [[fact]]\nabout = [\"first name\"]\nvalue = \"Ada\"\n{more}"
        );
        Persona::load(&text, "a.toml").unwrap()
    }

    fn card(control: Control) -> Wait {
        let ids = CountingIds::default();
        let prompt = Prompt { title: None, body: "Well?".into(), control, notes: Vec::new() };
        Wait {
            id: WaitId::mint(&ids),
            session: SessionId::mint(&ids),
            revision: 1,
            purpose: Purpose::Call { call: CallId::new("c"), tool: "t".to_owned() },
            state: Value::Null,
            prompt: Arc::new(prompt),
            answerers: Answerers::Participant,
            quorum: 1,
            votes: Vec::new(),
            digest: String::new(),
            asked_at: chrono::DateTime::UNIX_EPOCH,
            expires_at: None,
            status: WaitStatus::Pending,
        }
    }

    fn draft(name: &str) -> Wait {
        let schema = json!({ "type": "object", "properties": { "n": { "type": "string" } } });
        let field = Field {
            path: "n".to_owned(),
            label: "Name".to_owned(),
            hint: None,
            required: true,
            input: Input::Text { multiline: false, min: None, max: None },
            value: json!(name),
            check: false,
        };
        card(Control::Review(Review {
            data_type: "d".to_owned(),
            data: json!({ "n": name }),
            schema,
            groups: vec![Group { path: String::new(), title: "D".to_owned(), fields: vec![field] }],
            lists: Vec::new(),
            skippable: false,
        }))
    }

    fn verdict(act: &Act) -> (Verdict, Option<&Value>) {
        match act {
            Act::Answer(_, Reply::Reviewed { verdict, data, .. }) => (*verdict, data.as_ref()),
            other => panic!("{other:?}"),
        }
    }

    fn seeing(cards: Vec<Wait>, news: &[&str]) -> View {
        View { cards, news: news.iter().map(|text| (*text).to_owned()).collect() }
    }

    #[test]
    fn the_fact_of_the_longest_words_in_the_question_is_the_answer() {
        let persona = persona("[manner]\notherwise = [\"No idea.\"]\n");
        let mut ada = Participant::new(&persona);
        for (asked, said) in [
            ("What's your first name?", "Ada"),
            ("And your name?", "Ada Byron"),
            ("Why?", "No idea."),
        ] {
            assert_eq!(ada.act(&seeing(Vec::new(), &[asked])), Act::Say(said.to_owned(), true));
        }
    }

    #[test]
    fn a_draft_that_contradicts_a_fact_is_corrected_then_approved() {
        let persona = persona("");
        let mut ada = Participant::new(&persona);
        let wrong = ada.act(&seeing(vec![draft("Ida Byron")], &[]));
        assert_eq!(verdict(&wrong), (Verdict::Saved, Some(&json!({ "n": "Ada Byron" }))));
        let right = ada.act(&seeing(vec![draft("Ada Byron")], &[]));
        assert_eq!(verdict(&right), (Verdict::Approved, None));
    }

    #[test]
    fn what_was_changed_is_known_from_then_on() {
        let trap = "[[trap]]\nafter = 1\nsays = \"Call me Ada King.\"\nchanges = \"name\"\nto = \"Ada King\"\n";
        let persona = persona(trap);
        let mut ada = Participant::new(&persona);
        let ask = || seeing(Vec::new(), &["Your name?"]);
        assert_eq!(ada.act(&ask()), Act::Say("Ada Byron".to_owned(), true));
        assert_eq!(ada.act(&ask()), Act::Say("Call me Ada King.".to_owned(), false));
        assert_eq!(ada.act(&ask()), Act::Say("Ada King".to_owned(), true));
    }

    #[test]
    fn a_willing_person_picks_what_they_like_and_else_what_goes_on() {
        let choice = |id: &str, label: &str| Choice {
            id: id.to_owned(),
            label: label.to_owned(),
            description: None,
            icon: None,
        };
        let choices =
            vec![choice("1", "Not now"), choice("2", "Upload résumé"), choice("3", "Type it in")];
        let ask = card(Control::Choose(Choose {
            choices,
            multiple: false,
            required: true,
            ..Choose::default()
        }));
        let picks = |more: &str| match Participant::new(&persona(more))
            .act(&seeing(vec![ask.clone()], &[]))
        {
            Act::Answer(_, Reply::Chosen { ids, .. }) => ids.concat(),
            other => panic!("{other:?}"),
        };
        assert_eq!(picks("[manner]\npicks = [\"type it\"]\n"), "3");
        assert_eq!(picks(""), "2");
    }
}
