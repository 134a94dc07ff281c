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
pub struct Budget(Arc<Semaphore>);

/// The budget is used up.
#[derive(Debug, PartialEq, Eq)]
pub struct Exhausted;

impl Budget {
    /// So many bytes.
    pub fn new(bytes: usize) -> Self {
        Self(Arc::new(Semaphore::new(bytes / UNIT)))
    }

    /// A share for one request, with nothing in it yet.
    pub fn share(&self) -> Share {
        Share { budget: self.clone(), bytes: 0, taken: None }
    }
}

/// What one request has of a budget, as its body grows: what was only announced takes nothing. Dropping it gives it
/// back.
#[derive(Debug)]
pub struct Share {
    budget: Budget,
    bytes: usize,
    taken: Option<OwnedSemaphorePermit>,
}

impl Share {
    /// Makes room for further bytes, if there is some just now.
    pub(crate) fn try_grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let units = self.missing(bytes)?;
        let further = Arc::clone(&self.budget.0).try_acquire_many_owned(units);
        self.keep(bytes, further.map_err(|_| Exhausted)?);
        Ok(())
    }

    /// Makes room for further bytes, after a wait where there is none just now.
    pub async fn grow(&mut self, bytes: usize) -> Result<(), Exhausted> {
        let units = self.missing(bytes)?;
        let further = Arc::clone(&self.budget.0).acquire_many_owned(units).await;
        self.keep(bytes, further.map_err(|_| Exhausted)?);
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
        assert_eq!(budget.0.available_permits(), 4);
    }
}
