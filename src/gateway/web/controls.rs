//! Open controls as forms, total over [`Control`]. Everything works as a plain form; the script only smooths it.
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use maud::{Markup, html};

use super::{
    icons,
    inputs::{self, errors_of, field, whole_errors},
    limits,
    render::{Cx, Draft, time},
};
use crate::{
    form::{self, DenialForm, Element, Fields, Sheet, clip, in_words, instant, sheet, words},
    model::{
        ui::{Ask, Choose, Confirm, Control, Decide, Field, Form, Group, Prompt, Review, Upload},
        wait::Wait,
    },
};

/// One open question and what it is drawn with.
pub(super) struct Open<'a> {
    pub(super) wait: &'a Wait,
    pub(super) cx: &'a Cx,
    pub(super) draft: Option<&'a Draft>,
}

impl Open<'_> {
    /// A button that submits `action`.
    fn button(&self, action: &str, label: &str, class: &str) -> Markup {
        let id = Element::id(self.wait.id, self.wait.revision, action);
        html! { button class=(class) name="element" value=(id) { (label) } }
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

    /// The same form, for files.
    fn file_form(&self, inner: &Markup) -> Markup {
        let key = format!("{}.{}.upload", self.wait.id.short(), self.wait.revision);
        html! {
            form.drop method="post" action=(self.cx.url("answer")) enctype="multipart/form-data" novalidate data-form="upload" {
                (self.cx.hidden(&key)) (inner)
            }
        }
    }

    fn name(&self, part: &str) -> String {
        format!("{part}-{}-{}", self.wait.id.short(), self.wait.revision)
    }

    fn skip(&self, may: bool) -> Markup {
        html! { @if may { (self.button("skip", "Skip", "quiet")) } }
    }

    /// What was typed before, where this part of the card was used.
    pub(super) fn typed(&self, action: &str) -> Option<&Draft> {
        self.draft.filter(|draft| draft.action == action)
    }
}

