//! Memory for the bodies of requests, all together.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What each request may keep without asking, in bytes: what people type and press fits many times over. The number of
/// connections bounds it. So nobody who sends much can keep out those who send little.
const FREE: usize = 64 * 1024;

/// The budget's unit, in bytes.
const UNIT: usize = 1024;

/// Bytes that long bodies may take together.
#[derive(Debug, Clone)]
pub struct Budget {
    units: Arc<Semaphore>,
    /// For one body at a time that goes beyond them.
    beyond: Arc<Semaphore>,
}

/// The budget is used up.
#[derive(Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Budget {
    /// So many bytes.
    pub fn new(bytes: usize) -> Self {
        Self { units: Arc::new(Semaphore::new(bytes / UNIT)), beyond: Arc::new(Semaphore::new(1)) }
    }

    /// A share for one request, with nothing in it yet.
    pub fn share(&self) -> Share {
        Share { budget: self.clone(), bytes: 0, taken: None, beyond: None }
    }
}

/// What one request has of a budget, as its body grows: what was only announced takes nothing. Dropping it gives it
/// back.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    bytes: usize,
    taken: Option<OwnedSemaphorePermit>,
    /// It is the one that goes beyond the budget.
    beyond: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Makes room for further bytes, if there is some just now.
    pub(crate) fn try_grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let units = self.missing(bytes)?;
        let further = Arc::clone(&self.budget.units).try_acquire_many_owned(units);
        self.keep(bytes, further.map_err(|_| Exhausted)?);
        Ok(())
    }

    /// Makes room for further bytes, after a wait where there is none just now. All who have a part of the budget already
    /// could wait for one another, so one of them after the other goes beyond it until the end of its body, whose length
    /// others bound.
    pub async fn grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        if self.beyond.is_some() || self.try_grow(bytes).is_ok() {
            return Ok(());
        }
        let units = self.missing(bytes)?;
        let has_some = self.taken.as_ref().is_some_and(|taken| taken.num_permits() > 0);
        let further = Arc::clone(&self.budget.units).acquire_many_owned(units);
        let beyond = Arc::clone(&self.budget.beyond).acquire_owned();
        tokio::select! {
            further = further => self.keep(bytes, further.map_err(|_| Exhausted)?),
            beyond = beyond, if has_some => self.beyond = Some(beyond.map_err(|_| Exhausted)?),
        }
        Ok(())
    }

    /// What has to be taken from the budget for further bytes.
    fn missing(&self, bytes: usize) -> Result<u32, Exhausted> {
        let wanted = (self.bytes + bytes).saturating_sub(FREE).div_ceil(UNIT);
        let taken = self.taken.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        u32::try_from(wanted.saturating_sub(taken)).map_err(|_| Exhausted)
    }

    fn keep(&mut self, bytes: usize, further: OwnedSemaphorePermit) {
        self.bytes += bytes;
        match &mut self.taken {
            Some(taken) => taken.merge(further),
            None => self.taken = Some(further),
        }
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[test]
    fn budget_leaves_room_for_short_bodies_when_long_ones_have_used_it_up() {
        let budget = Budget::new(10 * UNIT);
        let (mut long, mut short) = (budget.share(), budget.share());
        assert_eq!(long.try_grow(FREE + 10 * UNIT), Ok(()));
        assert_eq!(long.try_grow(1), Err(Exhausted));
        assert_eq!(short.try_grow(FREE), Ok(()));
        assert_eq!(short.try_grow(1), Err(Exhausted));
        drop(long);
        assert_eq!(short.try_grow(1), Ok(()));
    }

    #[tokio::test]
    async fn bodies_that_have_used_up_the_budget_together_come_to_their_ends_one_by_one() {
        let budget = Budget::new(10 * UNIT);
        let (mut one, mut other, mut third) = (budget.share(), budget.share(), budget.share());
        assert_eq!(one.grow(FREE + 5 * UNIT).await, Ok(()));
        assert_eq!(other.grow(FREE + 5 * UNIT).await, Ok(()));
        assert_eq!(one.grow(UNIT).await, Ok(()), "nobody else could make room");
        assert_eq!(one.grow(UNIT).await, Ok(()));
        assert_eq!(other.grow(UNIT).now_or_never(), None);
        assert_eq!(third.grow(FREE + UNIT).now_or_never(), None, "it has nothing yet");
        drop(other);
        assert_eq!(third.grow(FREE + 2 * UNIT).await, Ok(()));
        assert_eq!(third.grow(3 * UNIT).await, Ok(()), "there is room, though one goes beyond it");
        assert_eq!(third.grow(UNIT).now_or_never(), None);
        drop(one);
        assert_eq!(third.grow(20 * UNIT).await, Ok(()), "it goes beyond the budget");
    }

    #[test]
    fn share_takes_each_unit_once_when_a_body_grows_in_small_pieces() {
        let budget = Budget::new(4 * UNIT);
        let mut share = budget.share();
        assert_eq!(share.try_grow(FREE), Ok(()));
        for _ in 0..4 * UNIT {
            assert_eq!(share.try_grow(1), Ok(()));
        }
        assert_eq!(share.try_grow(1), Err(Exhausted));
        drop(share);
        assert_eq!(budget.units.available_permits(), 4);
    }
}
