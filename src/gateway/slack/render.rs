//! Questions and messages as Block Kit. Pure.
