//! Tests of races.
