//! Open controls as forms, total over [`Control`]. Everything works as a plain form; the script only smooths it.
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use maud::{Markup, html};

use super::{
    icons,
    inputs::{self, errors_of, field, whole_errors},
    limits,
    piece::{Cx, Draft, name_of_part, time},
};
use crate::{
    chat::{
        card::{self, Action, Emphasis},
        form::{
            self, ComponentId, DenialForm, Fields, Sheet, clip, in_words, instant, review_editor,
        },
    },
    messages,
    model::{
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, Field, FieldError, Form, Group, Prompt,
            Review, Upload,
        },
        wait::Wait,
    },
    session::{State, answer},
};

/// The upload whose content the cards that follow ask for as well.
const RESUME: &str = "resume";

/// Data with more fields than this of which at most one is known is opened as a form.
const BARE_MIN: usize = 3;

/// One open question and what it is drawn with.
pub(super) struct Open<'a> {
    pub(super) wait: &'a Wait,
    pub(super) cx: &'a Cx,
    pub(super) draft: Option<&'a Draft>,
    /// What can be pressed.
    pub(super) actions: &'a [Action],
    /// A script asked, and no model.
    pub(super) is_scripted: bool,
}

impl Open<'_> {
    /// A button that submits `action`.
    fn button(&self, action: &str, label: &str, class: &str) -> Markup {
        let id = ComponentId::id(self.wait.id, self.wait.revision, action);
        html! { button class=(class) name="element" value=(id) { (label) } }
    }

    fn action(&self, action: &Action) -> Markup {
        let class = match action.emphasis {
            Emphasis::None => "quiet",
            Emphasis::Primary | Emphasis::Positive => "primary",
            Emphasis::Danger => "danger",
        };
        self.button(&action.name, &action.label, class)
    }

    /// The buttons under a form, as a row.
    fn buttons(&self) -> Markup {
        html! { div.actions { @for action in self.actions { (self.action(action)) } } }
    }

    /// The one that passes the question over, where it may be.
    fn skip(&self) -> Markup {
        let skip = self.actions.iter().find(|action| action.name == "skip");
        html! { @if let Some(skip) = skip { (self.action(skip)) } }
    }

    /// A form within the card; `name` keeps its key apart from those of its neighbours.
    fn form(&self, name: &str, inner: &Markup) -> Markup {
        let key = format!("{}.{}.{name}", self.wait.id.short(), self.wait.revision);
        html! {
            form method="post" action=(self.cx.url("answer")) novalidate data-form=(name) {
                (self.cx.hidden(&key)) (inner)
            }
        }
    }

    /// A form within the card for files.
    fn file_form(&self, inner: &Markup) -> Markup {
        let key = format!("{}.{}.upload", self.wait.id.short(), self.wait.revision);
        html! {
            form.drop method="post" action=(self.cx.url("answer")) enctype="multipart/form-data" novalidate data-form="upload" {
                (self.cx.hidden(&key)) (inner)
            }
        }
    }

    fn name(&self, part: &str) -> String {
        name_of_part(part, self.wait)
    }

    /// What was typed before, where this part of the card was used.
    pub(super) fn typed(&self, action: &str) -> Option<&Draft> {
        self.draft.filter(|draft| draft.action == action)
    }
}

/// The control of a question that is open.
pub(super) fn render(wait: &Wait, question: &card::Open<'_>, state: &State, cx: &Cx) -> Markup {
    let draft = cx.draft.as_ref().filter(|draft| draft.wait == wait.id);
    let is_scripted = form::is_scripted(wait, state);
    let open = Open { wait, cx, draft, actions: &question.actions, is_scripted };
    html! {
        (whole_errors(draft, &wait.prompt.control))
        @match &wait.prompt.control {
            Control::Choose(choose) => (pick(&open, choose)),
            Control::Form(form) => (fill(&open, form)),
            Control::Review(review) => (look_over(&open, review)),
            Control::Upload(upload) => (send_files(&open, upload)),
            Control::Ask(ask) => (write(&open, ask)),
            Control::Decide(decide) => (decision(&open, decide)),
            Control::Confirm(confirm) => (yes_or_no(&open, confirm)),
        }
    }
}

