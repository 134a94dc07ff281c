//! Reads an answer in the format in which it was asked for.

use super::stream;
use crate::{
    base::ids::Ids,
    ports::llm::{
        anthropic::stream::Blocks,
        chat::Completion,
        error::{Error, Fault},
        responses::Items,
        sse::Decoder,
    },
};

/// Reads one answer.
#[derive(Debug)]
pub(super) enum Reader {
    /// Of chat completions.
    Chat(stream::Reader),
    /// Of Messages, with the digest of what it answers.
    Messages { decoder: Decoder, blocks: Blocks, bound: String },
    /// Of Responses.
    Responses { decoder: Decoder, items: Items },
}

impl Reader {
    pub(super) fn messages(bound: String) -> Self {
        let decoder = Decoder::new(stream::EVENT_MAX);
        Self::Messages { decoder, blocks: Blocks::default(), bound }
    }

    pub(super) fn responses() -> Self {
        Self::Responses { decoder: Decoder::new(stream::EVENT_MAX), items: Items::default() }
    }

    /// Takes the next bytes of a stream.
    pub(super) fn push(
        &mut self,
        bytes: &[u8],
        on_text: &mut dyn FnMut(&str),
    ) -> Result<(), Error> {
        match self {
            Self::Chat(reader) => reader.push(bytes, on_text),
            Self::Messages { decoder, blocks, .. } => {
                decoder.push(bytes, &mut |event| blocks.event(event, on_text))
            }
            Self::Responses { decoder, items } => {
                decoder.push(bytes, &mut |event| items.event(event, on_text))
            }
        }
    }

    /// Whether nothing that follows matters.
    pub(super) const fn is_done(&self) -> bool {
        match self {
            Self::Chat(reader) => reader.is_done(),
            Self::Messages { blocks, .. } => blocks.is_done(),
            Self::Responses { items, .. } => items.is_whole(),
        }
    }

    /// Whether the answer is whole.
    pub(super) const fn is_whole(&self) -> bool {
        match self {
            Self::Chat(reader) => reader.is_whole(),
            Self::Messages { blocks, .. } => blocks.is_whole(),
            Self::Responses { items, .. } => items.is_whole(),
        }
    }

    /// The stream is over.
    pub(super) fn finish(
        self,
        ids: &dyn Ids,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, Error> {
        let rest = |read: Result<(), Error>| match read {
            // Half an event: the end of the stream cut it off.
            Ok(()) | Err(Error::BadAnswer(Fault::Json)) => Ok(()),
            Err(error) => Err(error),
        };
        match self {
            Self::Chat(reader) => reader.finish(ids, on_text),
            Self::Messages { decoder, mut blocks, bound } => {
                rest(decoder.finish(&mut |event| blocks.event(event, on_text)))?;
                blocks.whole(ids, &bound)
            }
            Self::Responses { decoder, mut items } => {
                rest(decoder.finish(&mut |event| items.event(event, on_text)))?;
                items.whole(ids)
            }
        }
    }

    /// An answer that does not come in a stream.
    pub(super) fn whole(
        self,
        bytes: &[u8],
        ids: &dyn Ids,
        on_text: &mut dyn FnMut(&str),
    ) -> Result<Completion, Error> {
        match self {
            Self::Chat(_) => {
                let completion = stream::whole(bytes, ids)?;
                if !completion.text.is_empty() {
                    on_text(&completion.text);
                }
                Ok(completion)
            }
            Self::Messages { mut blocks, bound, .. } => {
                blocks.all(bytes, on_text)?;
                blocks.whole(ids, &bound)
            }
            Self::Responses { mut items, .. } => {
                items.all(bytes, on_text)?;
                items.whole(ids)
            }
        }
    }
}
