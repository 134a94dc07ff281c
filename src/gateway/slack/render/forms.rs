//! Forms: what a button of a card opens. Total over [`Control`]; each fits what Slack takes of one view.
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use serde_json::Value;
use slack_morphism::prelude::{
    SlackBlock, SlackBlockFileInputElement, SlackBlockPlainTextInputElement, SlackInputBlockElement,
};

use super::{
    Cx,
    inputs::{self, INPUT, input},
    markdown,
    pages::{self, Edit, Part, Scope},
    text::{clip, literal},
};
use crate::{
    chat::{
        card::{self, Action},
        form::{ComponentId, DenialForm, is_blank, one_line, review_editor},
        profile,
    },
    gateway::slack::{
        blocks::{self, Button, View, actions, columns, context, header, section},
        limits,
    },
    messages,
    model::{
        ui::{Ask, Choose, Control, Decide, Form, Group, Review, Upload},
        wait::Wait,
    },
};

/// Characters of a section that a label and the marks of links take.
const MARKED: usize = 800;

/// Blocks of a form that is only read.
const READ_BLOCKS: usize = 90;

/// Text of a form that is only read, in characters: in JSON it may grow by half.
const READ_TOTAL: usize = 60_000;

/// The form that an action of a card opens; `None` if it opens none.
pub(super) fn render(wait: &Wait, action: &str, cx: &Cx) -> Option<Value> {
    let open = Opened { wait, cx };
    if action == "read" {
        return Some(open.read());
    }
    match (&wait.prompt.control, action) {
        (Control::Choose(choose), "open") => Some(open.choose(choose)),
        (Control::Form(form), "open") => Some(open.fill(form)),
        (Control::Ask(ask), "open") => Some(open.write(ask)),
        (Control::Upload(upload), "open") => Some(open.send_files(upload)),
        (Control::Decide(decide), "deny_and_tell") => Some(open.tell(decide)),
        (Control::Review(_), "reject") => Some(open.start_over()),
        (Control::Review(review), action) if action.starts_with("add.") => {
            let edit = Edit { scope: Scope::Nothing, steps: vec![action.to_owned()] };
            let scope = added(review, &edit, action)?;
            open.edit(review, &Edit { scope, ..edit })
        }
        (Control::Review(review), action) if action.starts_with("remove.") => {
            open.remove(review, action)
        }
        // It is done at once.
        (Control::Review(_), action) if pages::is_step(action) => None,
        (Control::Review(review), action) => open.edit(review, &Edit::read(action)?),
        (
            Control::Choose(_)
            | Control::Form(_)
            | Control::Upload(_)
            | Control::Ask(_)
            | Control::Decide(_)
            | Control::Confirm(_),
            _,
        ) => None,
    }
}

struct Opened<'a> {
    wait: &'a Wait,
    cx: &'a Cx,
}