fn pick(open: &Open<'_>, choose: &Choose) -> Markup {
    let picked =
        |id: &str| open.draft.is_some_and(|draft| draft.fields.all("pick").any(|p| p == id));
    let question = name_of_part("b", open.wait);
    let inner = html! {
        fieldset.plain aria-labelledby=(question) {
            @if choose.multiple {
                div.options {
                    @for choice in &choose.choices {
                        label.option {
                            input type="checkbox" name="pick" value=(choice.id) checked[picked(&choice.id)];
                            span { (choice_words(choice)) }
                        }
                    }
                }
                (open.buttons())
            } @else if choose.choices.len() <= limits::BUTTONS_MAX {
                div.actions.choices {
                    @for (n, choice) in choose.choices.iter().enumerate() { (pick_button(open, n, choice)) }
                    (open.skip())
                }
            } @else {
                @let name = open.name("pick");
                label.sr for=(name) { (messages::forms::YOUR_CHOICE) }
                select id=(name) name="pick" {
                    option value="" { (messages::buttons::CHOOSE) }
                    @for choice in &choose.choices { option value=(choice.id) selected[picked(&choice.id)] { (choice.label) } }
                }
                (open.buttons())
            }
            (errors_of(open.draft, "pick"))
        }
    };
    open.form("choose", &inner)
}

fn choice_words(choice: &Choice) -> Markup {
    html! {
        @if let Some(icon) = &choice.icon { span aria-hidden="true" { (icon) " " } }
        bdi { (choice.label) }
        @if let Some(more) = &choice.description { span.small { (more) } }
    }
}

/// Choices are drawn alike: none of them is recommended.
fn pick_button(open: &Open<'_>, n: usize, choice: &Choice) -> Markup {
    let id = ComponentId::id(open.wait.id, open.wait.revision, &format!("pick.{n}"));
    html! {
        button.choice name="element" value=(id) data-choice=(choice.id) { (choice_words(choice)) }
    }
}

fn fill(open: &Open<'_>, form: &Form) -> Markup {
    let inner = html! {
        div.fields { @for one in &form.fields { (field(open.wait, one, open.typed("submit"))) } }
        (open.buttons())
    };
    open.form("fill", &inner)
}

/// The data, or in its place the form that edits it.
fn look_over(open: &Open<'_>, review: &Review) -> Markup {
    // What does not pass as it is must be edited.
    let editing =
        open.draft.is_some_and(|d| inputs::is_editing(&d.action) || d.action == "approve");
    let fields = || review.groups.iter().flat_map(|group| &group.fields);
    let given = fields().filter(|field| !in_words(&field.value).is_empty()).count();
    let is_blank = given == 0;
    // What is hardly begun is to be filled in, not looked at; once it was saved, people say what it is.
    let is_bare = given < 2 && fields().count() > BARE_MIN && open.wait.revision <= 1;
    let restarting = open.typed("reject").is_some();
    // What would be refused is marked before anybody presses.
    let wrong = answer::check_data(&review.schema, &review.data);
    html! {
        @if !is_blank {
            div.view {
                (review_table(&open.wait.prompt, review, &review.groups, Some(&wrong)))
                (not_in_a_field(open, review, &wrong))
            }
        }
        div.folds {
            @if !is_blank { div.approve { (open.form("approve", &html! {
                div.actions { (open.button("approve", messages::buttons::LOOKS_RIGHT, "primary")) (open.skip()) }
            })) } }
            @if is_blank {
                div.edit { (edit_form(open, review, true)) }
            } @else {
                details.fold.edit open[editing || is_bare] {
                    summary { (messages::buttons::EDIT) }
                    (edit_form(open, review, false))
                }
                (start_over(open, restarting))
            }
        }
    }
}

/// What is wrong with the data at places that no field shows.
fn not_in_a_field(open: &Open<'_>, review: &Review, wrong: &[FieldError]) -> Markup {
    let is_shown = |path: &str| {
        review.groups.iter().flat_map(|group| &group.fields).any(|field| field.path == path)
    };
    html! {
        @for error in wrong.iter().filter(|error| !is_shown(&error.path)) {
            p.needed { (icons::warning()) (form::complaint(&open.wait.prompt.control, error)) }
        }
    }
}

fn start_over(open: &Open<'_>, is_begun: bool) -> Markup {
    html! {
        details.fold.again open[is_begun] {
            summary { (messages::buttons::START_OVER) }
            (open.form("reject", &html! {
                @let name = open.name("why");
                label for=(name) { (messages::forms::WHAT_DIFFERENT) " " span.small { (messages::forms::OPTIONAL) } }
                textarea id=(name) name="notes" rows="2" dir="auto" {}
                div.actions { (open.button("reject", messages::buttons::START_OVER, "danger")) }
            }))
        }
    }
}

