//! A copy of everything about one session.
