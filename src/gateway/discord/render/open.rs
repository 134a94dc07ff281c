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
    text::{clip, is_blank, one_line, said, units},
};
use crate::{
    chat::{
        card::{self, Action, Data, Emphasis, Takes},
        form::{ComponentId, shown},
    },
    gateway::discord::{limits, transcript},
    messages,
    model::{
        ui::{Choice, Choose, Confirm, Control, Decide, Field, Form, Review, Upload},
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

/// Begins the action of a button that asks before it acts.
pub(super) const SURE: &str = "sure.";

/// What there is to read about a question that is open, and what is pressed under it.
pub(super) fn render(wait: &Wait, question: &card::Open<'_>, cx: &Cx) -> CardParts {
    let open = Open { wait, cx, actions: &question.actions };
    match &wait.prompt.control {
        Control::Choose(choose) => open.choose(choose),
        Control::Form(form) => open.fill(form, &question.data),
        Control::Review(review) => open.review(review, question),
        Control::Upload(upload) => open.send_files(upload),
        Control::Ask(_) => open.write(),
        Control::Decide(decide) => open.decide(decide, question.request.as_deref()),
        Control::Confirm(confirm) => open.confirm(confirm),
    }
}

struct Open<'a> {
    wait: &'a Wait,
    cx: &'a Cx,
    actions: &'a [Action],
}

/// A button. One that is to be asked about opens that question.
pub(super) fn button(wait: &Wait, action: &Action) -> CreateButton {
    let sure = if action.sure.is_some() { SURE } else { "" };
    let id = ComponentId::id(wait.id, wait.revision, &format!("{sure}{}", action.name));
    match action.emphasis {
        Emphasis::None => components::button(id, &action.label),
        Emphasis::Primary => primary(id, &action.label),
        Emphasis::Positive => success(id, &action.label),
        Emphasis::Danger => danger(id, &action.label),
    }
}

impl Open<'_> {
    fn id(&self, action: &str) -> String {
        ComponentId::id(self.wait.id, self.wait.revision, action)
    }

    fn button(&self, action: &Action) -> CreateButton {
        button(self.wait, action)
    }

    /// A button for each action; what takes something opens a form for it.
    fn openers(&self) -> impl Iterator<Item = CreateButton> {
        self.actions.iter().map(|action| self.button(&action.opener()))
    }

    fn choose(&self, choose: &Choose) -> CardParts {
        let choices = &choose.choices;
        let count = choices.len();
        let is_skip = |action: &&Action| action.takes != Takes::Picks && !has_no(choose);
        let skip = self.actions.iter().filter(is_skip).map(|action| self.button(action));
        let is_plain = |choice: &Choice| {
            units(&choice.label) <= limits::BUTTON_LABEL - 4 && more(choice).is_none()
        };
        let mut parts = CardParts::new(OPEN);
        if !choose.multiple && count <= limits::BUTTONS_MAX && choices.iter().all(is_plain) {
            let pick = |(n, choice): (usize, &Choice)| {
                self.button(&Action::pick(n, choice, &label(n, choice)))
            };
            parts.below = rows(choices.iter().enumerate().map(pick).chain(skip));
            return parts;
        }
        parts.told = list(choose);
        let takes_picks = |action: &&Action| action.takes == Takes::Picks;
        let mut done = self.actions.iter().filter(takes_picks);
        if count <= limits::MENU_CHOICES {
            parts.below = self.menus(choose);
            // Where something must be picked, nothing can be sent before it is.
            let is_empty = messages::answers::picks(choose, self.cx.draft.picked().len()).is_some();
            let done = done.find(|_| choose.multiple);
            let done = done.map(|action| self.button(action).disabled(is_empty));
            parts.below.extend(rows(done.into_iter().chain(skip)));
        } else {
            let open = done.map(|action| self.button(&action.opener()));
            parts.below = rows(open.chain(skip));
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

    fn fill(&self, form: &Form, entered: &Data<'_>) -> CardParts {
        let pages = pages::of_form(form, &self.cx.draft);
        let mut parts = CardParts::new(OPEN);
        if self.cx.draft.typed.is_empty() {
            parts.told.push(vec![small(&[said(&card::to_fill_in(form), 400)])]);
        }
        if pages.len() <= 1 {
            parts.below = rows(self.openers());
            return parts;
        }
        if let (false, Data::Fields(fields)) = (self.cx.draft.typed.is_empty(), entered) {
            parts.told.extend(review::lines(messages::forms::ENTERED_SO_FAR, fields, false));
        }
        if pages.len() <= PAGE_BUTTONS {
            let button = |(n, page): (usize, &Page)| {
                let label =
                    format!("{}{}", messages::buttons::fill_in(&page.title), done_mark(page));
                components::button(self.id(&format!("open.{n}")), &label)
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
        parts.below.extend(rows(self.actions.iter().map(|action| self.button(action))));
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

    fn review(&self, review: &Review, question: &card::Open<'_>) -> CardParts {
        let draft = &self.cx.draft;
        let pages = pages::of_review(review, draft);
        let mut parts = CardParts::new(OPEN);
        let blank = question.is_untouched;
        if let (false, Data::Groups(_, groups)) = (blank, &question.data) {
            parts.told = review::table(&self.wait.prompt, groups, true);
        }
        let is_single = pages::is_single(review, &pages);
        if !is_single {
            let words = if blank {
                messages::buttons::FILL_IN_WHICH
            } else {
                messages::buttons::EDIT_WHICH
            };
            parts.below = self.page_menus("edit", words, &pages, EDIT_MENUS);
            parts.below.extend(self.arranging(review));
        }
        let mut fields = pages.iter().flat_map(|page| &page.slots).map(|slot| &slot.field);
        let buttons = self.actions.iter().filter_map(|action| {
            if action.takes != Takes::Fields {
                return Some(self.button(action));
            }
            if is_single {
                let quiet = Action { emphasis: Emphasis::None, ..action.opener() };
                return Some(self.button(&quiet));
            }
            // A form of one page can be sent as it is; of several, nobody would be asked for what they leave out.
            let label = messages::buttons::LEAVE_EMPTY;
            (blank && !fields.any(|field| field.required))
                .then(|| components::button(self.id("approve"), label))
        });
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

    fn send_files(&self, upload: &Upload) -> CardParts {
        let line = said(&accepted(upload, self.cx.file_max), 400);
        let mut below = rows(self.openers());
        below.push(small(&[line, messages::forms::UPLOAD_COMMAND.to_owned()]));
        CardParts { below, ..CardParts::new(OPEN) }
    }

    fn write(&self) -> CardParts {
        let mut below = rows(self.openers());
        let line = match self.cx.message_access {
            MessageAccess::All => Some(messages::forms::TYPE_HERE),
            MessageAccess::Replies => Some(messages::forms::REPLY_HERE),
            MessageAccess::Nothing => None,
        };
        below.extend(line.map(|line| small(&[line.to_owned()])));
        CardParts { below, ..CardParts::new(OPEN) }
    }

    fn decide(&self, decide: &Decide, request: Option<&str>) -> CardParts {
        let mut buttons: Vec<_> = self.openers().collect();
        if matches!(self.wait.answerers, Answerers::Deciders { .. }) {
            buttons.push(transcript::open(self.wait.session));
            let url = self.cx.conversation.as_deref();
            buttons.extend(
                url.and_then(|url| components::link(url, messages::buttons::OPEN_CONVERSATION)),
            );
        }
        let mut parts = CardParts::new(OPEN);
        parts.told.extend(request.map(|request| {
            vec![components::text(&format!("**{}**", said(&one_line(request), 600)))]
        }));
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
        below.extend(rows(self.openers()));
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
