//! Cards that can be answered, total over [`Control`].
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use slack_morphism::prelude::{
    SlackActionBlockElement, SlackBlock, SlackBlockCheckboxesElement, SlackBlockConfirmItem,
};

use super::{
    Cx, Room,
    forms::accepted,
    inputs::{self, label, tick},
    markup::Mrkdwn,
    review,
    text::{clip, clip_or, literal, person, time, units},
};
use crate::{
    chat::{
        card::{self, Action, Emphasis},
        form::{ComponentId, instant, is_blank, one_line},
        transcript::Opening,
    },
    gateway::slack::{
        blocks::{self, Button, actions, bold, columns, confirm, context, said, section},
        limits,
    },
    messages,
    model::{
        session::PersonId,
        ui::{Ask, Choice, Choose, Confirm, Control, Decide, Form, Upload},
        wait::{Answerers, Purpose, Wait},
    },
};

/// Text of all the options of a menu that may stand in a message, in characters; a longer menu opens in a form.
const MENU_TOTAL: usize = 4_000;

/// Longest line about one choice, in characters.
const CHOICE_LINE: usize = 500;

/// Voters that are named.
const NAMED_VOTES: usize = 20;

/// Longest display of one fact, in characters.
const FACT: usize = 1_200;

/// What stands under the question: first what is to be read, then what is to be pressed.
pub(super) struct Controls {
    /// May be left out where there is no room.
    pub(super) told: Box<dyn Fn(&mut Room)>,
    /// Always there.
    pub(super) pressed: Vec<SlackBlock>,
}

/// The control of a question that is open.
pub(super) fn controls(wait: &Wait, cx: &Cx) -> Controls {
    let open = Open { wait, cx };
    match &wait.prompt.control {
        Control::Choose(choose) => open.choose(choose),
        Control::Form(form) => open.fill(form),
        Control::Review(review) => {
            let (wait, shown) = (wait.clone(), review.clone());
            Controls {
                told: Box::new(move |room| {
                    if !review::is_untouched(&shown) {
                        review::table(&wait, &shown, &shown.groups, true, room);
                    }
                }),
                pressed: open.row(review::buttons(open.wait, review)),
            }
        }
        Control::Upload(upload) => open.send_files(upload),
        Control::Ask(ask) => open.write(ask),
        Control::Decide(decide) => open.decide(decide),
        Control::Confirm(confirm) => open.confirm(confirm),
    }
}

struct Open<'a> {
    wait: &'a Wait,
    cx: &'a Cx,
}

fn nothing() -> Box<dyn Fn(&mut Room)> {
    Box::new(|_| {})
}

