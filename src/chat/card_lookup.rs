//! Finds the cards of questions.

use crate::{
    base::ids::WaitId,
    chat::message_index::MessageRef,
    model::wait::Answerers,
    session::State,
    store::{self, Store},
};

/// The card of a question in a channel.
pub(crate) async fn card_in(
    store: &dyn Store,
    wait: WaitId,
    channel: &str,
) -> Result<Option<MessageRef>, store::Error> {
    let found = store.wait(wait).await?;
    let shown = found.into_iter().flat_map(|(_, shown)| shown);
    let mut spots = shown.filter_map(|rendering| MessageRef::parse(&rendering.message));
    Ok(spots.find(|spot| spot.channel == channel))
}

/// The card of a request that is open in the channel of an alias: what is said about it stands there.
pub(crate) async fn open_request(
    store: &dyn Store,
    state: &State,
    alias: &str,
    channel: &str,
) -> Result<Option<(WaitId, MessageRef)>, store::Error> {
    for wait in state.pending() {
        if matches!(&wait.answerers, Answerers::Deciders { alias: own, .. } if own == alias)
            && let Some(spot) = card_in(store, wait.id, channel).await?
        {
            return Ok(Some((wait.id, spot)));
        }
    }
    Ok(None)
}
