//! Cards that can be answered, total over [`Control`].
#![warn(clippy::wildcard_enum_match_arm)] // a new control must be rendered, not ignored

use serenity::builder::CreateButton;

use super::{
    CardParts, Cx, MessageAccess, OPEN,
    component::Component,
    components::{self, Item, danger, menu, primary, rows, small, success},
    forms::accepted,
    inputs::{item, label, more},
    markup::Markdown,
    pages::{self, Page},
    request, review,
    text::{clip, clip_or, is_blank, one_line, said, units},
};
use crate::{
    chat::{
        card::{self, Action, Emphasis},
        form::{ComponentId, shown},
    },
    gateway::discord::{limits, transcript},
    messages,
    model::{
        ui::{Ask, Choice, Choose, Confirm, Control, Decide, Field, Form, Review, Upload},
        wait::{Answerers, Wait},
    },
};

/// Longest line about one choice, in characters.
const CHOICE_LINE: usize = 200;

/// Voters that are named.
const NAMED_VOTES: usize = 10;

/// Pages of a form that have a button each.
const PAGE_BUTTONS: usize = 4;

/// Menus of pages, and of what can be done to entries, under reviewed data.
const EDIT_MENUS: usize = 3;
const ARRANGE_MENUS: usize = 2;

/// The revision under which a question is asked at first.
const FIRST_REVISION: u32 = 1;

/// Lists to which entries can be added by a button of their own.
const ADDABLE_MAX: usize = 8;

