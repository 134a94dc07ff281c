//! What was used lately, within a bound.

use std::{
    borrow::Borrow,
    collections::HashMap,
    fmt,
    hash::Hash,
    mem,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

/// A cache of two generations: what is used joins the younger one, and once that is full or has been there for long it
/// becomes the older one, which is forgotten. So what was put in last is always there, and what nobody has asked for
/// since goes. A turn asks a dozen times, which is why this counts nothing and has no work to do in the background.
pub(crate) struct Recent<K, V> {
    generations: Mutex<Generations<K, V>>,
    /// Weight that makes a generation full.
    full: u64,
    /// Age at which a generation ends.
    age_max: Duration,
}

struct Generations<K, V> {
    young: HashMap<K, Weighed<V>>,
    old: HashMap<K, Weighed<V>>,
    /// Of the younger one.
    weight: u64,
    /// When the younger one began.
    since: Instant,
}

struct Weighed<V> {
    value: V,
    weight: u32,
}

impl<K: Hash + Eq, V> Recent<K, V> {
    /// A cache that holds what weighs `most` together, and the last value whatever it weighs.
    pub(crate) fn new(most: u64) -> Self {
        Self::with_age(most, Duration::MAX)
    }

    /// A cache that also forgets what nobody has asked for during `idle`, at the latest after twice that time.
    pub(crate) fn with_age(most: u64, idle: Duration) -> Self {
        let (young, old) = (HashMap::new(), HashMap::new());
        let generations = Generations { young, old, weight: 0, since: Instant::now() };
        Self { generations: Mutex::new(generations), full: most / 2, age_max: idle }
    }

    /// The value under a key, which counts as used.
    pub(crate) fn get<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        V: Clone,
    {
        let mut generations = self.generations();
        if let Some(known) = generations.young.get(key) {
            return Some(known.value.clone());
        }
        let (key, known) = generations.old.remove_entry(key)?;
        let value = known.value.clone();
        let forgotten = self.put(&mut generations, key, known);
        drop(generations);
        drop(forgotten);
        Some(value)
    }

    /// Puts a value under a key; `weight` is what it takes of the bound.
    pub(crate) fn insert(&self, key: K, value: V, weight: u32) {
        let mut generations = self.generations();
        let forgotten = self.put(&mut generations, key, Weighed { value, weight });
        drop(generations);
        // Dropped without the lock, because that can take long.
        drop(forgotten);
    }

    /// Whether there is a value under a key, which counts as used.
    pub(crate) fn contains<Q>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
        V: Clone,
    {
        self.get(key).is_some()
    }

    /// Takes out what is under a key.
    pub(crate) fn remove<Q>(&self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Hash + Eq + ?Sized,
    {
        let mut generations = self.generations();
        let Some(known) = generations.young.remove(key) else {
            return generations.old.remove(key).map(|known| known.value);
        };
        debug_assert!(!generations.old.contains_key(key), "a key is in one generation");
        generations.weight -= u64::from(known.weight);
        Some(known.value)
    }

    /// Forgets what is not to be kept. It looks at everything.
    pub(crate) fn retain(&self, keep: impl Fn(&V) -> bool) {
        let mut generations = self.generations();
        generations.old.retain(|_, known| keep(&known.value));
        let Generations { young, weight, .. } = &mut *generations;
        young.retain(|_, known| {
            let is_kept = keep(&known.value);
            *weight -= if is_kept { 0 } else { u64::from(known.weight) };
            is_kept
        });
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let mut generations = self.generations();
        generations.weight = 0;
        let forgotten = (mem::take(&mut generations.young), mem::take(&mut generations.old));
        drop(generations);
        drop(forgotten);
    }

    /// Lets go of what nobody has asked for lately.
    pub(crate) fn tidy(&self) {
        let mut generations = self.generations();
        let forgotten = self.age(&mut generations);
        drop(generations);
        drop(forgotten);
    }

    /// Puts a value into the younger generation; what is forgotten for it: a whole generation, and the value before it.
    fn put(
        &self,
        generations: &mut Generations<K, V>,
        key: K,
        known: Weighed<V>,
    ) -> (HashMap<K, Weighed<V>>, Option<Weighed<V>>) {
        let forgotten = self.age(generations);
        // Only now: what was in the younger generation may just have become the older one.
        let aged = generations.old.remove(&key);
        generations.weight += u64::from(known.weight);
        let before = generations.young.insert(key, known);
        generations.weight -= before.as_ref().map_or(0, |before| u64::from(before.weight));
        (forgotten, aged.or(before))
    }

    /// Begins a new generation if the younger one is full or old; the one that is forgotten.
    fn age(&self, generations: &mut Generations<K, V>) -> HashMap<K, Weighed<V>> {
        let is_full = generations.weight >= self.full && !generations.young.is_empty();
        if !is_full && generations.since.elapsed() < self.age_max {
            return HashMap::new();
        }
        generations.weight = 0;
        generations.since = Instant::now();
        let young = mem::take(&mut generations.young);
        mem::replace(&mut generations.old, young)
    }

    fn generations(&self) -> MutexGuard<'_, Generations<K, V>> {
        self.generations.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K, V> fmt::Debug for Recent<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recent").field("full", &self.full).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use proptest::{collection::vec, prelude::*};

    use super::*;

    #[test]
    fn what_is_new_or_used_is_there_and_what_was_used_longest_ago_is_not() {
        let cache = Recent::new(100);
        for n in 0..1_000 {
            cache.insert(n, n, 1);
            assert_eq!(cache.get(&0), Some(0), "it is asked for all the time ({n})");
        }
        assert!((950..1_000).all(|key| cache.generations().has(key)), "the newest");
        assert_eq!((cache.get(&1), cache.get(&700)), (None, None));
    }

    #[test]
    fn values_that_weigh_much_take_the_place_of_many() {
        let cache = Recent::new(100);
        for n in 0..10 {
            cache.insert(n, "light", 1);
        }
        cache.insert(10, "heavy", 1_000);
        assert_eq!(cache.get(&10), Some("heavy"));
        assert_eq!(cache.get(&0), Some("light"), "they are the older generation now");
        cache.insert(11, "heavy", 1_000);
        cache.insert(12, "heavy", 1_000);
        assert_eq!((cache.get(&0), cache.get(&9)), (None, None));
        assert_eq!(cache.get(&12), Some("heavy"));
    }

    #[test]
    fn what_is_put_in_anew_weighs_once() {
        let cache = Recent::new(100);
        cache.insert(0, 0, 1);
        for n in 1..1_000 {
            cache.insert(1, n, 40);
        }
        assert_eq!((cache.get(&0), cache.get(&1)), (Some(0), Some(999)));
        cache.clear();
        assert_eq!((cache.get(&0), cache.get(&1)), (None, None));
    }

    #[test]
    fn what_nobody_asks_for_is_forgotten_in_time() {
        let cache = Recent::with_age(100, Duration::ZERO);
        cache.insert(0, 0, 1);
        cache.tidy();
        assert_eq!(cache.get(&0), Some(0), "once it was used again");
        cache.tidy();
        cache.tidy();
        assert_eq!(cache.get(&0), None);
    }

    #[test]
    fn a_value_is_gone_once_another_took_its_place_also_where_that_began_a_generation() {
        let cache = Recent::new(2);
        cache.insert(0, "asked", 1);
        cache.insert(0, "answered", 1);
        assert_eq!(cache.remove(&0), Some("answered"));
        assert_eq!(cache.get(&0), None);
    }

    #[derive(Debug, Clone)]
    enum Use {
        Insert(u8, u32),
        Get(u8),
        Remove(u8),
        Tidy,
    }

    fn uses() -> impl Strategy<Value = Use> {
        prop_oneof![
            4 => (0..4_u8, 1..4_u32).prop_map(|(key, weight)| Use::Insert(key, weight)),
            3 => (0..4_u8).prop_map(Use::Get),
            1 => (0..4_u8).prop_map(Use::Remove),
            1 => Just(Use::Tidy),
        ]
    }

    proptest! {
        #[test]
        fn what_is_there_is_what_was_put_in_last(
            uses in vec(uses(), 1..60),
            is_old_at_once in any::<bool>(),
        ) {
            let idle = if is_old_at_once { Duration::ZERO } else { Duration::MAX };
            let (cache, mut last) = (Recent::with_age(6, idle), HashMap::new());
            for (n, used) in uses.into_iter().enumerate() {
                match used {
                    Use::Insert(key, weight) => {
                        cache.insert(key, n, weight);
                        last.insert(key, n);
                        prop_assert_eq!(cache.get(&key), Some(n));
                    }
                    Use::Get(key) => {
                        let found = cache.get(&key);
                        prop_assert!(found.is_none() || found.as_ref() == last.get(&key));
                    }
                    Use::Remove(key) => {
                        cache.remove(&key);
                        last.remove(&key);
                    }
                    Use::Tidy => cache.tidy(),
                }
            }
        }
    }

    #[test]
    fn what_is_taken_out_weighs_nothing() {
        let cache = Recent::new(100);
        for n in 0..1_000 {
            cache.insert(n % 40, n, 1);
            assert_eq!(cache.remove(&(n % 40)), Some(n));
        }
        (0..40).for_each(|n| cache.insert(n, n, 1));
        cache.retain(|n| n % 4 == 0);
        assert_eq!(cache.generations().weight, 10);
        assert_eq!((cache.get(&4), cache.get(&5)), (Some(4), None));
    }

    impl Generations<i32, i32> {
        fn has(&self, key: i32) -> bool {
            self.young.contains_key(&key) || self.old.contains_key(&key)
        }
    }
}
