//! Tests of contacts.
