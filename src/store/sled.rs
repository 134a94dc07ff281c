//! Embedded, on one node.
