//! Forms: what a control of a card opens. Total over [`Control`]; each fits what Discord takes of one form.
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use super::{
    Cx,
    component::{Component, FileUpload, StringSelect, TextInput},
    components::{self, Item, Modal},
    inputs::{self, input_id, item, long},
    pages::{self, Page},
    text::{clip, is_blank, one_line, said},
};
use crate::{
    chat::{
        card,
        form::{ComponentId, DenialForm, Draft, MessageAccess},
    },
    gateway::discord::limits,
    messages,
    model::{
        ui::{Ask, Choose, Control, Decide, Form, Review, Upload},
        wait::Wait,
    },
};

/// Words of a question that stand above the inputs, in characters.
const QUESTION: usize = 1_000;

/// The form that an action of a card opens; `None` if it opens none.
pub(super) fn render(wait: &Wait, action: &str, salt: &str, cx: &Cx) -> Option<Modal> {
    let open = Opened { wait, salt, cx };
    let (verb, place) = match action.split_once('.') {
        Some((verb, place)) => (verb, Some(place.parse::<usize>().ok()?)),
        None => (action, None),
    };
    match (&wait.prompt.control, verb) {
        (Control::Choose(choose), "open") => Some(open.choose(choose)),
        (Control::Form(form), "open") => open.fill(form, place),
        (Control::Ask(ask), "open") => Some(open.write(ask)),
        (Control::Upload(upload), "open") => Some(open.send_files(upload)),
        (Control::Decide(decide), "deny_and_tell") => Some(open.tell(decide)),
        (Control::Review(_), "reject") => Some(open.start_over()),
        (Control::Review(review), "edit") => open.edit(review, place),
        (
            Control::Choose(_)
            | Control::Form(_)
            | Control::Review(_)
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
    salt: &'a str,
    cx: &'a Cx,
}

impl Opened<'_> {
    fn modal(&self, action: &str, title: &str, components: Vec<Component>) -> Modal {
        let id = ComponentId::id(self.wait.id, self.wait.revision, action);
        Modal::new(input_id(&id, self.salt), title, components)
    }

    /// An input for words, with its label.
    fn words(&self, name: &str, label: &str, hint: &str, required: bool) -> Component {
        let input = TextInput { required, ..long(input_id(name, self.salt), "", None) };
        components::label(label, hint, Component::TextInput(input))
    }

    /// What is asked, above the inputs, where there is room for one more component.
    fn question(&self, inputs: usize) -> Option<Component> {
        let prompt = &self.wait.prompt;
        let parts = super::markdown::parts(&prompt.body.common_mark(), QUESTION);
        let mut words = parts.first().cloned().unwrap_or_default();
        if parts.len() > 1 {
            words.push_str("\n-# ");
            words.push_str(messages::forms::FULL_TEXT_IN_MESSAGE);
        }
        if is_blank(&words) {
            words = said(&one_line(&prompt.heading().unwrap_or_default()), limits::QUOTE);
        }
        (inputs < limits::MODAL_COMPONENTS && !is_blank(&words) && words != "—")
            .then(|| components::text(&words))
    }

    fn title(&self, otherwise: &str) -> String {
        card::title(&self.wait.prompt).unwrap_or_else(|| otherwise.to_owned())
    }

    fn choose(&self, choose: &Choose) -> Modal {
        let shown = choose.choices.iter().take(limits::MENU_CHOICES).enumerate();
        let picked = self.cx.draft.picked();
        let of = |(n, choice): (usize, &crate::model::ui::Choice)| Item {
            is_picked: picked.contains(&choice.id),
            ..item(n, choice)
        };
        let items: Vec<Item> = shown.map(of).collect();
        let menu = |(k, items): (usize, &[Item])| {
            let first = k * limits::SELECT_OPTIONS + 1;
            let most = choose.most().min(items.len());
            let id = input_id(&format!("pick.{k}"), self.salt);
            let menu = components::select(&id, items, messages::buttons::CHOOSE, (0, most));
            let select = Component::StringSelect(StringSelect { menu, required: false });
            components::label(&messages::buttons::span(first, first + items.len() - 1), "", select)
        };
        let mut components: Vec<Component> =
            items.chunks(limits::SELECT_OPTIONS).enumerate().map(menu).collect();
        if choose.choices.len() > items.len() {
            let hint = messages::forms::more_choices(choose.choices.len());
            components.push(self.words("named", messages::forms::BY_NAME_LABEL, &hint, false));
        }
        let question = self.question(components.len());
        self.modal(
            "done",
            &self.title(messages::forms::CHOICES),
            question.into_iter().chain(components).collect(),
        )
    }

    fn fill(&self, form: &Form, place: Option<usize>) -> Option<Modal> {
        let pages = pages::of_form(form, &self.cx.draft);
        let (action, page) = match place {
            Some(place) => (format!("fill.{place}"), pages.get(place)?),
            None if pages.len() == 1 => ("submit".to_owned(), pages.first()?),
            None => return None,
        };
        let inputs = self.inputs(page);
        let question = if place.is_none() { self.question(inputs.len()) } else { None };
        let title = match place {
            Some(_) => messages::buttons::fill_in(&page.title),
            None => self.title(messages::buttons::FILL_IN),
        };
        Some(self.modal(&action, &title, question.into_iter().chain(inputs).collect()))
    }

    fn inputs(&self, page: &Page) -> Vec<Component> {
        page.slots.iter().map(|slot| inputs::draw(slot, self.salt)).collect()
    }

    fn write(&self, ask: &Ask) -> Modal {
        let max = usize::try_from(ask.max).unwrap_or(usize::MAX).clamp(1, limits::INPUT_TEXT);
        let before = self.cx.draft.typed.get(Draft::TEXT).and_then(|values| values.first());
        let before = before.map(String::as_str).filter(|text| super::text::units(text) <= max);
        let (id, before) = (input_id("text", self.salt), before.unwrap_or_default());
        let input = TextInput {
            max_length: Some(max),
            required: ask.required,
            ..long(id, before, ask.placeholder.as_deref())
        };
        let is_more = usize::try_from(ask.max).is_ok_and(|asked| asked > max);
        let hint = match self.cx.message_access {
            MessageAccess::All if is_more => messages::forms::NEED_ROOM,
            MessageAccess::Replies if is_more => messages::forms::NEED_ROOM_REPLY,
            MessageAccess::All | MessageAccess::Replies | MessageAccess::Nothing => "",
        };
        let input = Component::TextInput(input);
        let input = components::label(messages::forms::YOUR_ANSWER, hint, input);
        let components = self.question(1).into_iter().chain([input]).collect();
        self.modal("send", &self.title(messages::forms::YOUR_ANSWER), components)
    }

    fn send_files(&self, upload: &Upload) -> Modal {
        let most = upload.max_files.clamp(1, limits::FILE_INPUT_FILES);
        let is_kind =
            |kind: &&String| !kind.is_empty() && kind.bytes().all(|b| b.is_ascii_alphanumeric());
        let mut file_types: Vec<String> =
            upload.accept.iter().filter(is_kind).map(|kind| format!(".{kind}")).collect();
        // With more kinds than Discord takes, or odd ones, what comes is checked by us alone.
        if file_types.len() > limits::FILE_TYPES || file_types.len() < upload.accept.len() {
            file_types.clear();
        }
        let input = Component::FileUpload(FileUpload {
            custom_id: input_id("files", self.salt),
            min_values: 1,
            max_values: most,
            required: true,
            file_types,
        });
        let label = if most > 1 { messages::forms::FILES } else { messages::forms::FILE };
        let line = accepted(upload, self.cx.file_max);
        let mut components: Vec<Component> = self.question(2).into_iter().collect();
        components.push(components::text(&format!("-# {}", said(&line, 400))));
        components.push(components::label(label, "", input));
        self.modal("send", &self.title(messages::buttons::UPLOAD), components)
    }

    fn tell(&self, decide: &Decide) -> Modal {
        let request = format!("**{}**", said(&one_line(&decide.request.to_string()), QUESTION));
        let form = DenialForm::of(decide);
        let input = self.words("feedback", form.label, &form.hint, true);
        self.modal("deny_and_tell", form.title, vec![components::text(&request), input])
    }

    fn start_over(&self) -> Modal {
        let words = components::text(messages::forms::starting_over(!self.cx.is_scripted));
        let input = self.words("notes", messages::forms::WHAT_DIFFERENT, "", false);
        self.modal("reject", messages::buttons::START_OVER, vec![words, input])
    }

    fn edit(&self, review: &Review, place: Option<usize>) -> Option<Modal> {
        let pages = pages::of_review(review, &self.cx.draft);
        let page = pages.get(place.unwrap_or(0))?;
        let is_single = pages::is_single(review, &pages);
        let action = match place {
            None if is_single => "save".to_owned(),
            None => return None,
            Some(place) => format!("save.{place}"),
        };
        let mut components = self.inputs(page);
        // Of what nobody has written yet there is nothing to remark.
        let is_blank = card::is_untouched(&self.cx.draft.groups(review));
        if is_single && !is_blank && components.len() < limits::MODAL_COMPONENTS {
            components.push(self.words(
                "notes",
                messages::forms::note_label(!self.cx.is_scripted),
                "",
                false,
            ));
        }
        let title =
            if is_blank { page.title.clone() } else { messages::buttons::edit_of(&page.title) };
        Some(self.modal(&action, &title, components))
    }
}

/// A form that asks why an answer has not helped; it may be sent without a reason.
pub(super) fn why(id: String) -> Modal {
    let input = TextInput { required: false, ..long("reason".to_owned(), "", None) };
    let input = components::label(messages::notices::YOUR_REASON, "", Component::TextInput(input));
    Modal::new(id, messages::notices::WHY_NOT_HELPFUL, vec![input])
}

/// What may be sent, in a line.
pub(super) fn accepted(upload: &Upload, file_max: Option<u64>) -> String {
    let most = upload.max_bytes.min(file_max.unwrap_or(limits::FILE_BYTES));
    let files = upload.max_files.min(limits::FILE_INPUT_FILES);
    messages::forms::accepted(&clip(&card::kinds(upload), 200), files, most)
}
