//! The calls by name, with what they need and what comes of them.

use serde_json::{Value, json};

use super::{Api, Asked, Code, Failure, Method};
use crate::gateway::discord::{inbound::Ticket, limits};

/// Which messages of a channel are meant; each is a message's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Near<'a> {
    /// The last ones.
    Latest,
    /// Those after it.
    After(&'a str),
    /// Those before it.
    Before(&'a str),
    /// Those on both sides of it.
    Around(&'a str),
}

/// What came of a first answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answered {
    /// It was the first.
    Now,
    /// There was one before: ours, if this is a repeat.
    Before,
}

/// Messages.
impl Api {
    /// Posts a message once under `nonce` ([`nonce`](crate::gateway::discord::send::nonce)) and gives its id. A repeat
    /// within some minutes gives the first one's; [`Code::UnknownMessage`] means that it was sent and deleted since.
    pub async fn post(&self, channel: &str, nonce: &str, body: Value) -> Result<String, Failure> {
        let body = named(body, nonce);
        let asked = Asked { body, ..Asked::new(Method::PostMessage, &[channel]) };
        self.call(asked).await.and_then(|answer| id(&answer))
    }

    /// Like [`Api::post`], with one file. Marks that end a name in a header (`"`, `\`, control characters) are left out
    /// of its name. If the message is made of components, one of them must show `attachment://name`, or nobody sees the
    /// file.
    pub async fn post_file(
        &self,
        channel: &str,
        nonce: &str,
        body: Value,
        (name, bytes): (&str, Vec<u8>),
    ) -> Result<String, Failure> {
        let mut body = named(body, nonce);
        // It stands in a header as well.
        let is_plain = |c: &char| !c.is_control() && !matches!(c, '"' | '\\');
        let name: String = name.chars().filter(is_plain).collect();
        body["attachments"] = json!([{ "id": 0, "filename": name }]);
        let file = Some((name, bytes));
        let asked = Asked { body, file, ..Asked::new(Method::PostMessage, &[channel]) };
        self.call(asked).await.and_then(|answer| id(&answer))
    }

    /// Edits a message of ours.
    pub async fn edit(&self, channel: &str, message: &str, body: Value) -> Result<(), Failure> {
        let asked = Asked { body, ..Asked::new(Method::EditMessage, &[channel, message]) };
        self.call(asked).await.map(drop)
    }

    /// Deletes a message; one that is gone already is refused with [`Code::UnknownMessage`].
    pub async fn delete(&self, channel: &str, message: &str) -> Result<(), Failure> {
        self.call(Asked::new(Method::DeleteMessage, &[channel, message])).await.map(drop)
    }

    /// One message; addresses of files in it are fresh.
    pub async fn message(&self, channel: &str, message: &str) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Message, &[channel, message])).await
    }

    /// Up to `most` messages, the newest first; Discord gives a hundred at the most.
    pub async fn messages(
        &self,
        channel: &str,
        near: Near<'_>,
        most: u8,
    ) -> Result<Vec<Value>, Failure> {
        let mut query = vec![("limit", most.clamp(1, 100).to_string())];
        match near {
            Near::Latest => {}
            Near::After(id) => query.push(("after", id.to_owned())),
            Near::Before(id) => query.push(("before", id.to_owned())),
            Near::Around(id) => query.push(("around", id.to_owned())),
        }
        let asked = Asked { query, ..Asked::new(Method::Messages, &[channel]) };
        self.call(asked).await.and_then(list)
    }

    /// Shows for some seconds that the bot is writing.
    pub async fn typing(&self, channel: &str) -> Result<(), Failure> {
        self.call(Asked::new(Method::Typing, &[channel])).await.map(drop)
    }
}

/// Answers to interactions; they need no token of the bot, and no limit over all calls holds them up.
impl Api {
    /// Answers an interaction first: `body` is a whole answer, its kind and what it holds. Works for three seconds.
    pub async fn answer(&self, ticket: &Ticket, body: Value) -> Result<Answered, Failure> {
        let ids = [ticket.id.as_str(), ticket.token.0.as_str()];
        match self.call(Asked { body, ..Asked::new(Method::Answer, &ids) }).await {
            Ok(_) => Ok(Answered::Now),
            Err(failure) if failure.is(Code::AlreadyAnswered) => Ok(Answered::Before),
            Err(failure) => Err(failure),
        }
    }

