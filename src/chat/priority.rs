//! The priority of the effect that is being delivered, for the rate limiters far below.
//!
//! It belongs to the task, as a span does: what a delivery spawns is of normal priority again.

use crate::model::effect::Priority;

tokio::task_local! {
    static CURRENT: Priority;
}

/// Does `work` with a priority.
///
/// ```
/// use anteroom::{chat::priority, model::effect::Priority};
/// # tokio::runtime::Builder::new_current_thread().build()?.block_on(async {
/// assert_eq!(priority::current(), Priority::Normal);
/// let within = priority::with(Priority::Background, async { priority::current() });
/// assert_eq!(within.await, Priority::Background);
/// # });
/// # Ok::<(), std::io::Error>(())
/// ```
pub async fn with<Work: Future>(priority: Priority, work: Work) -> Work::Output {
    CURRENT.scope(priority, work).await
}

/// The priority of what is being done.
pub fn current() -> Priority {
    CURRENT.try_with(|priority| *priority).unwrap_or_default()
}
