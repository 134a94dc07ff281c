//! Effects to the chat, and what an erasure takes away there.

use std::sync::Arc;

use anteroom::{
    chat::{
        NotFetched, Trail,
        courier::{self, Attempt, Courier},
        delivery,
        handler::ButtonId,
        message_index::MessageRef,
        profile,
        refusal::Class,
        removal::{Remover, Trace},
        team_thread::{TeamThread, team_thread},
    },
    engine::{Gateway, Look},
    model::{
        artifact::{Artifact, Offer},
        effect::{Act, Delivery, Effect, Recipient, Rendering},
        posted::{Item, Posted},
        report::Count,
        session::{PersonId, Place, Platform},
        team::Team,
        ui::Offered,
        wait::Wait,
    },
    session::State,
};
use async_trait::async_trait;

use super::{
    app::{App, PLATFORM, ROOMS, private},
    chat::{BOT, Card, Refused},
    draw,
};

/// The chat as the engine sees it.
#[derive(Debug)]
pub(crate) struct PlainGateway(pub(crate) Arc<App>);

#[async_trait]
impl Gateway for PlainGateway {
    fn platform(&self) -> Platform {
        PLATFORM
    }

    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let sender = Sender { app: &self.0, effect, trail: Trail::default() };
        let delivered = delivery::deliver(&sender, shown).await;
        delivery::outcome(&sender, delivered).await
    }

    async fn team(&self, _place: &Place) -> Team {
        let state = self.0.chat();
        let deciders = state.members.iter().filter(|(_, member)| member.decides);
        let deciders = deciders.map(|(id, _)| id.clone()).collect();
        Team { deciders: [(ROOMS[0].0.to_owned(), deciders)].into(), ..Team::default() }
    }
}

/// Delivers one effect.
struct Sender<'a> {
    app: &'a App,
    effect: &'a Effect,
    trail: Trail,
}

type Delivered<T> = courier::Delivered<T, Refused>;

/// A room, and the message there under which something stands.
type Target = (String, Option<String>);

impl Sender<'_> {
    /// Posts what an effect says where it goes.
    async fn put(&self, card: Card) -> Delivered<Option<String>> {
        let mut target = (self.room().await?, None);
        if let Recipient::Channel { alias } = &self.effect.to {
            let TeamThread { head, .. } = team_thread(self, alias).await?;
            target = (head.channel, Some(head.message));
        }
        Ok(Some(self.post(&target, &self.effect.id.to_string(), card)?.name()))
    }

    fn post(&self, (room, under): &Target, key: &str, card: Card) -> Delivered<MessageRef> {
        let at = self.app.chat().post((room, under.as_deref()), (BOT, key), card)?;
        self.leave_message(&at, room.starts_with('#') && under.is_none());
        Ok(at)
    }

    /// The room of whom it is for.
    async fn room(&self) -> Delivered<String> {
        let card_channel = self.card_channel().await?;
        Ok(card_channel.unwrap_or_else(|| self.effect.place.channel.clone()))
    }
}