impl Opened<'_> {
    fn id(&self, action: &str) -> String {
        ComponentId::id(self.wait.id, self.wait.revision, action)
    }

    fn view(&self, action: &str, title: &str, submit: &str, blocks: Vec<SlackBlock>) -> Value {
        let view = View {
            title: title.to_owned(),
            callback: self.id(action),
            metadata: self.cx.metadata.clone(),
            submit: Some(submit.to_owned()),
            blocks,
        };
        view.json()
    }

    /// What is asked, above the inputs.
    fn question(&self) -> Vec<SlackBlock> {
        let prompt = &self.wait.prompt;
        let mut blocks: Vec<SlackBlock> =
            card::title(prompt).iter().map(|title| header(title)).collect();
        let mut body = markdown::parts(&prompt.body.common_mark(), limits::SECTION);
        if body.len() > 3 {
            body.truncate(3);
            body.push(format!("_{}_", messages::forms::FULL_TEXT_IN_MESSAGE));
        }
        blocks.extend(body.into_iter().map(section));
        blocks
    }

    fn choose(&self, choose: &Choose) -> Value {
        let mut blocks = self.question();
        let shown = &choose.choices[..choose.choices.len().min(inputs::MENU_MAX)];
        let is_cut = shown.len() < choose.choices.len();
        let must = choose.required && !is_cut;
        let label = if choose.multiple {
            messages::forms::YOUR_CHOICES
        } else {
            messages::forms::YOUR_CHOICE
        };
        let element: SlackInputBlockElement = if choose.multiple {
            inputs::menus(shown, std::iter::empty())
        } else {
            let mut select = inputs::select(inputs::options(shown));
            select.action_id = Some(INPUT.to_owned().into());
            select.into()
        };
        blocks.push(input("pick", label, element, "", must));
        if is_cut {
            let hint = messages::forms::first_of(choose.choices.len(), shown.len());
            blocks.push(input(
                "named",
                messages::forms::OTHERS,
                lines(limits::INPUT_TEXT),
                &hint,
                false,
            ));
        }
        self.view("done", messages::forms::CHOICES, messages::buttons::DONE, blocks)
    }

    fn fill(&self, form: &Form) -> Value {
        let mut blocks = self.question();
        let layout = pages::layout(form);
        blocks.extend(layout.slots.iter().map(pages::Slot::draw));
        for (n, places) in layout.packed.iter().enumerate() {
            let line = |place: &usize| pages::packed_line(*place, &form.fields[*place]);
            let prefilled = places.iter().map(line).collect::<Vec<_>>().join("\n");
            let (first, last) =
                (places.first().copied().unwrap_or(0), places.last().copied().unwrap_or(0));
            let label = messages::buttons::span(first + 1, last + 1);
            let mut element = text_input(limits::INPUT_TEXT);
            element.initial_value = Some(clip(&prefilled, limits::INPUT_TEXT));
            let hint = messages::forms::TYPE_EACH;
            blocks.push(input(&pages::packed_id(n), &label, element.into(), hint, false));
        }
        if blocks.iter().all(|block| !matches!(block, SlackBlock::Input(_))) {
            blocks.push(section(messages::forms::NOTHING_TO_FILL_IN));
        }
        self.view("submit", messages::buttons::FILL_IN, &form.submit, blocks)
    }

    fn write(&self, ask: &Ask) -> Value {
        let mut blocks = self.question();
        let max = usize::try_from(ask.max).unwrap_or(usize::MAX).clamp(1, limits::INPUT_TEXT);
        let mut element = text_input(max);
        element.placeholder =
            ask.placeholder.as_deref().map(|p| blocks::plain(p, limits::PLACEHOLDER));
        let hint = if usize::try_from(ask.max).is_ok_and(|asked| asked > max) {
            messages::forms::NEED_ROOM
        } else {
            ""
        };
        blocks.push(input(
            "text",
            messages::forms::YOUR_ANSWER,
            element.into(),
            hint,
            ask.required,
        ));
        self.view("send", messages::forms::YOUR_ANSWER, messages::buttons::SEND, blocks)
    }

    fn send_files(&self, upload: &Upload) -> Value {
        let mut blocks = self.question();
        let mut element = SlackBlockFileInputElement::new();
        element.action_id = Some(INPUT.to_owned().into());
        let kinds: Vec<String> = upload
            .accept
            .iter()
            .map(|kind| clip(kind, 20))
            .filter(|kind| !kind.is_empty())
            .collect();
        element.filetypes = (!kinds.is_empty()).then_some(kinds);
        element.max_files = Some(u64::from(upload.max_files.clamp(1, limits::FILE_INPUT_FILES)));
        let label =
            if upload.max_files > 1 { messages::forms::FILES } else { messages::forms::FILE };
        let mut hint = vec![accepted(upload)];
        if upload.max_bytes > limits::FILE_INPUT_BYTES {
            hint.push(messages::forms::larger_files(limits::FILE_INPUT_BYTES));
        }
        blocks.push(input("files", label, element.into(), &hint.join(" "), true));
        self.view("send", messages::buttons::UPLOAD, messages::buttons::SEND, blocks)
    }

    fn tell(&self, decide: &Decide) -> Value {
        let request = blocks::said(&one_line(&decide.request.to_string()), 1_000);
        let mut blocks = vec![section(blocks::bold(&request))];
        let form = DenialForm::of(decide);
        let words = lines(limits::INPUT_TEXT);
        blocks.push(input("feedback", form.label, words, &form.hint, true));
        self.view("deny_and_tell", form.title, form.send, blocks)
    }

    fn start_over(&self) -> Value {
        let note = messages::forms::WHAT_DIFFERENT;
        let blocks = vec![
            section(messages::forms::starting_over(!self.cx.is_scripted)),
            input("notes", note, lines(limits::INPUT_TEXT), "", false),
        ];
        self.view("reject", messages::buttons::START_OVER, messages::buttons::START_OVER, blocks)
    }

    /// "Are you sure?" about one entry, with what stands in it.
    fn remove(&self, review: &Review, action: &str) -> Option<Value> {
        let (list, row) = action.strip_prefix("remove.")?.split_once('.')?;
        let (list, row): (usize, usize) = (list.parse().ok()?, row.parse().ok()?);
        let is_it =
            |group: &&Group| review_editor::entry_of(review, &group.path) == Some((list, row));
        let mut groups = review.groups.iter().filter(is_it).peekable();
        let title = groups.peek().map(|group| one_line(&group.title))?;
        let title = if is_blank(&title) { messages::forms::ENTRY.to_owned() } else { title };
        let title = blocks::bold(&blocks::said(&title, 150));
        let mut blocks = vec![section(messages::forms::remove_this(&title))];
        blocks.extend(groups.flat_map(whole).take(READ_BLOCKS));
        let mut total = 0;
        blocks.retain(|block| {
            total += blocks::weight(std::slice::from_ref(block));
            total < READ_TOTAL
        });
        Some(self.view(action, messages::buttons::REMOVE, messages::buttons::REMOVE, blocks))
    }

    fn edit(&self, review: &Review, edit: &Edit) -> Option<Value> {
        let edit = fitting(review, edit);
        let parts = edit.parts(review);
        if parts.is_empty() && edit.steps.is_empty() {
            return None;
        }
        let mut blocks = Vec::new();
        for step in edit.steps.iter().filter(|step| edit.is_worth_telling(step)) {
            blocks.push(section(told(review, step)));
        }
        let arranging = edit.scope == Scope::All;
        for (n, part) in parts.iter().enumerate() {
            blocks.push(header(if part.title.is_empty() {
                messages::forms::DATA
            } else {
                &part.title
            }));
            blocks.extend(part.slots.iter().map(pages::Slot::draw));
            let is_last = parts.get(n + 1).is_none_or(|next| next.entry != part.entry);
            if arranging && is_last {
                blocks.extend(self.row_buttons(part, &edit));
            }
        }
        if arranging {
            blocks.extend(actions(self.adding(review, &edit)));
        } else {
            blocks.push(context(&[messages::forms::REST_STAYS.to_owned()]));
        }
        blocks.push(input(
            "notes",
            messages::forms::note_label(!self.cx.is_scripted),
            lines(limits::INPUT_TEXT),
            "",
            false,
        ));
        let title = match (edit.scope, edit.steps.as_slice()) {
            (Scope::Entry(list, _), [step]) if step.starts_with("add.") => {
                review.lists.get(list).map_or_else(
                    || messages::buttons::ADD_ANY.to_owned(),
                    |list| messages::buttons::add(&one_line(&list.noun)),
                )
            }
            _ if card::is_untouched(&review.groups) => messages::buttons::FILL_IN.to_owned(),
            _ => messages::buttons::EDIT.to_owned(),
        };
        Some(self.view(&edit.action(), &title, messages::buttons::SAVE, blocks))
    }

    /// Under an entry of a list: its place may change before anything is saved.
    fn row_buttons(&self, part: &Part, edit: &Edit) -> Option<SlackBlock> {
        let (list, row) = part.entry?;
        let more = |step: String| edit.action().len() + step.len() < limits::ID - 40;
        let button = |verb: &str, label: &str| {
            let button = Button::new(self.id(&format!("{verb}.{list}.{row}")), label);
            button.spoken(&messages::buttons::spoken(label, &part.title)).build()
        };
        let mut buttons = Vec::new();
        if more(format!("remove.{list}.{row}")) {
            buttons.push(button("remove", messages::buttons::REMOVE));
            if row > 0 {
                buttons.push(button("up", messages::buttons::MOVE_UP));
            }
        }
        actions(buttons)
    }

    fn adding(
        &self,
        review: &Review,
        edit: &Edit,
    ) -> Vec<slack_morphism::prelude::SlackActionBlockElement> {
        if edit.action().len() > limits::ID - 60 {
            return Vec::new();
        }
        Action::adding(review).map(|action| Button::of(self.wait, &action).build()).collect()
    }

    /// All of a card that was too long for its message.
    fn read(&self) -> Value {
        let prompt = &self.wait.prompt;
        let mut blocks: Vec<SlackBlock> =
            card::title(prompt).iter().map(|title| header(title)).collect();
        blocks.extend(
            markdown::parts(&prompt.body.common_mark(), limits::SECTION).into_iter().map(section),
        );
        match &prompt.control {
            Control::Review(review) => {
                for group in &profile::approved(self.wait, review) {
                    blocks.push(header(if group.title.is_empty() {
                        messages::forms::DATA
                    } else {
                        &group.title
                    }));
                    blocks.extend(whole(group));
                }
            }
            Control::Decide(decide) => {
                for (label, value) in &decide.facts {
                    blocks.extend(labelled(label, value));
                }
            }
            Control::Choose(choose) => {
                let list = card::listed(&choose.choices);
                blocks.extend(
                    super::text::parts(&list, limits::SECTION - MARKED)
                        .iter()
                        .map(|part| section(literal(part))),
                );
            }
            Control::Form(_) | Control::Upload(_) | Control::Ask(_) | Control::Confirm(_) => {}
        }
        let mut total = 0;
        let fits = |block: &SlackBlock| {
            total += blocks::weight(std::slice::from_ref(block));
            total < READ_TOTAL
        };
        let all = blocks.len();
        let mut blocks: Vec<SlackBlock> =
            blocks.into_iter().take(READ_BLOCKS).take_while(fits).collect();
        if blocks.len() < all {
            blocks.push(context(&[messages::forms::MORE_IN_DOWNLOAD.to_owned()]));
        }
        if blocks.is_empty() {
            blocks.push(section(messages::forms::NOTHING_MORE));
        }
        let view = View {
            title: messages::forms::ALL_TITLE.to_owned(),
            callback: self.id("read"),
            metadata: self.cx.metadata.clone(),
            submit: None,
            blocks,
        };
        view.json()
    }
}