impl Open<'_> {
    fn id(&self, action: &str) -> String {
        ComponentId::id(self.wait.id, self.wait.revision, action)
    }

    fn button(&self, action: &str, label: &str) -> Button {
        Button::new(self.id(action), label)
    }

    /// Buttons; `sure` is what is asked before one counts of which that is to be asked.
    fn actions(
        &self,
        actions: &[Action],
        sure: &SlackBlockConfirmItem,
    ) -> Vec<SlackActionBlockElement> {
        let button = |action: &Action| {
            let label = clip_or(&action.label, limits::BUTTON_TEXT, action.otherwise);
            let button = self.button(action.name, &label);
            let button = match action.emphasis {
                Emphasis::None => button,
                Emphasis::Primary | Emphasis::Positive => button.primary(),
                Emphasis::Danger => button.danger(),
            };
            if action.is_confirmed { button.asking(sure.clone()) } else { button }.build()
        };
        actions.iter().map(button).collect()
    }

    fn skip(&self, may: bool) -> Option<SlackActionBlockElement> {
        may.then(|| self.button("skip", messages::buttons::SKIP).build())
    }

    #[expect(clippy::unused_self, reason = "reads like the others")]
    fn row(&self, mut elements: Vec<SlackActionBlockElement>) -> Vec<SlackBlock> {
        elements.truncate(limits::ACTIONS_ELEMENTS);
        actions(elements).into_iter().collect()
    }

    fn choose(&self, choose: &Choose) -> Controls {
        let choices = &choose.choices;
        let is_few = choices.len() <= limits::TICKS && !choices.is_empty();
        let skip = self.skip(!choose.required);
        let pressed = if choose.multiple && is_few {
            let options = choices.iter().enumerate().map(|(n, choice)| tick(n, choice)).collect();
            let mut ticks = SlackBlockCheckboxesElement::new(options);
            ticks.action_id = Some(self.id("tick").into());
            let mut first = self.row(vec![ticks.into()]);
            if let Some(SlackBlock::Actions(block)) = first.first_mut() {
                block.block_id = Some("pick".to_owned().into());
            }
            let done = self.button("done", messages::buttons::DONE).primary().build();
            first.extend(self.row(std::iter::once(done).chain(skip).collect()));
            first
        } else if !choose.multiple && choices.len() <= limits::BUTTONS_MAX {
            let button = |(n, choice): (usize, &Choice)| {
                let button =
                    self.button(&format!("pick.{n}"), &card::with_icon(choice, &label(n, choice)));
                // Among answers none is the right one; of going on and waiting, one is what it is about.
                let goes_on = n == 0 && matches!(self.wait.purpose, Purpose::Begin { .. });
                let button = if goes_on { button.primary() } else { button };
                button.spoken(&label(n, choice)).build()
            };
            self.row(choices.iter().enumerate().map(button).chain(skip).collect())
        } else if !choose.multiple && self.fits_message(choices) {
            let mut select = inputs::select(inputs::options(choices));
            select.action_id = Some(self.id("pick").into());
            self.row(std::iter::once(select.into()).chain(skip).collect())
        } else {
            let open = self.button("open", messages::buttons::CHOOSE).primary().build();
            self.row(std::iter::once(open).chain(skip).collect())
        };
        Controls { told: list(choose), pressed }
    }

    #[expect(clippy::unused_self, reason = "reads like the others")]
    fn fits_message(&self, choices: &[Choice]) -> bool {
        let long = |c: &Choice| {
            let more = c.description.as_deref().map_or(0, |d| units(d).min(limits::OPTION_TEXT));
            units(&c.label).min(limits::OPTION_TEXT) + more + 4
        };
        choices.len() <= limits::SELECT_OPTIONS
            && choices.iter().map(long).sum::<usize>() <= MENU_TOTAL
    }

    fn fill(&self, form: &Form) -> Controls {
        let names: Vec<String> = form.fields.iter().map(|field| one_line(&field.label)).collect();
        let line = said(&messages::forms::to_fill_in(&names), 600);
        let open = self.button("open", messages::buttons::FILL_IN).primary().build();
        Controls {
            told: Box::new(move |room| room.add_quietly(context(std::slice::from_ref(&line)))),
            pressed: self.row(std::iter::once(open).chain(self.skip(form.skippable)).collect()),
        }
    }

    fn send_files(&self, upload: &Upload) -> Controls {
        let what = messages::buttons::upload(&upload.upload_type, upload.max_files);
        let line = literal(&accepted(upload));
        let open = self.button("open", what).primary().build();
        let mut pressed =
            self.row(std::iter::once(open).chain(self.skip(!upload.required)).collect());
        pressed.push(context(&[
            format!("{line} {}", messages::forms::DROP_FILE_HERE),
            messages::forms::NO_FILE_AT_HAND.to_owned(),
        ]));
        Controls { told: nothing(), pressed }
    }

    fn write(&self, ask: &Ask) -> Controls {
        let open = self.button("open", messages::buttons::WRITE_ANSWER).build();
        let mut pressed = vec![context(&[messages::forms::TYPE_OR_FORM.to_owned()])];
        pressed.extend(self.row(std::iter::once(open).chain(self.skip(!ask.required)).collect()));
        Controls { told: nothing(), pressed }
    }

    fn decide(&self, decide: &Decide) -> Controls {
        let sure = confirm(
            messages::forms::APPROVE_THIS,
            &decide.request,
            messages::buttons::YES_APPROVE,
            false,
        );
        let mut buttons = self.actions(&Action::of_request(decide), &sure);
        if matches!(self.wait.answerers, Answerers::Deciders { .. }) {
            let id = Opening::last(self.wait.session).id();
            buttons.push(Button::new(id, messages::buttons::TRANSCRIPT).build());
        }
        let (decide, title) = (decide.clone(), self.wait.prompt.title.clone());
        let participant = self.cx.participant.clone();
        Controls {
            told: Box::new(move |room| {
                if title.as_ref() != Some(&decide.request) {
                    room.add(section(bold(&said(&one_line(&decide.request), 1_000))));
                }
                facts(&decide, participant.as_ref(), room);
            }),
            pressed: self
                .called()
                .into_iter()
                .chain(self.row(buttons))
                .chain(self.votes())
                .collect(),
        }
    }

    /// Those who may decide, called by their groups and names: Slack tells them of the request.
    fn called(&self) -> Option<SlackBlock> {
        let deciders = self.cx.deciders.as_ref()?;
        Some(context(&[messages::slack::please_decide(deciders)]))
    }

    /// Who has voted so far, where several must agree.
    fn votes(&self) -> Option<SlackBlock> {
        Some(context(&[card::votes(self.wait, NAMED_VOTES)?.write(&Mrkdwn)]))
    }

    fn confirm(&self, control: &Confirm) -> Controls {
        let warning = messages::forms::CANT_BE_UNDONE;
        let sure = confirm(messages::forms::ARE_YOU_SURE, warning, &control.yes, true);
        let mut pressed = self.row(self.actions(&Action::of_confirmation(control), &sure));
        if control.danger && !self.wait.prompt.body.contains(warning) {
            pressed.insert(0, section(format!(":warning: *{warning}*")));
        }
        Controls { told: nothing(), pressed }
    }
}

