//! macos
