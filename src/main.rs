//! The `anteroom` command.

fn main() {}
