//! Where something for the team stands: under the card of the request that it is about, else in the thread about the
//! conversation.

use super::{
    card_lookup,
    courier::{Attempt, Courier, Delivered},
    message_index::{Mark, MessageRef, Role},
};

/// A message of the team's, and what stands under it.
#[derive(Debug)]
pub struct TeamThread {
    /// The message.
    pub head: MessageRef,
    /// It is the card of a request that is open.
    pub is_about_request: bool,
    /// Something can be posted under it; else it must stand in its channel.
    pub takes_replies: bool,
}

/// Where the team reads about a session in the channel of an alias; begun where there is no such message yet.
pub async fn team_thread<C: Courier>(
    courier: &C,
    alias: &str,
) -> Delivered<TeamThread, C::Failure> {
    let channel = courier.channel_of(alias)?;
    let look = courier.look().await?;
    let Attempt { effect, engine, index, .. } = courier.attempt();
    let session = effect.session;
    if !effect.is_of_hand_over() {
        let store = &*engine.parts().store;
        let open = card_lookup::open_request(store, &look.state, alias, &channel).await?;
        if let Some((wait, head)) = open
            && courier.takes_replies(&head, Role::Request(wait)).await?
        {
            return Ok(TeamThread { head, is_about_request: true, takes_replies: true });
        }
    }
    let mark = Mark::Staff(&channel);
    let known = index.marked(session, mark).await?;
    let is_new = known.is_none();
    let head = match known {
        Some(head) => head,
        None => courier.post_head(&channel, &look).await?,
    };
    let takes_replies = courier.takes_replies(&head, Role::Staff).await?;
    if is_new {
        courier.belongs(&head, Role::Staff).await?;
        index.mark(session, mark, &head).await?;
    }
    Ok(TeamThread { head, is_about_request: false, takes_replies })
}
