//! What the platforms share: names of controls, forms to replies, the sheet behind an edit form, what people type and
//! what of it can be read, conversations at a glance, words for people.
//! Pure, and without a word of any platform.

pub mod overview;
pub mod review_editor;
pub mod typed;
pub mod words;

mod answer_summary;
mod component_id;
mod denial;
mod draft;
mod field_errors;
mod fields;
mod input;
mod links;
mod message_access;
mod staff_action;
mod text_length;
mod values;

pub use self::{
    answer_summary::{AnswerSummary, remark},
    component_id::ComponentId,
    denial::{DenialForm, is_scripted},
    draft::{Draft, Slot, growing},
    field_errors::{complaint, complaints},
    fields::{Fields, field_name, read, reply, text},
    input::{kept, named, picked, text_of, words_to_values, yes_or_no},
    links::agrees,
    message_access::MessageAccess,
    review_editor::Sheet,
    staff_action::StaffAction,
    text_length::{Measure, is_blank},
    values::{
        clip, filled, in_words, instant, labels, may_answer_anew, may_change, one_line, plain,
        shown, words_of,
    },
};
pub use crate::model::text::one;