fn edit_form(open: &Open<'_>, review: &Review, is_blank: bool) -> Markup {
    let draft =
        open.draft.filter(|draft| inputs::is_editing(&draft.action) || draft.action == "approve");
    let none = Fields::default();
    let fields = draft.map_or(&none, |draft| &draft.fields);
    let sheet = inputs::sheet_of(review, draft);
    let inner = html! {
        // Enter in a text field presses the first button of a form: it must be the one that saves.
        button.sr name="element" value=(ComponentId::id(open.wait.id, open.wait.revision, "save")) tabindex="-1" aria-hidden="true" { (messages::buttons::SAVE) }
        @for (n, rows) in sheet.rows.iter().enumerate() {
            @for row in rows { input type="hidden" name=(review_editor::rows_name(n)) value=(row.map_or_else(|| "new".to_owned(), |r| r.to_string())); }
        }
        @let groups = sheet.groups(review);
        @if groups.is_empty() { (nothing_listed(review)) }
        @for group in &groups { (edit_group(open, (review, &sheet), group, draft)) }
        div.actions { @for (n, list) in review.lists.iter().enumerate() {
            @if !review_editor::is_nested(review, n) { (open.button(&format!("add.{n}"), &messages::buttons::add(&list.noun), "quiet add")) }
        } }
        @let name = open.name("notes");
        div.field.note {
            label for=(name) { (messages::forms::note_label(!open.is_scripted)) " " span.small { (messages::forms::OPTIONAL) } }
            textarea id=(name) name="notes" rows="2" dir="auto" { (fields.get("notes")) }
        }
        div.actions { (open.button("save", messages::buttons::SAVE, "primary")) @if is_blank { (open.skip()) } }
    };
    open.form("edit", &inner)
}

/// What to do where there are only lists and nothing is in them.
fn nothing_listed(review: &Review) -> Markup {
    let nouns: Vec<String> = review.lists.iter().map(|list| form::one(&list.noun)).collect();
    html! { p.empty-hint { (messages::forms::nothing_listed(&nouns)) } }
}

/// The fields of a group. An entry of a list is folded to its name, so that a long list fits on a screen; what is new
/// or wrong is open.
fn edit_group(
    open: &Open<'_>,
    (review, sheet): (&Review, &Sheet),
    group: &Group,
    draft: Option<&Draft>,
) -> Markup {
    let fields =
        html! { div.fields { @for one in &group.fields { (field(open.wait, one, draft)) } } };
    let Some((n, row)) = review_editor::entry_of(review, &group.path) else {
        // The card has said its name already.
        let is_named = open.wait.prompt.heading().as_ref() == Some(&group.title);
        return html! { fieldset { legend.sr[is_named] { (group.title) } (fields) } };
    };
    let is_entry = group.path == format!("{}.{row}", review.lists[n].path).trim_start_matches('.');
    let is_new = sheet.rows[n].get(row).is_some_and(Option::is_none);
    let within = |path: &str| group.fields.iter().any(|field| field.path == path);
    let is_wrong = draft.is_some_and(|draft| draft.errors.iter().any(|e| within(&e.path)));
    let name = entry_name(group, draft);
    html! {
        details.unit open[is_new || is_wrong || sheet.rows[n].len() == 1] data-entry=(row) data-list=(n) {
            summary { span { (group.title) } @if !name.is_empty() { " " bdi.small { (name) } } }
            fieldset.plain aria-label=(group.title) {
                (fields)
                @if is_entry { (row_buttons(open, (n, row), &group.title)) }
            }
        }
    }
}

/// What an entry is about, beside its number: its first two values.
fn entry_name(group: &Group, draft: Option<&Draft>) -> String {
    let typed = |field: &Field| {
        let name = form::field_name(&field.path);
        let draft = draft.filter(|draft| draft.fields.all(&name).next().is_some())?;
        Some(draft.fields.get(&name).to_owned())
    };
    let words = |field: &Field| typed(field).unwrap_or_else(|| form::shown(field));
    let told = group.fields.iter().map(words).map(|words| form::one_line(&words));
    let told: Vec<String> = told.filter(|words| !words.is_empty()).take(2).collect();
    clip(&told.join(" · "), limits::HEADING_MAX)
}

