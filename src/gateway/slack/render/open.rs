//! Cards that can be answered, total over [`Control`].
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use slack_morphism::prelude::{SlackActionBlockElement, SlackBlock, SlackBlockCheckboxesElement};

use super::{
    Cx, Room,
    forms::accepted,
    inputs::{self, label, tick},
    markup::Mrkdwn,
    pages, review,
    text::{clip, literal, person, time, units},
};
use crate::{
    chat::{
        card::{self, Action, Data, Emphasis, Takes},
        form::{ComponentId, instant, is_blank, one_line},
        transcript::Opening,
    },
    gateway::slack::{
        blocks::{Button, actions, bold, columns, context, said, section},
        limits,
    },
    messages,
    model::{
        session::PersonId,
        ui::{Choice, Choose, Confirm, Control, Decide, Review, Upload},
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

/// What there is to read about a question, as far as there is room.
pub(super) fn told(wait: &Wait, question: &card::Open<'_>, cx: &Cx, room: &mut Room) {
    if let Some(request) = &question.request {
        room.add(section(bold(&said(&one_line(request), 1_000))));
    }
    match &wait.prompt.control {
        Control::Choose(choose) => list(choose, room),
        Control::Form(form) => {
            room.add_quietly(context(&[said(&card::to_fill_in(form), 600)]));
        }
        Control::Review(_) if question.is_untouched => {}
        Control::Review(_)
        | Control::Decide(_)
        | Control::Upload(_)
        | Control::Ask(_)
        | Control::Confirm(_) => data(wait, &question.data, cx, room),
    }
}

/// What a question or its answer is about.
pub(super) fn data(wait: &Wait, data: &Data<'_>, cx: &Cx, room: &mut Room) {
    let is_open = wait.status.is_pending();
    match data {
        Data::None => {}
        Data::Fields(fields) => review::filled(fields, room),
        Data::Groups(review, groups) => review::table(wait, review, groups, is_open, room),
        Data::Facts(decide) => facts(decide, cx.reader.participant.as_ref(), room),
    }
}

/// What is pressed under a question, with what is said around it. It is always there.
pub(super) fn pressed(wait: &Wait, question: &card::Open<'_>, cx: &Cx) -> Vec<SlackBlock> {
    let open = Open { wait, actions: &question.actions };
    match &wait.prompt.control {
        Control::Choose(choose) => open.choose(choose),
        Control::Form(_) => row(open.openers()),
        Control::Review(review) => open.review(review, question.is_untouched),
        Control::Upload(upload) => open.send_files(upload),
        Control::Ask(_) => open.write(),
        Control::Decide(_) => open.decide(cx),
        Control::Confirm(confirm) => open.confirm(confirm),
    }
}

struct Open<'a> {
    wait: &'a Wait,
    actions: &'a [Action],
}

fn row(elements: impl IntoIterator<Item = SlackActionBlockElement>) -> Vec<SlackBlock> {
    actions(elements.into_iter().take(limits::ACTIONS_ELEMENTS).collect()).into_iter().collect()
}

impl Open<'_> {
    fn id(&self, action: &str) -> String {
        ComponentId::id(self.wait.id, self.wait.revision, action)
    }

    fn button(&self, action: &Action) -> SlackActionBlockElement {
        Button::of(self.wait, action).build()
    }

    /// A button for each action; what takes something opens a form for it.
    fn openers(&self) -> impl Iterator<Item = SlackActionBlockElement> {
        self.actions.iter().map(|action| self.button(&action.opener()))
    }

    fn choose(&self, choose: &Choose) -> Vec<SlackBlock> {
        let choices = &choose.choices;
        let is_few = choices.len() <= limits::TICKS && !choices.is_empty();
        // A choice that is pressed answers at once.
        let others = self.actions.iter().filter(|action| action.takes != Takes::Picks);
        let others = others.map(|action| self.button(action));
        if choose.multiple && is_few {
            let options = choices.iter().enumerate().map(|(n, choice)| tick(n, choice)).collect();
            let mut ticks = SlackBlockCheckboxesElement::new(options);
            ticks.action_id = Some(self.id("tick").into());
            let mut first = row([ticks.into()]);
            if let Some(SlackBlock::Actions(block)) = first.first_mut() {
                block.block_id = Some("pick".to_owned().into());
            }
            first.extend(row(self.actions.iter().map(|action| self.button(action))));
            first
        } else if !choose.multiple && choices.len() <= limits::BUTTONS_MAX {
            let pick = |(n, choice): (usize, &Choice)| {
                let label = label(n, choice);
                let button = Button::of(self.wait, &Action::pick(n, choice, &label));
                // Among answers none is the right one; of going on and waiting, one is what it is about.
                let goes_on = n == 0 && matches!(self.wait.purpose, Purpose::Begin { .. });
                let button = if goes_on { button.primary() } else { button };
                button.spoken(&label).build()
            };
            row(choices.iter().enumerate().map(pick).chain(others))
        } else if !choose.multiple && fits_message(choices) {
            let mut select = inputs::select(inputs::options(choices));
            select.action_id = Some(self.id("pick").into());
            row(std::iter::once(select.into()).chain(others))
        } else {
            row(self.openers())
        }
    }

    /// The buttons under reviewed data. Data that does not go into one form has a menu of its parts.
    fn review(&self, review: &Review, is_untouched: bool) -> Vec<SlackBlock> {
        let is_whole = pages::fits_whole(review);
        // Where nothing is written yet, entries are added in the form that is filled in.
        let is_offered = |action: &&Action| !is_untouched || action.takes != Takes::Entry;
        row(self.actions.iter().filter(is_offered).map(|action| {
            if action.takes == Takes::Fields && !is_whole {
                review::parts(self.id("edit"), review)
            } else {
                self.button(&action.opener())
            }
        }))
    }

    fn send_files(&self, upload: &Upload) -> Vec<SlackBlock> {
        let line = literal(&accepted(upload));
        let mut pressed = row(self.openers());
        pressed.push(context(&[
            format!("{line} {}", messages::forms::DROP_FILE_HERE),
            messages::forms::NO_FILE_AT_HAND.to_owned(),
        ]));
        pressed
    }

    fn write(&self) -> Vec<SlackBlock> {
        // Most people will type below.
        let quiet = |action: &Action| Action { emphasis: Emphasis::None, ..action.opener() };
        let mut pressed = vec![context(&[messages::forms::TYPE_OR_FORM.to_owned()])];
        pressed.extend(row(self.actions.iter().map(|action| self.button(&quiet(action)))));
        pressed
    }

    fn decide(&self, cx: &Cx) -> Vec<SlackBlock> {
        let is_of_deciders = matches!(self.wait.answerers, Answerers::Deciders { .. });
        let transcript = is_of_deciders.then(|| {
            let id = Opening::last(self.wait.session).id();
            Button::new(id, messages::buttons::TRANSCRIPT).build()
        });
        // Those who may decide, called by their groups and names: Slack tells them of the request.
        let called = cx.deciders.as_ref();
        let called = called.map(|deciders| context(&[messages::slack::please_decide(deciders)]));
        let votes = card::votes(self.wait, NAMED_VOTES);
        let votes = votes.map(|votes| context(&[votes.write(&Mrkdwn)]));
        let buttons = row(self.openers().chain(transcript));
        called.into_iter().chain(buttons).chain(votes).collect()
    }

    fn confirm(&self, control: &Confirm) -> Vec<SlackBlock> {
        let warning = messages::forms::CANT_BE_UNDONE;
        let mut pressed = row(self.openers());
        if control.danger && !self.wait.prompt.body.to_string().contains(warning) {
            pressed.insert(0, section(format!(":warning: *{warning}*")));
        }
        pressed
    }
}

