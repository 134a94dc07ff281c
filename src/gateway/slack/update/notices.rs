//! What people are told outside the conversation's own messages, and the forms that are opened for them.

use std::sync::Arc;

use reqwest::Url;
use serde_json::{Value, json};

use super::{UpdateContext, reply_target_of};
use crate::{
    base::ids::SessionId,
    chat::handler::ReplyTarget,
    gateway::slack::{
        api::{Failure, Method},
        app::App,
        inbound::{Ack, Action, ViewRef},
        render::Message as Post,
        transcript,
    },
    messages,
};

impl UpdateContext<'_> {
    /// Opens a form while its trigger lives; nothing is waited for.
    pub(in crate::gateway::slack) fn open(
        &self,
        form: Form,
        action: &Action,
        reply_target: ReplyTarget,
    ) {
        let (method, body) = match (form, &action.view) {
            (Form::New(view), _) => {
                (Method::OpenView, json!({ "trigger_id": action.trigger_id, "view": view }))
            }
            (Form::Changed(view), Some(old)) => {
                (Method::UpdateView, json!({ "view_id": old.id, "hash": old.hash, "view": view }))
            }
            (Form::Changed(_), None) => return,
        };
        let (app, team) = (Arc::clone(self.app), self.team().to_owned());
        self.app.afterwards.spawn(async move {
            let mut opened = app.api.call(&team, method, &body).await;
            if let Err(Failure::Refused { error, .. }) = &opened
                && error == "hash_conflict"
            {
                // The form has changed since the press, perhaps by another one. What is typed in it stays.
                let mut anyway = body;
                anyway.as_object_mut().map(|members| members.remove("hash"));
                opened = app.api.call(&team, method, &anyway).await;
            }
            match opened {
                Ok(_) => {}
                Err(Failure::Refused { error, .. })
                    if !matches!(error.as_str(), "expired_trigger_id" | "exchanged_trigger_id") =>
                {
                    tracing::error!(error, "Slack refused a form");
                    post_ephemeral(&app, &team, &reply_target, messages::notices::FORM_CANT_OPEN)
                        .await;
                }
                Err(_) => {
                    post_ephemeral(&app, &team, &reply_target, messages::notices::PRESS_AGAIN)
                        .await;
                }
            }
        });
    }

    /// Shows something on top of the view that was pressed, where nobody can be told anything beside it.
    pub(in crate::gateway::slack) fn show_over(
        &self,
        title: &str,
        blocks: &[Value],
        action: &Action,
        reply_target: ReplyTarget,
    ) {
        let view = json!({
            "type": "modal",
            "title": { "type": "plain_text", "text": title },
            "close": { "type": "plain_text", "text": messages::buttons::CLOSE },
            "blocks": blocks,
        });
        self.open(Form::New(view), action, reply_target);
    }

    /// Shows a form that is turned page by page: a new one, or the next page in place of the one that was pressed.
    pub(in crate::gateway::slack) fn show_page(&self, view: Value, action: &Action) {
        let is_page = |old: &ViewRef| old.callback_id == transcript::CALLBACK;
        let form = if action.view.as_ref().is_some_and(is_page) {
            Form::Changed(view)
        } else {
            Form::New(view)
        };
        self.open(form, action, reply_target_of(action));
    }

    /// Tells somebody something that nobody else sees, so often and no more.
    pub(super) fn tell_limited(&self, reply_target: &ReplyTarget, text: &str) {
        if text.is_empty() || !self.app.receipts.may_tell(self.team(), &reply_target.user) {
            return;
        }
        self.post_ephemeral(reply_target, Post { text: text.to_owned(), blocks: Vec::new() });
    }

    /// Tells somebody where a conversation goes on; once, also where the event finds it begun when it comes again.
    pub(in crate::gateway::slack) fn tell_begun(&self, reply_target: &ReplyTarget, text: String) {
        if self.app.receipts.may_tell(self.team(), &reply_target.user) {
            let key = format!("{} begun", self.key);
            self.post_once(key, reply_target, Post { text, blocks: Vec::new() });
        }
    }

    /// Tells somebody directly where a conversation is, by its address if it has one; once, however often the event is
    /// delivered.
    pub(in crate::gateway::slack) fn tell_where(
        &self,
        reply_target: &ReplyTarget,
        session: SessionId,
        text: impl FnOnce(Option<Url>) -> String + Send + 'static,
    ) {
        if !self.app.receipts.may_tell(self.team(), &reply_target.user) {
            return;
        }
        let (app, team, to) = (Arc::clone(self.app), self.team().to_owned(), reply_target.clone());
        let key = format!("{} begun", self.key);
        self.app.afterwards.spawn(async move {
            let text = text(app.home.link_to(session).await);
            let post = Post { text, blocks: Vec::new() };
            app.deduplicator.say(&key, post_plainly(&app, &team, &to, &post)).await;
        });
    }

    /// Shows somebody something that nobody else sees; once, however often the event is delivered.
    pub(in crate::gateway::slack) fn post_ephemeral(&self, reply_target: &ReplyTarget, post: Post) {
        self.post_once(format!("{} {}", self.key, post.text), reply_target, post);
    }

    fn post_once(&self, key: String, reply_target: &ReplyTarget, post: Post) {
        let (app, team, reply_target) =
            (Arc::clone(self.app), self.team().to_owned(), reply_target.clone());
        self.app.afterwards.spawn(async move {
            app.deduplicator.say(&key, whisper_post(&app, &team, &reply_target, &post)).await;
        });
    }

    /// Greets somebody where there is no conversation; once, however often the event is delivered.
    pub(in crate::gateway::slack) fn greet(&self, reply_target: &ReplyTarget, post: Post) -> Ack {
        let (app, team, reply_target) =
            (Arc::clone(self.app), self.team().to_owned(), reply_target.clone());
        let key = self.key.clone();
        self.app.afterwards.spawn(async move {
            app.deduplicator.say(&key, post_plainly(&app, &team, &reply_target, &post)).await;
        });
        Ack::Empty
    }
}