    /// Changes the first answer, the message of a component that was used included. Works for a quarter of an hour.
    pub async fn edit_answer(&self, ticket: &Ticket, body: Value) -> Result<(), Failure> {
        let asked = Asked { body, ..Asked::new(Method::EditAnswer, &door(ticket)) };
        self.call(asked).await.map(drop)
    }

    /// The message that the first answer made.
    pub async fn answered(&self, ticket: &Ticket) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Answered, &door(ticket))).await
    }

    /// Takes the first answer away.
    pub async fn delete_answer(&self, ticket: &Ticket) -> Result<(), Failure> {
        self.call(Asked::new(Method::DeleteAnswer, &door(ticket))).await.map(drop)
    }

    /// Answers once more and gives the message's id. A repeat would be seen twice, so none is made.
    pub async fn follow_up(&self, ticket: &Ticket, body: Value) -> Result<String, Failure> {
        let asked = Asked { body, ..Asked::new(Method::FollowUp, &door(ticket)) };
        self.call(asked).await.and_then(|answer| id(&answer))
    }
}

/// Channels and threads.
impl Api {
    /// The direct conversation with somebody; the same one each time.
    pub async fn open_direct(&self, user: &str) -> Result<String, Failure> {
        let body = json!({ "recipient_id": user });
        let asked = Asked { body, ..Asked::new(Method::OpenDirect, &[]) };
        self.call(asked).await.and_then(|answer| id(&answer))
    }

    /// A channel or a thread.
    pub async fn channel(&self, channel: &str) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Channel, &[channel])).await
    }

    /// Changes a channel or a thread: `{"archived": false}`, `{"locked": true}`, a name.
    pub async fn change_channel(
        &self,
        channel: &str,
        body: Value,
        reason: Option<&str>,
    ) -> Result<(), Failure> {
        let asked = Asked { body, reason, ..Asked::new(Method::ChangeChannel, &[channel]) };
        self.call(asked).await.map(drop)
    }

    /// Deletes a thread with everything in it; the bot's own ones too need the right to manage threads.
    pub(crate) async fn delete_channel(
        &self,
        channel: &str,
        reason: Option<&str>,
    ) -> Result<(), Failure> {
        let asked = Asked { reason, ..Asked::new(Method::DeleteChannel, &[channel]) };
        self.call(asked).await.map(drop)
    }

    /// Opens a thread that nobody wrote in for long.
    pub async fn unarchive(&self, thread: &str) -> Result<(), Failure> {
        let open = json!({ "archived": false });
        self.change_channel(thread, open, Some("the conversation goes on")).await
    }

    /// Begins a thread without a message: `body` says of which kind. A repeat would make a second one, so none is made:
    /// after [`Failure::Unclear`] look for it with [`Api::active_threads`].
    pub async fn begin_thread(
        &self,
        channel: &str,
        body: Value,
        reason: Option<&str>,
    ) -> Result<String, Failure> {
        let asked = Asked { body, reason, ..Asked::new(Method::BeginThread, &[channel]) };
        self.call(asked).await.and_then(|answer| id(&answer))
    }

    /// Begins the thread of a message; a second one is refused with [`Code::HasThread`]. Its id is the message's.
    pub(crate) async fn begin_thread_at(
        &self,
        channel: &str,
        message: &str,
        body: Value,
    ) -> Result<String, Failure> {
        let asked = Asked { body, ..Asked::new(Method::BeginThreadAt, &[channel, message]) };
        self.call(asked).await.and_then(|answer| id(&answer))
    }

    /// The threads of a server that are not archived.
    pub async fn active_threads(&self, guild: &str) -> Result<Vec<Value>, Failure> {
        let answer = self.call(Asked::new(Method::ActiveThreads, &[guild])).await?;
        list(answer["threads"].clone())
    }

    /// Lets somebody into a thread.
    pub(crate) async fn add_to_thread(&self, thread: &str, user: &str) -> Result<(), Failure> {
        self.call(Asked::new(Method::AddToThread, &[thread, user])).await.map(drop)
    }

    /// Makes an invite and gives its code: `{"max_uses": 1, "unique": true, …}`. A repeat would make a second one.
    pub async fn invite(
        &self,
        channel: &str,
        body: Value,
        reason: Option<&str>,
    ) -> Result<String, Failure> {
        let asked = Asked { body, reason, ..Asked::new(Method::Invite, &[channel]) };
        let answer = self.call(asked).await?;
        answer["code"].as_str().map(str::to_owned).ok_or_else(strange)
    }
}

