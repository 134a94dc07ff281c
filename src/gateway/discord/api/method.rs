//! The calls in use, each with its address and what a repeat of it would do.

use crate::gateway::discord::send::Request;

/// How a call is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Asks; the arguments stand in the address.
    Get,
    /// Makes something.
    Post,
    /// Puts something where it belongs, once however often.
    Put,
    /// Changes something.
    Patch,
    /// Takes something away.
    Delete,
}

impl Verb {
    /// As it stands in a request: `GET`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

macro_rules! methods {
    ($($variant:ident $verb:ident $path:literal $kind:ident),+ $(,)?) => {
        /// A call of Discord's API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Method {
            $(#[doc = concat!("`", $path, "`")] $variant,)+
        }

        impl Method {
            /// Every call in use.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// The word for it in logs and metrics: `PostMessage`.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => stringify!($variant),)+ }
            }

            /// How it is made.
            pub const fn verb(self) -> Verb {
                match self { $(Self::$variant => Verb::$verb,)+ }
            }

            /// Its address below the base, with names for what differs: `/channels/{channel}`.
            pub const fn path(self) -> &'static str {
                match self { $(Self::$variant => $path,)+ }
            }

            /// What a repeat would do.
            pub const fn kind(self) -> Request {
                match self { $(Self::$variant => Request::$kind,)+ }
            }
        }
    };
}

methods! {
    Gateway Get "/gateway/bot" Ask,
    Application Get "/applications/@me" Ask,
    Me Get "/users/@me" Ask,
    Guilds Get "/users/@me/guilds" Ask,
    OpenDirect Post "/users/@me/channels" Settle,
    Commands Get "/applications/{application}/commands" Ask,
    Register Put "/applications/{application}/commands" Settle,
    GuildCommands Get "/applications/{application}/guilds/{guild}/commands" Ask,
    RegisterGuild Put "/applications/{application}/guilds/{guild}/commands" Settle,
    Guild Get "/guilds/{guild}" Ask,
    Roles Get "/guilds/{guild}/roles" Ask,
    Onboarding Get "/guilds/{guild}/onboarding" Ask,
    ActiveThreads Get "/guilds/{guild}/threads/active" Ask,
    Member Get "/guilds/{guild}/members/{user}" Ask,
    GiveRole Put "/guilds/{guild}/members/{user}/roles/{role}" Settle,
    TakeRole Delete "/guilds/{guild}/members/{user}/roles/{role}" Settle,
    Channel Get "/channels/{channel}" Ask,
    ChangeChannel Patch "/channels/{channel}" Settle,
    DeleteChannel Delete "/channels/{channel}" Settle,
    Typing Post "/channels/{channel}/typing" Settle,
    Invite Post "/channels/{channel}/invites" Make,
    BeginThread Post "/channels/{channel}/threads" Make,
    BeginThreadAt Post "/channels/{channel}/messages/{message}/threads" Settle,
    AddToThread Put "/channels/{channel}/thread-members/{user}" Settle,
    RemoveFromThread Delete "/channels/{channel}/thread-members/{user}" Settle,
    PostMessage Post "/channels/{channel}/messages" Post,
    Messages Get "/channels/{channel}/messages" Ask,
    Message Get "/channels/{channel}/messages/{message}" Ask,
    EditMessage Patch "/channels/{channel}/messages/{message}" Settle,
    DeleteMessage Delete "/channels/{channel}/messages/{message}" Settle,
    Answer Post "/interactions/{interaction}/{token}/callback" FirstAnswer,
    FollowUp Post "/webhooks/{application}/{token}" Followup,
    Answered Get "/webhooks/{application}/{token}/messages/@original" Ask,
    EditAnswer Patch "/webhooks/{application}/{token}/messages/@original" Settle,
    DeleteAnswer Delete "/webhooks/{application}/{token}/messages/@original" Settle,
}

impl Method {
    /// Whether it is an answer to an interaction: its token stands in the address, the bot's is not needed, and the
    /// limit over all calls does not count it (docs, topics/rate-limits).
    pub const fn is_answer(self) -> bool {
        matches!(
            self,
            Self::Answer | Self::FollowUp | Self::Answered | Self::EditAnswer | Self::DeleteAnswer
        )
    }

    /// The address with what differs filled in; `None` if that is not an id and would lead elsewhere.
    pub(super) fn fill(self, ids: &[&str]) -> Option<String> {
        let mut left = ids.iter();
        let mut filled = String::new();
        for part in self.path().split('/').skip(1) {
            filled.push('/');
            if part.starts_with('{') {
                let id = left.next()?;
                let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_=.@".contains(&byte);
                let is_id = id.bytes().any(|byte| byte.is_ascii_alphanumeric());
                if !is_id || !id.bytes().all(is_plain) {
                    return None;
                }
                filled.push_str(id);
            } else {
                filled.push_str(part);
            }
        }
        left.next().is_none().then_some(filled)
    }

    /// What its rate is counted by beside the call itself: the channel, the server, or the interaction's token
    /// (docs, topics/rate-limits). Empty where there is none.
    pub(super) fn about(self, ids: &[&str]) -> String {
        let named = match self.path().split('/').nth(1) {
            Some("channels" | "guilds") => ids.iter().take(1),
            Some("webhooks" | "interactions") => ids.iter().take(2),
            _ => ids.iter().take(0),
        };
        named.copied().collect::<Vec<_>>().join("/")
    }
}

#[cfg(test)]
mod tests {
    use super::Method;

    #[test]
    fn addresses_take_ids_and_nothing_that_leads_elsewhere() {
        let fill = |ids: &[&str]| Method::Message.fill(ids);
        assert_eq!(fill(&["1", "2"]).as_deref(), Some("/channels/1/messages/2"));
        for ids in
            [&["1", ""][..], &["..", "2"], &["1/2", "3"], &["1?x", "3"], &["1"], &["1", "2", "3"]]
        {
            assert_eq!(fill(ids), None, "{ids:?}");
        }
        let token = "aW50ZXJhY3Rpb246MTI_-w==";
        assert!(Method::EditAnswer.fill(&["901", token]).is_some());
        assert_eq!(Method::EditAnswer.about(&["901", token]), format!("901/{token}"));
        assert_eq!(Method::GiveRole.about(&["500", "7", "8"]), "500");
        assert_eq!(Method::OpenDirect.about(&[]), "");
    }
}