/// The control of a question that is open.
pub(super) fn render(wait: &Wait, cx: &Cx) -> Markup {
    let draft = cx.draft.as_ref().filter(|draft| draft.wait == wait.id);
    let open = Open { wait, cx, draft };
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

fn legend(open: &Open<'_>) -> String {
    let prompt = &open.wait.prompt;
    let body = form::plain(&prompt.body);
    clip(if body.is_empty() { "Question" } else { &body }, limits::QUOTE_MAX)
}

fn pick(open: &Open<'_>, choose: &Choose) -> Markup {
    let picked =
        |id: &str| open.draft.is_some_and(|draft| draft.fields.all("pick").any(|p| p == id));
    let inner = html! {
        fieldset.plain {
            legend.sr { (legend(open)) }
            @if choose.multiple {
                div.options {
                    @for choice in &choose.choices {
                        label.option {
                            input type="checkbox" name="pick" value=(choice.id) checked[picked(&choice.id)];
                            span { @if let Some(icon) = &choice.icon { span aria-hidden="true" { (icon) " " } } (choice.label)
                                @if let Some(more) = &choice.description { span.small { (more) } } }
                        }
                    }
                }
                div.actions { (open.button("done", "Done", "primary")) (open.skip(!choose.required)) }
            } @else if choose.choices.len() <= limits::BUTTONS_MAX {
                div.actions.choices {
                    @for (n, choice) in choose.choices.iter().enumerate() { (pick_button(open, n, choice)) }
                    (open.skip(!choose.required))
                }
            } @else {
                @let name = open.name("pick");
                label.sr for=(name) { "Your choice" }
                select id=(name) name="pick" {
                    option value="" { "Choose…" }
                    @for choice in &choose.choices { option value=(choice.id) selected[picked(&choice.id)] { (choice.label) } }
                }
                div.actions { (open.button("done", "Done", "primary")) (open.skip(!choose.required)) }
            }
            (errors_of(open.draft, "pick"))
        }
    };
    open.form("choose", &inner)
}

fn pick_button(open: &Open<'_>, n: usize, choice: &crate::model::ui::Choice) -> Markup {
    let id = Element::id(open.wait.id, open.wait.revision, &format!("pick.{n}"));
    html! {
        button.choice.primary[n == 0] name="element" value=(id) data-choice=(choice.id) {
            @if let Some(icon) = &choice.icon { span aria-hidden="true" { (icon) " " } }
            (choice.label)
            @if let Some(more) = &choice.description { span.small { (more) } }
        }
    }
}

fn fill(open: &Open<'_>, form: &Form) -> Markup {
    let inner = html! {
        @for one in &form.fields { (field(open, one, open.typed("submit"))) }
        div.actions { (open.button("submit", &form.submit, "primary")) (open.skip(form.skippable)) }
    };
    open.form("fill", &inner)
}

fn look_over(open: &Open<'_>, review: &Review) -> Markup {
    // What does not pass as it is must be edited.
    let editing =
        open.draft.is_some_and(|d| inputs::is_editing(&d.action) || d.action == "approve");
    let is_blank =
        review.groups.iter().flat_map(|g| &g.fields).all(|f| in_words(&f.value).is_empty());
    let restarting = open.typed("reject").is_some();
    html! {
        @if !is_blank { (review_table(&open.wait.prompt, &review.groups, true)) }
        div.folds {
            @if !is_blank { (open.form("approve", &html! {
                div.actions { (open.button("approve", "Looks right", "primary")) (open.skip(review.skippable)) }
            })) }
            details.fold open[editing || is_blank] {
                summary { (if is_blank { "Write it" } else { "Edit" }) }
                (edit_form(open, review, is_blank))
            }
            @if !is_blank { (start_over(open, restarting)) }
        }
    }
}

fn start_over(open: &Open<'_>, is_begun: bool) -> Markup {
    html! {
        details.fold open[is_begun] {
            summary { "Start over" }
            (open.form("reject", &html! {
                @let name = open.name("why");
                label for=(name) { "What should be different? " span.small { "optional" } }
                textarea id=(name) name="notes" rows="2" {}
                div.actions { (open.button("reject", "Start over", "danger")) }
            }))
        }
    }
}

fn edit_form(open: &Open<'_>, review: &Review, is_blank: bool) -> Markup {
    let draft = open.draft.filter(|draft| inputs::is_editing(&draft.action));
    let none = Fields::default();
    let fields = draft.map_or(&none, |draft| &draft.fields);
    let sheet = if draft.is_some() { Sheet::read(review, fields) } else { Sheet::of(review) };
    let inner = html! {
        // Enter in a text field presses the first button of a form: it must be the one that saves.
        button.sr name="element" value=(Element::id(open.wait.id, open.wait.revision, "save")) tabindex="-1" aria-hidden="true" { "Save" }
        @for (n, rows) in sheet.rows.iter().enumerate() {
            @for row in rows { input type="hidden" name=(sheet::rows_name(n)) value=(row.map_or_else(|| "new".to_owned(), |r| r.to_string())); }
        }
        @for group in sheet.groups(review) {
            fieldset { legend { (group.title) }
                @for one in &group.fields { (field(open, one, draft)) }
                (row_buttons(open, review, &group))
            }
        }
        div.actions { @for (n, list) in review.lists.iter().enumerate() {
            @if !sheet::is_nested(review, n) { (open.button(&format!("add.{n}"), &format!("Add {}", form::one(&list.noun)), "quiet")) }
        } }
        @let name = open.name("notes");
        label for=(name) { "Note for the interviewer " span.small { "optional" } }
        textarea id=(name) name="notes" rows="2" { (fields.get("notes")) }
        div.actions { (open.button("save", "Save", "primary")) (open.skip(is_blank && review.skippable)) }
    };
    open.form("edit", &inner)
}

/// Remove and move up, under an entry of a list.
fn row_buttons(open: &Open<'_>, review: &Review, group: &Group) -> Markup {
    let place = sheet::list_of(review, &group.path).and_then(|n| {
        let list = &review.lists[n].path;
        let row = group.path.strip_prefix(list.as_str())?.trim_start_matches('.');
        row.parse::<usize>().ok().map(|row| (n, row))
    });
    html! {
        @if let Some((n, row)) = place {
            div.actions {
                (open.button(&format!("remove.{n}.{row}"), "Remove", "quiet"))
                @if row > 0 { (open.button(&format!("up.{n}.{row}"), "Move up", "quiet")) }
            }
        }
    }
}

/// Collected data in two columns: what is given, and what must be looked at. While it is `open`, what was read with
/// low confidence is marked, and a quiet line says what else could be given.
pub(super) fn review_table(prompt: &Prompt, groups: &[Group], open: bool) -> Markup {
    html! {
        @for group in groups {
            section.group {
                // The card has said it already.
                @if prompt.title.as_ref() != Some(&group.title) { h4 { (group.title) } }
                (values(&group.fields, open))
            }
        }
    }
}

/// Fields with their values.
pub(super) fn values(fields: &[Field], open: bool) -> Markup {
    let words = |field: &Field| clip(&form::shown(&field.input, &field.value), limits::VALUE_MAX);
    let (told, missing): (Vec<_>, Vec<_>) = fields
        .iter()
        .partition(|field| !words(field).is_empty() || open && (field.check || field.required));
    let missing: Vec<&str> = missing.iter().map(|field| field.label.as_str()).collect();
    html! {
        @if !told.is_empty() { dl.values {
            @for field in told {
                @let words = words(field);
                div.check[open && field.check] {
                    dt { (field.label) @if open && field.check { " " span.tag { (icons::warning()) "please check" } } }
                    dd { @if words.is_empty() { span.empty { "not given" } } @else { (words) } }
                }
            }
        } }
        @if open && !missing.is_empty() { p.small { "Not given: " (missing.join(", ")) } }
    }
}

fn send_files(open: &Open<'_>, upload: &Upload) -> Markup {
    let name = open.name("files");
    let refused = open.typed("send").is_some_and(|draft| !draft.errors.is_empty());
    let accept = upload.accept.iter().map(|ext| format!(".{ext}")).collect::<Vec<_>>().join(",");
    let kinds = upload.accept.iter().map(|ext| ext.to_uppercase()).collect::<Vec<_>>().join(", ");
    let again = if refused {
        "Try another file"
    } else if upload.max_files > 1 {
        "Choose files"
    } else {
        "Choose a file"
    };
    let inner = html! {
        div.dropzone {
            label for=(name) { (again) }
            p.small id={ (name) "-hint" } {
                (kinds) " · up to " (words::bytes(upload.max_bytes))
                @if upload.max_files > 1 { " · at most " (upload.max_files) " files" }
                " · or drop it here"
            }
            input type="file" id=(name) name="files" accept=(accept) multiple[upload.max_files > 1]
                data-max-bytes=(upload.max_bytes) aria-describedby={ (name) "-hint" };
            (errors_of(open.draft, "files"))
        }
        div.actions {
            (open.button("send", "Send", "primary"))
            a.button.quiet href="#text" { "Type it in" }
            (open.skip(!upload.required))
        }
    };
    open.file_form(&inner)
}

fn write(open: &Open<'_>, ask: &Ask) -> Markup {
    let name = open.name("text");
    let typed = open.typed("send").map(|draft| draft.fields.get("text")).unwrap_or_default();
    let inner = html! {
        label.sr for=(name) { "Your answer" }
        textarea id=(name) name="text" rows="3" maxlength=(ask.max) placeholder=[ask.placeholder.as_deref()] { (typed) }
        (errors_of(open.draft, "text"))
        div.actions { (open.button("send", "Send", "primary")) (open.skip(!ask.required)) }
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
                    dd { @match instant(value) { Some(at) => (time(at)), None => (value) } }
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
                    p { (decide.request) }
                    div.actions { (open.button("approve", "Yes, approve", "primary")) }
                }))
            }
            details.fold name=(open.name("decide")) {
                summary { (decide.deny) }
                (open.form("deny", &html! {
                    p { (decide.request) }
                    div.actions { (open.button("deny", "Yes, deny", "danger")) }
                }))
            }
            @if let Some(label) = &decide.deny_and_tell {
                details.fold name=(open.name("decide")) open[telling] {
                    summary { (label) }
                    (open.form("deny_and_tell", &html! {
                        @let (name, said) = (open.name("feedback"), DenialForm::of(decide));
                        label for=(name) { (said.label) }
                        p.small id={ (name) "-hint" } { (said.hint) }
                        textarea id=(name) name="feedback" rows="3" required aria-describedby={ (name) "-hint" } {}
                        (errors_of(open.draft, "feedback"))
                        div.actions { (open.button("deny_and_tell", said.send, "danger")) }
                    }))
                }
            }
        }
    }
}

fn yes_or_no(open: &Open<'_>, confirm: &Confirm) -> Markup {
    let class = if confirm.danger { "danger" } else { "primary" };
    let inner = html! {
        @if confirm.danger { p.warning { (icons::warning()) "This cannot be taken back." } }
        div.actions {
            (open.button("yes", &confirm.yes, class))
            (open.button("no", &confirm.no, "quiet"))
        }
    };
    open.form("confirm", &inner)
}