/// Remove and move up, under an entry of a list.
fn row_buttons(open: &Open<'_>, (n, row): (usize, usize), title: &str) -> Markup {
    let button = |action: &str, label: &str| {
        let id = ComponentId::id(open.wait.id, open.wait.revision, &format!("{action}.{n}.{row}"));
        let entry = title.to_lowercase();
        html! { button.quiet name="element" value=(id) { (label) span.sr { " " (entry) } } }
    };
    html! {
        div.actions {
            (button("remove", messages::buttons::REMOVE))
            @if row > 0 { (button("up", messages::buttons::MOVE_UP)) }
        }
    }
}

/// Collected data in columns: what is given, and what must be looked at; entries of lists side by side. `open` is what
/// is wrong with it while it can be mended: then that is marked, as is what was read with low confidence, and a quiet
/// line says what else could be given.
pub(super) fn review_table(
    prompt: &Prompt,
    review: &Review,
    groups: &[Group],
    open: Option<&[FieldError]>,
) -> Markup {
    let is_entry = |group: &&Group| review_editor::entry_of(review, &group.path).is_some();
    let group = |group: &Group| {
        html! {
            section.group {
                // The card has said it already.
                @if let Some(heading) = card::heading(prompt, group) { h4 { (heading) } }
                (values(&group.fields, open))
                @if open.is_some() && !is_entry(&group) { (not_given(&group.fields, open)) }
            }
        }
    };
    html! {
        @for one in groups.iter().filter(|one| !is_entry(one)) { (group(one)) }
        @if groups.iter().any(|one| is_entry(&one)) {
            div.entries { @for one in groups.iter().filter(is_entry) { (group(one)) } }
        }
    }
}

/// What is wrong with a field, if something is.
fn wrong_with<'a>(field: &Field, open: Option<&'a [FieldError]>) -> Option<&'a str> {
    let errors = open.unwrap_or_default();
    errors.iter().find(|error| error.path == field.path).map(|error| error.message.as_str())
}

/// Whether a field is shown: it has a value, or needs one while that can be mended.
fn is_told(field: &Field, open: Option<&[FieldError]>) -> bool {
    card::is_told(field, open.is_some()) || wrong_with(field, open).is_some()
}

/// What else could be given, on a quiet line.
fn not_given(fields: &[Field], open: Option<&[FieldError]>) -> Markup {
    let missing = fields.iter().filter(|field| !is_told(field, open));
    let missing: Vec<&str> = missing.map(|field| field.label.as_str()).collect();
    html! { @if !missing.is_empty() { p.small { (messages::forms::not_filled_in(&missing)) } } }
}

/// Fields with their values.
pub(super) fn values(fields: &[Field], open: Option<&[FieldError]>) -> Markup {
    let words = |field: &Field| form::shown(field);
    let wrong = |field: &Field| wrong_with(field, open);
    let told: Vec<&Field> = fields.iter().filter(|field| is_told(field, open)).collect();
    html! {
        @if !told.is_empty() { dl.values {
            @for field in told {
                @let words = words(field);
                @let check = open.is_some() && field.check;
                div.check[check || wrong(field).is_some()].wide[words.chars().count() > limits::FOLDED_MAX / 4] {
                    dt { (field.label) @if check { " " span.tag { (icons::warning()) (messages::forms::PLEASE_CHECK) } } }
                    dd {
                        @if !words.is_empty() { (folded(&words)) } @else if wrong(field).is_none() { span.empty { (messages::forms::NOT_FILLED_IN) } }
                        @if let Some(wrong) = wrong(field) { span.needed { (icons::warning()) (wrong) } }
                    }
                }
            }
        } }
    }
}

/// A value; a long one is folded and can be opened, and nothing of it is cut.
fn folded(words: &str) -> Markup {
    let begin = clip(words, limits::FOLDED_MAX);
    html! {
        @if begin == words {
            span dir="auto" { (words) }
        } @else {
            details.long {
                summary { span.begin dir="auto" { (begin) } " " span.more { (messages::buttons::SHOW_ALL) } }
                span dir="auto" { (words) }
            }
        }
    }
}