/// Says something that one person alone sees; in the app itself there is no such message, so it is an ordinary one.
pub(in crate::gateway::slack) async fn post_ephemeral(
    app: &App,
    team: &str,
    reply_target: &ReplyTarget,
    text: &str,
) {
    // Told in the log by the call; the person can press again.
    _ = whisper_post(app, team, reply_target, &Post { text: text.to_owned(), blocks: Vec::new() })
        .await;
}

/// Posts something that belongs to no conversation; whether it arrived.
async fn post_plainly(app: &App, team: &str, reply_target: &ReplyTarget, post: &Post) -> bool {
    let mut body = json!({
        "channel": reply_target.channel,
        "text": post.text,
        "blocks": post.blocks,
        "unfurl_links": false,
        "unfurl_media": false,
    });
    if let Some(thread) = &reply_target.thread {
        body["thread_ts"] = thread.clone().into();
    }
    // A failure is told in the log by the call.
    app.api.call(team, Method::PostMessage, &body).await.is_ok()
}

async fn whisper_post(app: &App, team: &str, reply_target: &ReplyTarget, post: &Post) -> bool {
    let mut body = json!({
        "channel": reply_target.channel,
        "user": reply_target.user,
        "text": post.text,
        "blocks": post.blocks,
    });
    if let Some(thread) = &reply_target.thread {
        body["thread_ts"] = thread.clone().into();
    }
    let is_nowhere = reply_target.channel == reply_target.user;
    let method = if is_nowhere { Method::PostMessage } else { Method::PostEphemeral };
    app.api.call(team, method, &body).await.is_ok()
}

/// A form to show.
pub(in crate::gateway::slack) enum Form {
    /// Opened.
    New(Value),
    /// In place of the one that is open.
    Changed(Value),
}