/// The control of a question that is open.
pub(super) fn render(wait: &Wait, cx: &Cx) -> CardParts {
    let open = Open { wait, cx };
    match &wait.prompt.control {
        Control::Choose(choose) => open.choose(choose),
        Control::Form(form) => open.fill(form),
        Control::Review(review) => open.review(review),
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

impl Open<'_> {
    fn id(&self, action: &str) -> String {
        ComponentId::id(self.wait.id, self.wait.revision, action)
    }

    fn button(&self, action: &str, label: &str) -> CreateButton {
        components::button(self.id(action), label)
    }

    fn primary(&self, action: &str, label: &str) -> CreateButton {
        primary(self.id(action), label)
    }

    /// Buttons. One that is to be asked about opens that question.
    fn actions(&self, actions: &[Action]) -> impl Iterator<Item = CreateButton> {
        actions.iter().map(|action| {
            let label = clip_or(&action.label, limits::BUTTON_LABEL, action.otherwise);
            let sure = if action.is_confirmed { "sure." } else { "" };
            let id = self.id(&format!("{sure}{}", action.name));
            match action.emphasis {
                Emphasis::None => components::button(id, &label),
                Emphasis::Primary => primary(id, &label),
                Emphasis::Positive => success(id, &label),
                Emphasis::Danger => danger(id, &label),
            }
        })
    }

    fn skip(&self, may: bool) -> Option<CreateButton> {
        may.then(|| self.button("skip", messages::buttons::SKIP))
    }

    fn choose(&self, choose: &Choose) -> CardParts {
        let choices = &choose.choices;
        let count = choices.len();
        let skip = self.skip(!choose.required && !has_no(choose));
        let is_plain = |choice: &Choice| {
            units(&choice.label) <= limits::BUTTON_LABEL - 4 && more(choice).is_none()
        };
        let places = || choices.iter().enumerate();
        let mut parts = CardParts::new(OPEN);
        if !choose.multiple && count <= limits::BUTTONS_MAX && choices.iter().all(is_plain) {
            let button = |(n, choice): (usize, &Choice)| {
                self.button(&format!("pick.{n}"), &card::with_icon(choice, &label(n, choice)))
            };
            parts.below = rows(places().map(button).chain(skip));
        } else if count <= limits::MENU_CHOICES {
            parts.told = list(choose);
            parts.below = self.menus(choose);
            // Where something must be picked, nothing can be sent before it is.
            let is_empty = messages::answers::picks(choose, self.cx.draft.picked().len()).is_some();
            let done = choose
                .multiple
                .then(|| self.primary("done", messages::buttons::DONE).disabled(is_empty));
            parts.below.extend(rows(done.into_iter().chain(skip)));
        } else {
            parts.told = list(choose);
            let open = self.primary("open", messages::buttons::CHOOSE);
            parts.below = rows(std::iter::once(open).chain(skip));
        }
        parts
    }

    /// Choices in menus of 25. In a menu of which several may be picked, those that were picked already are so again.
    fn menus(&self, choose: &Choose) -> Vec<Component> {
        let picked = self.cx.draft.picked();
        let of = |(n, choice): (usize, &Choice)| Item {
            is_picked: choose.multiple && picked.contains(&choice.id),
            // What stands above in full is not said again.
            description: item(n, choice).description.filter(|_| !is_listed(choice)),
            ..item(n, choice)
        };
        let items: Vec<Item> = choose.choices.iter().enumerate().map(of).collect();
        let several = items.len() > limits::SELECT_OPTIONS;
        let menu = |(k, items): (usize, &[Item])| {
            let first = k * limits::SELECT_OPTIONS + 1;
            let words = if several {
                messages::buttons::asking(&messages::buttons::span(first, first + items.len() - 1))
            } else {
                messages::buttons::CHOOSE.to_owned()
            };
            if choose.multiple {
                // Of several menus any may be left alone.
                let least = if choose.required && !several { choose.fewest() } else { 0 };
                let most = choose.most().min(items.len());
                menu(&self.id(&format!("tick.{k}")), items, &words, (least, most))
            } else {
                menu(&self.id(&format!("menu.{k}")), items, &words, (1, 1))
            }
        };
        items.chunks(limits::SELECT_OPTIONS).enumerate().map(menu).collect()
    }

    fn fill(&self, form: &Form) -> CardParts {
        let pages = pages::of_form(form, &self.cx.draft);
        let skip = self.skip(form.skippable);
        let names: Vec<String> = form.fields.iter().map(|field| one_line(&field.label)).collect();
        let mut parts = CardParts::new(OPEN);
        if self.cx.draft.typed.is_empty() {
            let line = said(&messages::forms::to_fill_in(&names), 400);
            parts.told.push(vec![small(&[line])]);
        }
        if pages.len() <= 1 {
            let open = self.primary("open", messages::buttons::FILL_IN);
            parts.below = rows(std::iter::once(open).chain(skip));
            return parts;
        }
        if !self.cx.draft.typed.is_empty() {
            let fields: Vec<Field> =
                form.fields.iter().map(|field| self.cx.draft.with(field)).collect();
            parts.told.extend(review::lines(messages::forms::ENTERED_SO_FAR, &fields, false));
        }
        if pages.len() <= PAGE_BUTTONS {
            let button = |(n, page): (usize, &Page)| {
                let label =
                    format!("{}{}", messages::buttons::fill_in(&page.title), done_mark(page));
                self.button(&format!("open.{n}"), &label)
            };
            parts.below = rows(pages.iter().enumerate().map(button));
        } else {
            parts.below = self.page_menus(
                "page",
                messages::buttons::FILL_IN_WHICH,
                &pages,
                limits::MENUS_MAX,
            );
        }
        let send = clip_or(&form.submit, limits::BUTTON_LABEL, messages::buttons::SEND);
        let send = self.primary("submit", &send);
        parts.below.extend(rows(std::iter::once(send).chain(skip)));
        parts
    }

    /// Menus of pages; the value of each is its number.
    fn page_menus(&self, name: &str, words: &str, pages: &[Page], most: usize) -> Vec<Component> {
        let item = |(n, page): (usize, &Page)| {
            let mark = if name == "page" { done_mark(page) } else { "" };
            let title = format!("{}{mark}", page.title);
            Item { description: Some(about(page)), ..Item::new(n.to_string(), &title) }
        };
        let items: Vec<Item> = pages.iter().enumerate().map(item).collect();
        let chunks = items.chunks(limits::SELECT_OPTIONS).take(most).enumerate();
        chunks
            .map(|(k, items)| menu(&self.id(&format!("{name}.{k}")), items, words, (1, 1)))
            .collect()
    }

    fn review(&self, review: &Review) -> CardParts {
        let draft = &self.cx.draft;
        let groups = draft.groups(review);
        let pages = pages::of_review(review, draft);
        let blank = review::is_untouched(&groups);
        let mut parts = CardParts::new(OPEN);
        if !blank {
            parts.told = review::table(&self.wait.prompt, &groups, true);
        }
        let is_single = pages::is_single(review, &pages);
        let mut buttons = Vec::new();
        let mut fields = groups.iter().flat_map(|group| &group.fields);
        if !blank {
            buttons.push(success(self.id("approve"), messages::buttons::LOOKS_RIGHT));
        } else if !is_single && !fields.any(|field| field.required) {
            // A form of one page can be sent as it is; of several, nobody would be asked for what they leave out.
            buttons.push(self.button("approve", messages::buttons::LEAVE_EMPTY));
        }
        if is_single {
            let label = if blank { messages::buttons::FILL_IN } else { messages::buttons::EDIT };
            buttons.push(self.button("edit", label));
        } else {
            let words = if blank {
                messages::buttons::FILL_IN_WHICH
            } else {
                messages::buttons::EDIT_WHICH
            };
            parts.below = self.page_menus("edit", words, &pages, EDIT_MENUS);
            parts.below.extend(self.arranging(review));
        }
        buttons.extend(self.adding(review));
        if !blank {
            buttons.push(self.button("reject", messages::buttons::START_OVER));
        }
        buttons.extend(self.skip(review.skippable));
        parts.below.extend(rows(buttons));
        if (draft.is_changed(review) || is_edited(self.wait)) && !blank {
            let line = messages::forms::not_approved_yet();
            parts.below.push(small(&[line]));
        }
        parts
    }

    /// What can be done to entries of lists.
    fn arranging(&self, review: &Review) -> Vec<Component> {
        let sheet = self.cx.draft.sheet(review);
        let mut items = Vec::new();
        for list in crate::chat::form::growing(review) {
            let noun = one_line(&review.lists[list].noun);
            let noun = if is_blank(&noun) { "entry".to_owned() } else { clip(&noun, 60) };
            for row in 0..sheet.rows[list].len() {
                let item =
                    |verb: &str, words: &str| Item::new(format!("{verb}.{list}.{row}"), words);
                let entry = format!("{noun} {}", row + 1);
                items.push(item("remove", &messages::buttons::remove(&entry)));
                if row > 0 {
                    items.push(item("up", &messages::buttons::move_up(&entry)));
                }
            }
        }
        let chunks = items.chunks(limits::SELECT_OPTIONS).take(ARRANGE_MENUS).enumerate();
        let draw = |(k, items): (usize, &[Item])| {
            menu(
                &self.id(&format!("arrange.{k}")),
                items,
                messages::buttons::REMOVE_OR_MOVE,
                (1, 1),
            )
        };
        chunks.map(draw).collect()
    }

    fn adding(&self, review: &Review) -> Vec<CreateButton> {
        let button = |n: usize| {
            self.button(
                &format!("add.{n}"),
                &messages::buttons::add(&one_line(&review.lists[n].noun)),
            )
        };
        crate::chat::form::growing(review).take(ADDABLE_MAX).map(button).collect()
    }

    fn send_files(&self, upload: &Upload) -> CardParts {
        let what = messages::buttons::upload(&upload.upload_type, upload.max_files);
        let open = self.primary("open", what);
        let skip = self.skip(!upload.required);
        let line = said(&accepted(upload, self.cx.file_max), 400);
        let below = rows(std::iter::once(open).chain(skip));
        let small = small(&[line, messages::forms::UPLOAD_COMMAND.to_owned()]);
        CardParts { below: below.into_iter().chain([small]).collect(), ..CardParts::new(OPEN) }
    }

    fn write(&self, ask: &Ask) -> CardParts {
        let open = self.primary("open", messages::buttons::WRITE_ANSWER);
        let mut below = rows(std::iter::once(open).chain(self.skip(!ask.required)));
        let line = match self.cx.message_access {
            MessageAccess::All => Some(messages::forms::TYPE_HERE),
            MessageAccess::Replies => Some(messages::forms::REPLY_HERE),
            MessageAccess::Nothing => None,
        };
        below.extend(line.map(|line| small(&[line.to_owned()])));
        CardParts { below, ..CardParts::new(OPEN) }
    }

    fn decide(&self, decide: &Decide) -> CardParts {
        let mut buttons: Vec<_> = self.actions(&Action::of_request(decide)).collect();
        if matches!(self.wait.answerers, Answerers::Deciders { .. }) {
            buttons.push(transcript::open(self.wait.session));
            let url = self.cx.conversation.as_deref();
            buttons.extend(
                url.and_then(|url| components::link(url, messages::buttons::OPEN_CONVERSATION)),
            );
        }
        let mut parts = CardParts::new(OPEN);
        if self.wait.prompt.title.as_ref() != Some(&decide.request) {
            let request = said(&one_line(&decide.request), 600);
            parts.told.push(vec![components::text(&format!("**{request}**"))]);
        }
        parts.told.extend(request::facts(decide, self.cx));
        parts.below = rows(buttons);
        parts.below.extend(self.votes());
        parts
    }

    /// Who has voted so far, where several must agree.
    fn votes(&self) -> Option<Component> {
        Some(small(&[card::votes(self.wait, NAMED_VOTES)?.write(&Markdown)]))
    }

    fn confirm(&self, control: &Confirm) -> CardParts {
        let mut below = Vec::new();
        if control.danger {
            below.push(components::text(&format!("⚠️ **{}**", messages::forms::CANT_BE_UNDONE)));
        }
        below.extend(rows(self.actions(&Action::of_confirmation(control))));
        CardParts { below, ..CardParts::new(OPEN) }
    }
}

/// What tells a page from the others: of an entry what it begins with, of anything else what it asks for.
fn about(page: &Page) -> String {
    let fields = page.slots.iter().map(|slot| &slot.field);
    let mut values: Vec<String> = fields.map(|field| one_line(&shown(field))).collect();
    values.retain(|value| !is_blank(value));
    if page.entry.is_some() && !values.is_empty() {
        values.truncate(2);
        return values.join(", ");
    }
    page.slots.iter().map(|slot| one_line(&slot.field.label)).collect::<Vec<_>>().join(", ")
}

/// Whether edits of reviewed data were saved, and are not approved yet.
const fn is_edited(wait: &Wait) -> bool {
    wait.revision > FIRST_REVISION
}

/// A mark on a page of which nothing that is required is missing, and something was entered.
fn done_mark(page: &Page) -> &'static str {
    let has = |field: &Field| !is_blank(&shown(field));
    let fields = || page.slots.iter().map(|slot| &slot.field);
    if fields().any(has) && fields().all(|field| has(field) || !field.required) {
        " ✓"
    } else {
        ""
    }
}

/// Whether a question is one of yes or no: whoever would rather not answer says no.
fn has_no(choose: &Choose) -> bool {
    let ids = choose.choices.iter().map(|choice| choice.id.as_str());
    !choose.multiple && ids.eq(["yes", "no"])
}

/// Whether a menu cannot say all of a choice.
fn is_listed(choice: &Choice) -> bool {
    let more = more(choice).map_or(0, units);
    units(&choice.label) > limits::BUTTON_LABEL || more > limits::OPTION_TEXT
}

/// The choices in full, numbered, where a menu cannot say all of them.
fn list(choose: &Choose) -> Vec<Vec<Component>> {
    let long = choose.choices.iter().enumerate().filter(|(_, choice)| is_listed(choice));
    let line = |(n, choice): (usize, &Choice)| {
        let more = more(choice).map(|more| format!(": {}", said(&one_line(more), CHOICE_LINE)));
        let name = said(&one_line(choice.label.trim()), CHOICE_LINE);
        vec![components::text(&format!("{}\\. **{name}**{}", n + 1, more.unwrap_or_default()))]
    };
    long.map(line).collect()
}
