//! What an operator does.
