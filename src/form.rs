//! What the platforms share: names of controls, forms to replies, the sheet behind an edit form, what people type,
//! conversations at a glance, words for people.
//! Pure, and without a word of any platform.

pub mod glance;
pub mod sheet;
pub mod typed;
pub mod words;

mod element;
mod fields;
mod order;
mod values;

pub use self::{
    element::Element,
    fields::{Fields, field_name, read, reply, text},
    order::Order,
    sheet::Sheet,
    values::{clip, filled, in_words, instant, labels, may_change, one, plain, shown, words_of},
    words::Words,
};