/// Servers, their roles and members.
impl Api {
    /// The servers that the bot is in, two hundred at the most.
    pub async fn guilds(&self) -> Result<Vec<Value>, Failure> {
        self.call(Asked::new(Method::Guilds, &[])).await.and_then(list)
    }

    /// A server.
    pub async fn guild(&self, guild: &str) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Guild, &[guild])).await
    }

    /// Its roles.
    pub async fn roles(&self, guild: &str) -> Result<Vec<Value>, Failure> {
        self.call(Asked::new(Method::Roles, &[guild])).await.and_then(list)
    }

    /// A member of it; the bot itself under its own id.
    pub async fn member(&self, guild: &str, user: &str) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Member, &[guild, user])).await
    }

    /// What the server itself asks newcomers.
    pub async fn onboarding(&self, guild: &str) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Onboarding, &[guild])).await
    }

    /// Gives a member a role; `reason` stands in the audit log.
    pub async fn give_role(
        &self,
        (guild, user): (&str, &str),
        role: &str,
        reason: &str,
    ) -> Result<(), Failure> {
        let reason = Some(reason);
        let asked = Asked { reason, ..Asked::new(Method::GiveRole, &[guild, user, role]) };
        self.call(asked).await.map(drop)
    }

    /// Takes a role from a member; `reason` stands in the audit log.
    pub async fn take_role(
        &self,
        (guild, user): (&str, &str),
        role: &str,
        reason: &str,
    ) -> Result<(), Failure> {
        let reason = Some(reason);
        let asked = Asked { reason, ..Asked::new(Method::TakeRole, &[guild, user, role]) };
        self.call(asked).await.map(drop)
    }
}

/// The application and its commands.
impl Api {
    /// The application that the token belongs to.
    pub async fn application(&self) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Application, &[])).await
    }

    /// The bot's own user.
    pub async fn me(&self) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Me, &[])).await
    }

    /// Where the gateway is, how many shards it wants, and how often a session may still be begun.
    pub async fn gateway(&self) -> Result<Value, Failure> {
        self.call(Asked::new(Method::Gateway, &[])).await
    }

    /// The commands that are registered: everywhere, or in one server.
    pub async fn commands(
        &self,
        application: &str,
        guild: Option<&str>,
    ) -> Result<Vec<Value>, Failure> {
        let asked = match guild {
            None => Asked::new(Method::Commands, &[application]),
            Some(guild) => Asked::new(Method::GuildCommands, &[application, guild]),
        };
        self.call(asked).await.and_then(list)
    }

    /// Registers all commands at once: what is not among them is gone.
    pub async fn register(
        &self,
        application: &str,
        guild: Option<&str>,
        commands: Vec<Value>,
    ) -> Result<Vec<Value>, Failure> {
        let asked = match guild {
            None => Asked::new(Method::Register, &[application]),
            Some(guild) => Asked::new(Method::RegisterGuild, &[application, guild]),
        };
        let asked = Asked { body: Value::Array(commands), ..asked };
        self.call(asked).await.and_then(list)
    }
}

fn named(mut body: Value, nonce: &str) -> Value {
    debug_assert!(nonce.len() <= limits::NONCE, "a name is at most 25 characters long");
    body["nonce"] = nonce.into();
    body["enforce_nonce"] = true.into();
    body
}

fn door(ticket: &Ticket) -> [&str; 2] {
    [&ticket.application, &ticket.token.0]
}

fn id(answer: &Value) -> Result<String, Failure> {
    answer["id"].as_str().map(str::to_owned).ok_or_else(strange)
}

fn list(answer: Value) -> Result<Vec<Value>, Failure> {
    match answer {
        Value::Array(members) => Ok(members),
        _ => Err(strange()),
    }
}

/// It may have happened all the same.
fn strange() -> Failure {
    Failure::Unclear { why: "the answer is not Discord's".to_owned() }
}