#[async_trait]
impl Courier for Sender<'_> {
    type Failure = Refused;
    type Message = Card;

    fn attempt(&self) -> Attempt<'_> {
        Attempt {
            effect: self.effect,
            trail: &self.trail,
            engine: &self.app.engine,
            index: &self.app.index,
            post_log: &self.app.post_log,
            work_indicators: &self.app.work_indicators,
            afterwards: &self.app.afterwards,
        }
    }

    fn class_of(&self, refused: &Refused) -> Class {
        refused.0
    }

    fn why(&self, refused: &Refused) -> String {
        format!("the chat says: {:?}", refused.0)
    }

    fn channel(&self, alias: &str) -> Option<String> {
        let room = ROOMS.iter().find(|(known, _)| *known == alias);
        room.map(|(_, room)| (*room).to_owned())
    }

    async fn direct_channel(&self, user: &str) -> Delivered<String> {
        Ok(private(user))
    }

    async fn post_head(&self, channel: &str, look: &Look) -> Delivered<MessageRef> {
        let key = format!("head {}", self.effect.session);
        self.post(&(channel.to_owned(), None), &key, draw::standing(look, true))
    }

    async fn draw(&self, wait: &Wait) -> Delivered<Card> {
        Ok(draw::card(wait, self.look_unless_erased().await?.as_ref()))
    }

    async fn post_card(&self, card: &Card) -> Delivered<Option<MessageRef>> {
        let Act::Show { wait } = &self.effect.act else { return Ok(None) };
        let key = format!("{wait} {}", self.effect.id);
        self.post(&(self.room().await?, None), &key, card.clone()).map(Some)
    }

    async fn edit_card(&self, at: &MessageRef, card: &Card) -> Delivered<bool> {
        match self.app.chat().change(at, Some(card.clone())) {
            Err(Refused(Class::MessageGone | Class::Uneditable, _)) => Ok(false),
            changed => Ok(changed.map(|()| true)?),
        }
    }

    async fn earlier_card(&self, wait: &Wait) -> Delivered<Option<MessageRef>> {
        let (room, wait) = (self.room().await?, wait.id.to_string());
        Ok(self.app.chat().keyed(&room, |key| key.starts_with(&wait)))
    }

    async fn post_decision(
        &self,
        card: MessageRef,
        decided: &str,
        (_, by_name): (&PersonId, &str),
    ) -> Delivered<Option<MessageRef>> {
        let line = Card::words(format!("{decided} by {by_name}"));
        let key = format!("{} decided", self.effect.id);
        self.post(&(card.channel, Some(card.message)), &key, line).map(Some)
    }

    async fn say(
        &self,
        text: &str,
        offers: &[Offered],
        about: Option<&State>,
    ) -> Delivered<Option<String>> {
        let offer = |it: &Offered| ButtonId::offer(*it, self.effect.session);
        let about = about.map(profile::buttons).unwrap_or_default();
        self.put(Card::words(text).choosing(offers.iter().map(offer).chain(about))).await
    }

    fn words(&self, text: &str) -> Vec<Card> {
        vec![Card::words(text)]
    }

    async fn post_all(&self, messages: &[Card]) -> Delivered<Option<String>> {
        self.put(messages[0].clone()).await
    }

    async fn draw_progress(&self, text: &str) -> Card {
        Card::words(text)
    }

    async fn post_progress(&self, card: &Card) -> Delivered<Option<MessageRef>> {
        let key = format!("progress {}", self.effect.session);
        self.post(&(self.room().await?, None), &key, card.clone()).map(Some)
    }

    async fn export(&self, closing: Option<&str>) -> Delivered<Option<String>> {
        let copy = [(ButtonId::copy(self.effect.session), "Download")];
        self.put(Card::words(closing.unwrap_or("Your copy is ready.")).choosing(copy)).await
    }

    fn link(&self, text: &str, _label: &str, url: &str) -> Delivered<Vec<Card>> {
        Ok(self.words(&format!("{text} {url}")))
    }

    async fn hand_file(
        &self,
        file: &Artifact,
        text: &str,
        bytes: Vec<u8>,
    ) -> Delivered<Option<String>> {
        self.app.chat().files.insert(file.filename.clone(), bytes);
        self.put(Card::words(format!("{text} {}", file.filename))).await
    }

    async fn fetch_file(&self, file: &Offer) -> Result<Vec<u8>, NotFetched> {
        let mut chat = self.app.chat();
        chat.downloads.pop().map_or_else(|| Ok(chat.files[&file.id].clone()), Err)
    }
}

#[async_trait]
impl Remover for Sender<'_> {
    async fn take_head(&self, head: &MessageRef, posted: &Posted) -> Delivered<()> {
        let theirs = Count { messages: self.app.chat().written_under(head), ..Count::default() };
        if theirs.is_none() {
            return self.take_message(head, posted).await;
        }
        self.blank_head(head, (posted, theirs)).await
    }

    async fn find_trace(&self, of: Trace<'_>) -> Delivered<Vec<Item>> {
        let (room, effect) = (self.room().await?, of.effect.to_string());
        let at = self.app.chat().keyed(&room, |key| key.contains(&effect));
        Ok(at.map(|at| Item::Head { at: at.name() }).into_iter().collect())
    }

    async fn delete(&self, at: &MessageRef) -> Result<(), Refused> {
        self.app.chat().change(at, None)
    }

    async fn overwrite(&self, at: &MessageRef) -> Result<(), Refused> {
        self.app.chat().change(at, Some(Card::words("This conversation was erased.")))
    }
}
