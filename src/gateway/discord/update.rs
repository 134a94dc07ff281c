//! One thing that came in: by whom, where, what they may do, and how they are told something.

use std::{sync::Arc, time::Duration};

use async_trait::async_trait;
use serde_json::Value;

use super::{
    api::Code,
    app::App,
    connect::is_late,
    inbound::{Ack, Actor, Ticket},
    people,
    render::{Message as Post, markup::Markdown},
    send, texts,
};
use crate::{
    base::ids::{EffectId, SessionId},
    chat::{
        Deduplicator,
        handler::{self, ReplyTarget, Update},
    },
    config::Configured,
    engine::Engine,
    flow::Library,
    messages::Text,
    model::session::{Head, PersonId, Platform},
    session::Responder,
    store::{self, Find},
};

/// How often it is looked whether the first answer has arrived that is to be changed, and the pause between.
const LATER_ATTEMPTS: u32 = 20;
const LATER_PAUSE: Duration = Duration::from_millis(150);

/// One update, with what is needed to deal with it.
pub(super) struct UpdateContext<'a> {
    pub(super) app: &'a Arc<App>,
    pub(super) engine: &'a Engine,
    /// Names the event.
    pub(super) key: String,
    /// The server it came from; `None` in a direct conversation.
    pub(super) guild: Option<String>,
    /// How it is answered, where somebody waits for an answer.
    pub(super) ticket: Option<Ticket>,
    /// The answer where there is nothing to say.
    pub(super) quiet: Ack,
}

impl UpdateContext<'_> {
    /// The server, as ids name it.
    pub(super) fn guild(&self) -> &str {
        self.guild.as_deref().unwrap_or(people::NO_GUILD)
    }

    /// The flows that can be started here.
    pub(super) fn library(&self) -> Library {
        self.engine.parts().library.of(Platform::Discord, self.guild())
    }

    /// What is set up here.
    pub(super) fn configured(&self) -> Configured<'_> {
        self.app.settings.of(Platform::Discord, self.guild())
    }

    /// Whether the first answer would come too late.
    pub(super) fn is_late(&self) -> bool {
        let at = self.ticket.as_ref().and_then(|ticket| ticket.at);
        let age = at.and_then(|at| (self.app.clock.now() - at).to_std().ok());
        age.is_some_and(is_late)
    }

    /// The conversations of a person here, newest first.
    pub(super) async fn conversations(&self, person: &PersonId) -> Result<Vec<Head>, store::Error> {
        self.app.store.find(Find::Person(person.clone())).await
    }

    /// A session at a glance.
    pub(super) async fn head(&self, session: SessionId) -> Result<Option<Head>, store::Error> {
        handler::head_of(self.engine, session).await
    }

    /// Shows something to them alone where they wait for an answer, otherwise where they wrote; there, once, however often
    /// the event is delivered.
    pub(super) fn show(&self, reply_target: &ReplyTarget, post: Post) -> Ack {
        if self.ticket.is_some() {
            return Ack::Say(post);
        }
        let body = post.body().json();
        self.post_once(format!("{} {body}", self.key), reply_target, body)
    }

    /// Greets somebody where there is no conversation; once, however often the event is delivered.
    pub(super) fn greet(&self, reply_target: &ReplyTarget, post: Post) -> Ack {
        if self.ticket.is_some() {
            return Ack::Say(post);
        }
        self.post_once(self.key.clone(), reply_target, post.body().json())
    }

    fn post_once(&self, key: String, reply_target: &ReplyTarget, body: Value) -> Ack {
        let (app, channel) = (Arc::clone(self.app), reply_target.channel.clone());
        let nonce = send::nonce(EffectId::mint(app.ids.as_ref()), 0);
        self.app.afterwards.spawn(async move {
            // A failure is told in the log by the call.
            let posting = async { app.api.post(&channel, &nonce, body).await.is_ok() };
            app.deduplicator.say(&key, posting).await;
        });
        Ack::Nothing
    }

    /// Changes the answer that was put off.
    pub(super) fn say_later<F>(&self, text: F) -> Ack
    where
        F: Future<Output = String> + Send + 'static,
    {
        self.say_longer(Duration::ZERO, text)
    }

    /// Changes it to what has a part that ends by itself within `part`.
    pub(super) fn say_longer<F>(&self, part: Duration, text: F) -> Ack
    where
        F: Future<Output = String> + Send + 'static,
    {
        let Some(ticket) = self.ticket.clone() else { return Ack::Nothing };
        let app = Arc::clone(self.app);
        self.app.afterwards.spawn_longer(part, async move {
            let body = texts::words(text.await).body().json();
            for _ in 0..LATER_ATTEMPTS {
                match app.api.edit_answer(&ticket, body.clone()).await {
                    // The first answer is still on its way.
                    Err(failure) if failure.is(Code::UnknownWebhook) => {
                        tokio::time::sleep(LATER_PAUSE).await;
                    }
                    // Told in the log by the call.
                    Ok(()) | Err(_) => return,
                }
            }
        });
        Ack::Later
    }

    /// Whoever left a server is in none of its threads any more, also when they come back.
    pub(super) fn let_in(&self, head: &Head) {
        let (app, head) = (Arc::clone(self.app), head.clone());
        self.app.afterwards.spawn(async move {
            if !app.rooms.is_thread(head.id, &head.place).await {
                return;
            }
            let Ok(Some(room)) = app.rooms.known(head.id).await else { return };
            // Nothing stands there yet; the first message lets them in.
            if app.rooms.awaits_participant(head.id, &room).await.unwrap_or(false) {
                return;
            }
            let user = &head.participant.user;
            let let_in = app.api.add_to_thread(&room, user).await;
            if let_in.is_err_and(|failure| failure.is(Code::Archived))
                && app.api.unarchive(&room).await.is_ok()
            {
                // Told in the log by the call; they can be let in by hand.
                _ = app.api.add_to_thread(&room, user).await;
            }
        });
    }

    /// Somebody is past the server's screening: roles that waited for that are given.
    pub(super) fn passed(&self, by: &Actor) {
        let Some(guild) = self.guild.clone() else { return };
        let (app, user) = (Arc::clone(self.app), by.user.clone());
        self.app.afterwards.spawn(async move { send::give_kept(&app, &guild, &user).await });
    }
}

