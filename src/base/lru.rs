//! Caches that correctness depends on: what was put in last is there.

use std::hash::Hash;

use moka::{
    policy::EvictionPolicy,
    sync::{Cache, CacheBuilder},
};

/// A cache that forgets what was used longest ago once it is full. Moka's own way is to refuse what is new in favour of what
/// was asked for more often, which forgets at once what something is to be remembered by.
pub(crate) fn lru<K, V>(most: u64) -> CacheBuilder<K, V, Cache<K, V>>
where
    K: Eq + Hash + Send + Sync + 'static,
    V: Clone + Send + Sync + 'static,
{
    Cache::builder().max_capacity(most).eviction_policy(EvictionPolicy::lru())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_new_is_remembered_however_often_all_else_was_asked_for() {
        const MOST: u64 = 100;
        let cache = lru(MOST).build();
        for n in 0..MOST {
            cache.insert(n, ());
            for _ in 0..20 {
                _ = cache.get(&n);
            }
        }
        cache.run_pending_tasks();
        cache.insert(MOST, ());
        cache.run_pending_tasks();
        assert!(cache.contains_key(&MOST), "the newest");
        assert!(!cache.contains_key(&0), "what was used longest ago");
        assert_eq!(cache.entry_count(), MOST);
    }
}
