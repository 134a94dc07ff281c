//! Files that lie on a platform, on their way into a conversation.

use crate::{
    base::ids::WaitId,
    chat::form::words,
    engine::{self, Engine, Inbound, InboundKind},
    messages,
    model::{
        artifact::{Artifact, Offer},
        effect::Effect,
    },
    session::Responder,
};

/// Failed attempts after which fetching a file is given up.
const ATTEMPTS_MAX: u32 = 5;

/// Why there is no file; the words are for the person who sent it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotFetched {
    /// It cannot be had.
    #[error("{0}")]
    Refused(String),
    /// Not just now; the same file may be asked for again.
    #[error("{0}")]
    Later(String),
}

/// What files of an effect have become: kept ones, and what there is to say about the others.
#[derive(Debug)]
pub struct Fetched<'a> {
    engine: &'a Engine,
    effect: &'a Effect,
    wait: Option<WaitId>,
    kept: Vec<Artifact>,
    refused: Vec<String>,
}

impl<'a> Fetched<'a> {
    /// Nothing yet; `wait` is the question that they answer, where it is known.
    pub const fn new(engine: &'a Engine, effect: &'a Effect, wait: Option<WaitId>) -> Self {
        Self { engine, effect, wait, kept: Vec::new(), refused: Vec::new() }
    }

    /// Keeps a file, or what there is to say about it; false where the whole effect is to be tried again. Files that
    /// were kept before lie where they did then.
    pub async fn keep(
        &mut self,
        offer: &Offer,
        fetched: Result<Vec<u8>, NotFetched>,
    ) -> Result<bool, engine::Error> {
        match fetched {
            Ok(bytes) => {
                let session = self.effect.session;
                match self.engine.keep_file(session, self.wait, &offer.name, bytes).await? {
                    Ok(artifact) => self.kept.push(artifact),
                    Err(why) => self.refused.push(why),
                }
            }
            Err(NotFetched::Refused(why)) => self.refused.push(why),
            Err(NotFetched::Later(_)) if self.effect.attempts < ATTEMPTS_MAX => return Ok(false),
            Err(NotFetched::Later(why)) => {
                self.refused.push(messages::notices::send_once_more(&why, &offer.name));
            }
        }
        Ok(true)
    }

    /// Hands in what was kept, once for an effect, and tells what there is to say about the rest.
    pub(crate) async fn hand_in(mut self, from: Responder) -> Result<Vec<String>, engine::Error> {
        if !self.kept.is_empty() {
            let me = from.person.clone();
            let what = InboundKind::Sent { wait: self.wait, files: self.kept };
            let key = format!("{}:fetched:{}", self.effect.place.platform, self.effect.id);
            let inbound = Inbound { key, session: self.effect.session, from, what };
            let receipt = self.engine.receive(inbound).await?;
            self.refused
                .extend(words::of_receipt(&receipt, None, &me).map(|words| words.to_string()));
        }
        Ok(self.refused)
    }
}
