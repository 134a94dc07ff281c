//! Tests of interview.