/// Whether a menu of all the choices may stand in a message.
fn fits_message(choices: &[Choice]) -> bool {
    let long = |c: &Choice| {
        let more = c.description.as_deref().map_or(0, |d| units(d).min(limits::OPTION_TEXT));
        units(&c.label).min(limits::OPTION_TEXT) + more + 4
    };
    choices.len() <= limits::SELECT_OPTIONS && choices.iter().map(long).sum::<usize>() <= MENU_TOTAL
}

/// The choices in full, numbered, where a button or a menu cannot say all of them.
fn list(choose: &Choose, room: &mut Room) {
    let buttons = !choose.multiple && choose.choices.len() <= limits::BUTTONS_MAX;
    let says_less = |choice: &Choice| {
        let more = choice.description.as_deref().map_or(0, units);
        units(&choice.label) > limits::OPTION_TEXT
            || more > limits::OPTION_TEXT
            || buttons && more > 0
    };
    if !choose.choices.iter().any(says_less) {
        return;
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
    let mut block = String::new();
    for line in told.map(line) {
        if !block.is_empty()
            && block.encode_utf16().count() + line.encode_utf16().count() > limits::SECTION - 10
        {
            if !room.add(section(std::mem::take(&mut block))) {
                return;
            }
        } else if !block.is_empty() {
            block.push('\n');
        }
        block.push_str(&line);
    }
    room.add(section(block));
}

/// What a decider should know: whom it is about as a mention, short facts side by side, a reason as a quotation, times in
/// the reader's zone.
fn facts(decide: &Decide, participant: Option<&PersonId>, room: &mut Room) {
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
