//! What a participant says of an answer of the model, whichever platform they say it on.

use metrics::counter;

use super::handler::{NotSaved, Update};
use crate::{base::ids::SessionId, model::rating::Rating};

/// Keeps what was said about the answer in a message, in place of what was said before; what comes without a reason is
/// counted as `metric` the first time.
pub(crate) async fn keep(
    update: &impl Update,
    session: SessionId,
    (message, is_good): (String, bool),
    (reason, about): (Option<&String>, &str),
    metric: &'static str,
) -> Result<(), NotSaved> {
    let (engine, outcome) = (update.engine(), if is_good { "good" } else { "bad" });
    let (at, about) = (engine.parts().clock.now(), about.to_owned());
    let rating = Rating { message, is_good, reason: reason.cloned(), about, at };
    let is_first = engine.rate(session, rating).await.map_err(|_| NotSaved)?;
    if is_first && reason.is_none() {
        counter!(metric, "outcome" => outcome).increment(1);
    }
    Ok(())
}
