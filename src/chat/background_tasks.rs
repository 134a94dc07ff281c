//! What is said or shown after an acknowledgement.

use std::{sync::Arc, time::Duration};

use tokio::sync::Semaphore;
use tokio_util::task::TaskTracker;

use crate::model::session::Platform;

/// Tasks at one time; more are left out, and said so in the log.
const TASKS_MAX: usize = 1_000;

/// Tasks that begin once the platform has its acknowledgement. A crash forgets them, so nothing that must not be lost
/// is done so.
#[derive(Debug)]
pub struct Afterwards {
    platform: Platform,
    /// Longest time for a task.
    limit: Duration,
    tasks: TaskTracker,
    room: Arc<Semaphore>,
}

impl Afterwards {
    /// Begins with no task in progress; a task that takes longer than `limit` is given up.
    pub fn new(platform: Platform, limit: Duration) -> Self {
        let room = Arc::new(Semaphore::new(TASKS_MAX));
        Self { platform, limit, tasks: TaskTracker::new(), room }
    }

    /// Begins a task, or leaves it out where too much is going on.
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.spawn_longer(Duration::ZERO, task);
    }

    /// Like [`Self::spawn`], for a task with a part that ends by itself within `part`.
    pub fn spawn_longer(&self, part: Duration, task: impl Future<Output = ()> + Send + 'static) {
        let platform = self.platform;
        let Ok(permit) = Arc::clone(&self.room).try_acquire_owned() else {
            tracing::warn!(%platform, "too much is going on: something was not said or shown");
            return;
        };
        let limited = tokio::time::timeout(self.limit + part, task);
        self.tasks.spawn(async move {
            let done = limited.await;
            drop(permit);
            if done.is_err() {
                tracing::warn!(%platform, "saying or showing something took too long and was given up");
            }
        });
    }

    /// Begins a task that goes over every conversation, however long that takes and however much is going on.
    pub(crate) fn spawn_whole(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn(task);
    }

    /// Resolves when nothing is in flight, for good.
    pub async fn finish(&self) {
        self.tasks.close();
        self.tasks.wait().await;
    }

    /// Resolves when nothing is in flight; more may begin afterwards.
    pub async fn settle_down(&self) {
        self.finish().await;
        self.tasks.reopen();
    }
}