#[async_trait]
impl Update for UpdateContext<'_> {
    type Actor = Actor;
    type Ack = Ack;

    fn engine(&self) -> &Engine {
        self.engine
    }

    fn key(&self) -> &str {
        &self.key
    }

    fn deduplicator(&self) -> &Deduplicator {
        &self.app.deduplicator
    }

    /// All that a connection brought since comes again with it, to every server of its.
    fn comes_again_alone(&self) -> bool {
        false
    }

    fn done(&self) -> Ack {
        self.quiet.clone()
    }

    fn tell(&self, to: &ReplyTarget, text: &str) -> Ack {
        // What is answered in any case is answered with what is true.
        let must_tell = matches!(self.quiet, Ack::Say(_));
        let is_told = must_tell || self.app.receipts.may_tell(self.guild(), &to.user);
        if text.is_empty() || !is_told {
            return self.done();
        }
        self.say(to, text)
    }

    /// To them alone where they wait for an answer, otherwise where they wrote.
    fn say(&self, to: &ReplyTarget, text: &str) -> Ack {
        self.show(to, texts::words(text))
    }

    fn write(&self, text: &Text) -> String {
        text.write(&Markdown)
    }

    fn person(&self, by: &Actor) -> PersonId {
        people::person_id(self.guild(), &by.user)
    }

    /// A direct conversation doesn't say of which server somebody is.
    fn is_participant(&self, head: &Head, by: &Actor) -> bool {
        head.participant.user == by.user
    }

    async fn known(&self, head: &Head, by: &Actor) -> Responder {
        participant(head, by)
    }

    async fn rights(&self, by: &Actor) -> Result<Responder, String> {
        Ok(people::responder(self.app.lists.of(self.guild()), self.guild(), by))
    }

    /// Rights end where the server does.
    async fn responder(&self, head: &Head, by: &Actor) -> Result<Responder, String> {
        let guild = &head.place.workspace;
        if self.guild.as_ref().is_some_and(|here| here != guild) {
            return Ok(people::known(guild, by));
        }
        Ok(people::responder(self.app.lists.of(guild), guild, by))
    }
}

/// The participant of a conversation, about whom nothing needs to be asked. Whoever else it is acts as themselves.
pub(super) fn participant(head: &Head, by: &Actor) -> Responder {
    let mut from = people::known(&head.place.workspace, by);
    if from.person == head.participant
        && let Some(name) = &head.name
    {
        from.name.clone_from(name);
    }
    from
}

/// Where somebody is told something.
pub(super) fn target(user: &str, channel: &str) -> ReplyTarget {
    ReplyTarget { user: user.to_owned(), channel: channel.to_owned(), thread: None }
}
