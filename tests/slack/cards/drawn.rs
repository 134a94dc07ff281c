//! Each control as people read it.
