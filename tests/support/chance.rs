//! What a test does by chance, so that a seed repeats it, and the numbers that the environment sets.

use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// A number that the environment may set.
pub(crate) fn setting(name: &str) -> Option<u64> {
    let found = std::env::vars().find(|(key, _)| key == name);
    found.map(|(_, value)| value.parse().unwrap_or_else(|_| panic!("{name} is no number")))
}

/// Numbers by chance that a seed repeats (`SplitMix64`).
pub(crate) struct Chance(pub(crate) u64);

impl Chance {
    /// With the seed that a variable names, or a new one.
    pub(crate) fn new(variable: &str) -> Self {
        let seed = setting(variable);
        Self(seed.unwrap_or_else(|| RandomState::new().build_hasher().finish()))
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % bound
    }

    /// One of several.
    pub(crate) fn of<'a, T>(&mut self, choice: &'a [T]) -> &'a T {
        &choice[self.index(choice.len())]
    }

    /// A place in something of that length.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }
}
