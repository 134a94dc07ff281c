//! What goes into which form: Discord's hold five inputs, and no form can follow another. What is entered on one page is
//! kept in a draft until all of it is sent. Decided from the stored question and the draft alone.

use crate::{
    chat::form::{Draft, Slot, review_editor},
    gateway::discord::limits,
    messages,
    model::ui::{Form, Review},
};

/// Inputs of one form.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::gateway::discord) struct Page {
    /// For people: `Role 2`, `6 to 10`.
    pub(in crate::gateway::discord) title: String,
    /// The list and the place of the entry that it belongs to.
    pub(in crate::gateway::discord) entry: Option<(usize, usize)>,
    pub(in crate::gateway::discord) slots: Vec<Slot>,
}

/// The pages of a form: one where it fits.
pub(in crate::gateway::discord) fn of_form(form: &Form, draft: &Draft) -> Vec<Page> {
    let slots = draft.slots(form);
    let chunks = slots.chunks(limits::MODAL_COMPONENTS).enumerate();
    let page = |(n, slots): (usize, &[Slot])| {
        let first = n * limits::MODAL_COMPONENTS + 1;
        let title = messages::buttons::span(first, first + slots.len() - 1);
        Page { title, entry: None, slots: slots.to_vec() }
    };
    chunks.map(page).collect()
}

/// The pages of reviewed data: a group each, or several where a group has more inputs than fit.
pub(in crate::gateway::discord) fn of_review(review: &Review, draft: &Draft) -> Vec<Page> {
    let mut pages = Vec::new();
    for (group, slots) in draft.parts(review) {
        let entry = review_editor::entry_of(review, &group.path);
        let title = super::text::one_line(&group.title);
        let title =
            if super::text::is_blank(&title) { messages::forms::DATA.to_owned() } else { title };
        let chunks: Vec<_> = slots.chunks(limits::MODAL_COMPONENTS).collect();
        let several = chunks.len() > 1;
        for (n, slots) in chunks.into_iter().enumerate() {
            let title = if several { format!("{title} ({})", n + 1) } else { title.clone() };
            pages.push(Page { title, entry, slots: slots.to_vec() });
        }
    }
    pages
}

/// Whether all of a review goes into one form that can be sent by itself.
pub(in crate::gateway::discord) fn is_single(review: &Review, pages: &[Page]) -> bool {
    pages.len() == 1 && review.lists.is_empty()
}