/// What was approved on a card, whole: its title and its data.
pub(super) fn approved(wait: &Wait, review: &Review) -> Vec<SlackBlock> {
    let card = wait.prompt.heading().unwrap_or_else(|| messages::forms::DATA.to_owned());
    let mut blocks = vec![header(&card)];
    for group in &profile::approved(wait, review) {
        if !is_blank(&group.title) && group.title != card {
            blocks.push(section(blocks::bold(&blocks::said(&one_line(&group.title), 150))));
        }
        blocks.extend(whole(group));
    }
    blocks
}

/// `edit` in a form that fits: all of the data if it does, otherwise what was asked for alone.
fn fitting(review: &Review, edit: &Edit) -> Edit {
    if pages::fit(&edit.parts(review)) {
        return edit.clone();
    }
    let scope = match (edit.scope, edit.steps.last()) {
        (Scope::All, Some(step)) => added(review, edit, step).unwrap_or(Scope::Nothing),
        (Scope::Entry(list, row), _) => {
            let parts = pages::parts(review, &edit.sheet(review));
            Scope::Part(parts.iter().position(|part| part.entry == Some((list, row))).unwrap_or(0))
        }
        (Scope::All, None) => Scope::Part(0),
        (scope, _) => scope,
    };
    Edit { scope, ..edit.clone() }
}

