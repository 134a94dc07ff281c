//! The methods in use, each with its rate and how it wants its arguments.

/// How often Slack lets a method be called, by app and workspace.
/// Source: docs.slack.dev/apis/web-api/rate-limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// 20 a minute.
    Two,
    /// 50 a minute.
    Three,
    /// 100 a minute.
    Four,
    /// About one a second in a channel, several hundred a minute in a workspace.
    Posting,
    /// Hundreds a minute; Slack names no number.
    Special,
}

/// How a method wants its arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verb {
    /// In the address; it changes nothing, so it may be asked again.
    Get,
    /// As JSON.
    Post,
}

impl Method {
    /// Whether calling it changes nothing that anybody sees, so that one without an answer may be made again.
    pub(crate) const fn is_harmless(self) -> bool {
        matches!(self.verb(), Verb::Get)
            || matches!(self, Self::AuthTest | Self::OpenConversation | Self::ValidateBlocks)
    }
}

macro_rules! methods {
    ($($variant:ident $name:literal $verb:ident $tier:ident),+ $(,)?) => {
        /// A method of the Web API.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Method {
            $(#[doc = concat!("`", $name, "`")] $variant,)+
        }

        impl Method {
            /// Every method in use.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// As Slack names it.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)+ }
            }

            /// How its arguments travel.
            pub const fn verb(self) -> Verb {
                match self { $(Self::$variant => Verb::$verb,)+ }
            }

            /// How often it may be called.
            pub const fn tier(self) -> Tier {
                match self { $(Self::$variant => Tier::$tier,)+ }
            }
        }
    };
}

methods! {
    AuthTest "auth.test" Post Special,
    AuthRevoke "auth.revoke" Post Three,
    AppsConnectionsOpen "apps.connections.open" Post Special,
    PostMessage "chat.postMessage" Post Posting,
    PostEphemeral "chat.postEphemeral" Post Four,
    UpdateMessage "chat.update" Post Three,
    DeleteMessage "chat.delete" Post Three,
    Permalink "chat.getPermalink" Get Special,
    StartStream "chat.startStream" Post Two,
    AppendStream "chat.appendStream" Post Four,
    StopStream "chat.stopStream" Post Two,
    OpenConversation "conversations.open" Post Three,
    ConversationInfo "conversations.info" Get Three,
    ConversationMembers "conversations.members" Get Four,
    History "conversations.history" Get Three,
    Replies "conversations.replies" Get Three,
    OpenView "views.open" Post Four,
    PushView "views.push" Post Four,
    UpdateView "views.update" Post Four,
    PublishView "views.publish" Post Four,
    UserInfo "users.info" Get Four,
    UserConversations "users.conversations" Get Three,
    GroupMembers "usergroups.users.list" Get Two,
    FileInfo "files.info" Get Four,
    DeleteFile "files.delete" Post Three,
    UploadUrl "files.getUploadURLExternal" Get Four,
    CompleteUpload "files.completeUploadExternal" Post Four,
    SessionStatus "agents.sessions.setStatus" Post Three,
    RenameSession "agents.sessions.rename" Post Three,
    ThreadStatus "assistant.threads.setStatus" Post Special,
    SuggestedPrompts "assistant.threads.setSuggestedPrompts" Post Four,
    ValidateBlocks "blocks.validate" Post Special,
}
