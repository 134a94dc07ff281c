//! What stands for a participant without a name.

use super::capitalised;

/// Within a sentence about somebody of whom nothing is known yet.
pub(crate) const A_PARTICIPANT: &str = "a participant";
/// Within a sentence about somebody who is known from what stands around it.
pub(crate) const THE_PARTICIPANT: &str = "the participant";

/// A name at the beginning of a sentence or line: only what stands for one gets a capital there.
pub(crate) fn at_beginning(name: &str) -> String {
    match name {
        A_PARTICIPANT | THE_PARTICIPANT => capitalised(name),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_stands_for_a_name_gets_a_capital() {
        assert_eq!(at_beginning(A_PARTICIPANT), "A participant");
        assert_eq!(at_beginning("danah boyd"), "danah boyd");
    }
}
