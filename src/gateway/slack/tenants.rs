//! Workspaces and their tokens.
