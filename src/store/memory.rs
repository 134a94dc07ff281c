//! In memory, for tests.
