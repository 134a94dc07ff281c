//! Tests of world.