/// The choices in full, numbered, where a button or a menu cannot say all of them.
fn list(choose: &Choose) -> Box<dyn Fn(&mut Room)> {
    let buttons = !choose.multiple && choose.choices.len() <= limits::BUTTONS_MAX;
    let says_less = |choice: &Choice| {
        let more = choice.description.as_deref().map_or(0, units);
        units(&choice.label) > limits::OPTION_TEXT
            || more > limits::OPTION_TEXT
            || buttons && more > 0
    };
    if !choose.choices.iter().any(says_less) {
        return nothing();
    }
    // A long label stands on its button under its number.
    let is_long = choose.choices.iter().any(|choice| units(&choice.label) > limits::OPTION_TEXT);
    let line = |(n, choice): (usize, &Choice)| {
        let more = choice.description.as_deref().filter(|more| !is_blank(more));
        let more = more.map(|more| format!(": {}", said(more, CHOICE_LINE))).unwrap_or_default();
        let name = bold(&said(&one_line(choice.label.trim()), CHOICE_LINE));
        if is_long { format!("{}. {name}{more}", n + 1) } else { format!("{name}{more}") }
    };
    let told = choose.choices.iter().enumerate();
    let told = told.filter(|(_, choice)| is_long || says_less(choice));
    let lines: Vec<String> = told.map(line).collect();
    Box::new(move |room| {
        let mut block = String::new();
        for line in &lines {
            if !block.is_empty()
                && block.encode_utf16().count() + line.encode_utf16().count() > limits::SECTION - 10
            {
                if !room.add(section(std::mem::take(&mut block))) {
                    return;
                }
            } else if !block.is_empty() {
                block.push('\n');
            }
            block.push_str(line);
        }
        room.add(section(block));
    })
}

/// What a decider should know: whom it is about as a mention, short facts side by side, a reason as a quotation, times in
/// the reader's zone.
pub(super) fn facts(decide: &Decide, participant: Option<&PersonId>, room: &mut Room) {
    let mut short: Vec<String> = Vec::new();
    let mut long: Vec<String> = Vec::new();
    for (name, value) in &decide.facts {
        let label = bold(&said(&one_line(name), limits::QUOTE));
        let whom = participant.filter(|_| name == Decide::PERSON);
        let value_shown = match (whom, instant(value)) {
            (Some(whom), _) => person(whom, value),
            (None, Some(at)) => time(at),
            (None, None) => said(value, FACT),
        };
        if name.to_lowercase().contains("reason") {
            let quoted = clip(value, FACT);
            let lines: Vec<String> =
                quoted.lines().map(|line| format!("> {}", literal(line))).collect();
            let text = format!("{label}\n{}", lines.join("\n"));
            long.push(if text.encode_utf16().count() > limits::SECTION {
                format!("{label}\n{value_shown}")
            } else {
                text
            });
        } else if value_shown.encode_utf16().count() > 200 {
            long.push(format!("{label}\n{value_shown}"));
        } else {
            short.push(format!("{label}\n{value_shown}"));
        }
    }
    for block in columns(&short).into_iter().chain(long.into_iter().map(section)) {
        if !room.add(block) {
            return;
        }
    }
}

/// How much text the controls hold.
pub(super) fn weight(controls: &Controls) -> usize {
    blocks::weight(&controls.pressed)
}