fn send_files(open: &Open<'_>, upload: &Upload) -> Markup {
    let name = open.name("files");
    let refused = open.typed("send").is_some_and(|draft| !draft.errors.is_empty());
    let accept = upload.accept.iter().map(|ext| format!(".{ext}")).collect::<Vec<_>>().join(",");
    let label = match (refused, upload.max_files) {
        (true, _) => messages::buttons::TRY_ANOTHER_FILE,
        (false, 2..) => messages::buttons::CHOOSE_FILES,
        (false, _) => messages::buttons::CHOOSE_FILE,
    };
    // What a résumé says can be typed into the cards that follow; nothing stands in for another file.
    let skip = if upload.upload_type == RESUME {
        messages::buttons::TYPE_IT_IN
    } else {
        messages::buttons::SKIP
    };
    let inner = html! {
        div.dropzone {
            // The browser's own button says the same.
            label.sr[!refused] for=(name) { (label) }
            input type="file" id=(name) name="files" accept=(accept) multiple[upload.max_files > 1]
                data-max-bytes=(upload.max_bytes) aria-describedby={ (name) "-hint" };
            p.small id={ (name) "-hint" } {
                (messages::forms::accepted(&card::kinds(upload), upload.max_files, upload.max_bytes))
                span.by-mouse { " " (messages::forms::DRAG_AND_DROP) }
            }
            (errors_of(open.draft, "files"))
        }
        div.actions {
            (open.button("send", messages::buttons::SEND, "primary"))
            @if !upload.required { (open.button("skip", skip, "quiet")) }
        }
    };
    open.file_form(&inner)
}

fn write(open: &Open<'_>, ask: &Ask) -> Markup {
    let name = open.name("text");
    let draft = open.typed("send");
    let typed = draft.map(|draft| draft.fields.get("text")).unwrap_or_default();
    let is_wrong = draft.is_some_and(|draft| !draft.errors.is_empty());
    let inner = html! {
        label.sr for=(name) { (messages::forms::YOUR_ANSWER) }
        textarea id=(name) name="text" rows="3" dir="auto" data-max=(ask.max) placeholder=[ask.placeholder.as_deref()]
            autofocus[is_wrong] aria-invalid=[is_wrong.then_some("true")] { (typed) }
        p.left.small aria-live="polite" {}
        (errors_of(open.draft, "text"))
        (open.buttons())
    };
    open.form("ask", &inner)
}

/// What a decider should know.
pub(super) fn facts(decide: &Decide) -> Markup {
    html! {
        dl.values {
            @for (label, value) in &decide.facts {
                div {
                    dt { (label) }
                    dd { @match instant(value) { Some(at) => (time(at)), None => span dir="auto" { (value) } } }
                }
            }
        }
    }
}

fn decision(open: &Open<'_>, decide: &Decide) -> Markup {
    let telling = open.typed("deny_and_tell").is_some();
    html! {
        (facts(decide))
        div.folds {
            details.fold.primary name=(open.name("decide")) {
                summary { (decide.approve) }
                (open.form("approve", &html! {
                    p { (decide.request.to_string()) }
                    div.actions { (open.button("approve", messages::buttons::YES_APPROVE, "primary")) }
                }))
            }
            details.fold name=(open.name("decide")) {
                summary { (decide.deny) }
                (open.form("deny", &html! {
                    p { (decide.request.to_string()) }
                    div.actions { (open.button("deny", messages::buttons::YES_DENY, "danger")) }
                }))
            }
            @if let Some(label) = &decide.deny_and_tell {
                details.fold name=(open.name("decide")) open[telling] {
                    summary { (label) }
                    (open.form("deny_and_tell", &html! {
                        @let (name, said) = (open.name("feedback"), DenialForm::of(decide));
                        @let wrong = open.typed("deny_and_tell").is_some_and(|draft| !draft.errors.is_empty());
                        @let about = if wrong { format!("{name}-hint {name}-error") } else { format!("{name}-hint") };
                        label for=(name) { (said.label) }
                        p.small id={ (name) "-hint" } { (said.hint) }
                        textarea id=(name) name="feedback" rows="3" dir="auto" required autofocus[wrong]
                            aria-describedby=(about) aria-invalid=[wrong.then_some("true")] {}
                        div id={ (name) "-error" } { (errors_of(open.draft, "feedback")) }
                        div.actions { (open.button("deny_and_tell", said.send, "danger")) }
                    }))
                }
            }
        }
    }
}

fn yes_or_no(open: &Open<'_>, confirm: &Confirm) -> Markup {
    let inner = html! {
        // Where the words above have said it, it is not said twice.
        @if confirm.danger && !open.wait.prompt.body.to_string().contains(messages::forms::CANT_BE_UNDONE) { p.warning { (icons::warning()) (messages::forms::CANT_BE_UNDONE) } }
        (open.buttons())
    };
    open.form("confirm", &inner)
}