/// The entry that a step added.
fn added(review: &Review, edit: &Edit, step: &str) -> Option<Scope> {
    let list: usize = step.strip_prefix("add.")?.parse().ok()?;
    let rows = edit.sheet(review).rows.get(list)?.len();
    Some(Scope::Entry(list, rows.checked_sub(1)?))
}

/// What a step does, in words.
fn told(review: &Review, step: &str) -> String {
    let mut parts = step.split('.');
    let verb = parts.next().unwrap_or_default();
    let mut next = || parts.next().and_then(|part| part.parse::<usize>().ok());
    let (list, row) = (next().and_then(|n| review.lists.get(n)), next().unwrap_or(0));
    let noun = blocks::said(list.map_or(messages::forms::ENTRY, |list| list.noun.as_str()), 60);
    match verb {
        "remove" => messages::forms::will_remove(&noun, row + 1),
        "up" => messages::forms::will_move_up(&noun, row + 1),
        _ => messages::forms::will_add(&noun),
    }
}

/// The fields of a group, whole.
fn whole(group: &Group) -> Vec<SlackBlock> {
    let (long, short): (Vec<_>, Vec<_>) =
        card::given(&group.fields).partition(|(_, value)| value.chars().count() > 300);
    let pair = |(label, value): &(String, String)| {
        format!("{}\n{}", blocks::bold(&blocks::said(label, 150)), literal(value))
    };
    let mut blocks = columns(&short.iter().map(pair).collect::<Vec<_>>());
    blocks.extend(long.iter().flat_map(|(label, value)| labelled(label, value)));
    blocks
}

/// A label and a long value below it.
fn labelled(label: &str, value: &str) -> Vec<SlackBlock> {
    let head = format!("{}\n", blocks::bold(&blocks::said(&one_line(label), 150)));
    let parts = super::text::parts(value, limits::SECTION - MARKED);
    let draw = |(n, part): (usize, &String)| {
        section(if n == 0 { format!("{head}{}", literal(part)) } else { literal(part) })
    };
    parts.iter().enumerate().map(draw).collect()
}

/// What may be sent, in a line.
pub(super) fn accepted(upload: &Upload) -> String {
    messages::forms::accepted(&clip(&card::kinds(upload), 200), upload.max_files, upload.max_bytes)
}

/// A form that asks for a reason; it may be sent without one.
pub(super) fn reason(callback: String, metadata: String) -> Value {
    let typed = lines(limits::REASON);
    View {
        title: messages::notices::WHY_NOT_HELPFUL.to_owned(),
        callback,
        metadata,
        submit: Some(messages::buttons::SEND.to_owned()),
        blocks: vec![input("reason", messages::notices::YOUR_REASON, typed, "", false)],
    }
    .json()
}

fn text_input(max: usize) -> SlackBlockPlainTextInputElement {
    let mut element = SlackBlockPlainTextInputElement::new();
    element.action_id = Some(INPUT.to_owned().into());
    element.multiline = Some(true);
    element.max_length = u64::try_from(max).ok();
    element
}

fn lines(max: usize) -> SlackInputBlockElement {
    text_input(max).into()
}
