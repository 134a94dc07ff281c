//! What a participant says of an answer of the model, whichever platform they say it on.

use metrics::counter;

use crate::{
    base::ids::SessionId,
    engine::{self, Engine},
    model::rating::Rating,
};

/// Keeps a rating in place of an earlier one of the same answer; one without a reason is counted as `metric` the first
/// time.
pub async fn keep(
    engine: &Engine,
    session: SessionId,
    rating: Rating,
    metric: &'static str,
) -> Result<(), engine::Error> {
    let outcome = if rating.is_good { "good" } else { "bad" };
    let is_explained = rating.reason.is_some();
    if engine.rate(session, rating).await? && !is_explained {
        counter!(metric, "outcome" => outcome).increment(1);
    }
    Ok(())
}
