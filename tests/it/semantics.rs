//! Tests of semantics.
