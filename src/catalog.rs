//! Every tool, in documentation order.

pub mod interview;
