//! Places for live connections: so many in all, so many for one browser, and so many on one conversation, so that
//! nobody takes all of them from the others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::limits;
use crate::{base::ids::SessionId, model::session::PersonId};

/// Counts who holds places. Cheap to clone; every clone is the same count.
#[derive(Debug, Clone, Default)]
pub struct Places(Arc<Mutex<Taken>>);

#[derive(Debug, Default)]
struct Taken {
    all: usize,
    /// Holders without a place are not kept.
    by: HashMap<Holder, usize>,
}

/// Whom a place is counted for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Holder {
    Browser(PersonId),
    Session(SessionId),
}

impl Holder {
    const fn most(&self) -> usize {
        match self {
            Self::Browser(_) => limits::LIVE_PER_BROWSER,
            Self::Session(_) => limits::LIVE_PER_SESSION,
        }
    }
}

/// Why there is no place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Full {
    /// This browser, or this conversation, has as many as it may have.
    Own,
    /// All are taken.
    All,
}

/// A place that is held; dropping it gives it back.
#[derive(Debug)]
pub struct Place {
    places: Places,
    holders: Vec<Holder>,
}

impl Places {
    /// Takes a place for a browser, named by the person at it, perhaps on a conversation.
    pub fn take(&self, browser: PersonId, session: Option<SessionId>) -> Result<Place, Full> {
        let holders: Vec<Holder> = [Some(Holder::Browser(browser)), session.map(Holder::Session)]
            .into_iter()
            .flatten()
            .collect();
        let mut taken = self.lock();
        if holders
            .iter()
            .any(|holder| taken.by.get(holder).is_some_and(|held| *held >= holder.most()))
        {
            return Err(Full::Own);
        }
        if taken.all >= limits::LIVE_MAX {
            return Err(Full::All);
        }
        taken.all += 1;
        for holder in &holders {
            *taken.by.entry(holder.clone()).or_default() += 1;
        }
        drop(taken);
        Ok(Place { places: self.clone(), holders })
    }

    /// How many are held.
    pub fn taken(&self) -> usize {
        self.lock().all
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Nothing panics while counting.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut taken = self.places.lock();
        taken.all = taken.all.saturating_sub(1);
        for holder in &self.holders {
            if let Some(held) = taken.by.get_mut(holder) {
                *held -= 1;
                if *held == 0 {
                    taken.by.remove(holder);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::RandomIds;

    fn browser(n: usize) -> PersonId {
        PersonId::web(format!("browser-{n}"))
    }

    #[test]
    fn one_browser_leaves_places_for_others() {
        let places = Places::default();
        let mut held: Vec<Place> =
            (0..limits::LIVE_PER_BROWSER).map(|_| places.take(browser(0), None).unwrap()).collect();
        assert_eq!(places.take(browser(0), None).unwrap_err(), Full::Own);
        drop(places.take(browser(1), None).unwrap());
        held.pop();
        held.push(places.take(browser(0), None).unwrap());
        drop(held);
        assert!(places.lock().by.is_empty() && places.lock().all == 0, "nothing is remembered");
    }

    #[test]
    fn one_conversation_leaves_places_for_others() {
        let places = Places::default();
        let (busy, quiet) = (SessionId::mint(&RandomIds), SessionId::mint(&RandomIds));
        let _held: Vec<Place> = (0..limits::LIVE_PER_SESSION)
            .map(|n| places.take(browser(n), Some(busy)).unwrap())
            .collect();
        assert_eq!(places.take(browser(1_000), Some(busy)).unwrap_err(), Full::Own);
        drop(places.take(browser(1_000), Some(quiet)).unwrap());
        assert_eq!(
            places.lock().by.len(),
            limits::LIVE_PER_SESSION + 1,
            "a refused browser holds nothing"
        );
    }

    #[test]
    fn all_together_have_a_bound() {
        let places = Places::default();
        let _held: Vec<Place> =
            (0..limits::LIVE_MAX).map(|n| places.take(browser(n), None).unwrap()).collect();
        assert_eq!(places.take(browser(limits::LIVE_MAX), None).unwrap_err(), Full::All);
    }
}
