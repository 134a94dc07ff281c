//! What the platforms share: names of controls, forms to replies, the sheet behind an edit form, what people type and
//! what of it is heard, conversations at a glance, words for people.
//! Pure, and without a word of any platform.

pub mod glance;
pub mod sheet;
pub mod typed;
pub mod words;

mod complaint;
mod denial;
mod draft;
mod element;
mod entered;
mod fields;
mod given;
mod heard;
mod links;
mod measure;
mod order;
mod values;

pub use self::{
    complaint::complaint,
    denial::{DenialForm, is_scripted, note_label, starting_over, words_went_to},
    draft::{Draft, Slot, growing},
    element::Element,
    entered::{kept, named, picked, text_of, words_to_values, yes_or_no},
    fields::{Fields, field_name, read, reply, text},
    given::{Given, remark},
    heard::Hears,
    links::agrees,
    measure::{Measure, is_blank},
    order::Order,
    sheet::Sheet,
    values::{
        clip, filled, in_words, instant, labels, may_answer_anew, may_change, one_line, plain,
        shown, words_of,
    },
    words::Words,
};
pub use crate::model::text::one;
