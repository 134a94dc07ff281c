//! What keeps an effect from leaving until somebody outside mends it, and what that somebody can do about it.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Act, Effect, Recipient};
use crate::{base::ids::SessionId, model::session::Platform};

/// Something outside that must be mended before an effect can leave. Effects with equal causes wait for the same thing.
///
/// ```json
/// { "kind": "channel_unavailable", "platform": "slack",
///   "reach": { "reach": "staff", "workspace": "T01", "alias": "approvals" }, "subject": "the channel `approvals`" }
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Cause {
    /// What is wrong.
    pub kind: CauseKind,
    /// On which platform.
    pub platform: Platform,
    /// Which effects it may concern.
    pub reach: Reach,
    /// What it is about, in words for staff: ``the channel `approvals` ``.
    pub subject: String,
}

/// What is wrong outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CauseKind {
    /// Nobody answers at all: the platform is away, or the network.
    Unreachable,
    /// The platform does not accept the bot's token.
    TokenRejected,
    /// The app is not installed in the workspace, or was removed from the server.
    NotInstalled,
    /// The workspace takes no calls for a while: it is being migrated, or is suspended.
    WorkspaceUnavailable,
    /// The channel is archived or deleted, or the app is not in it.
    ChannelUnavailable,
    /// The app lacks a permission or a scope.
    MissingPermission,
    /// The thread is locked.
    ThreadLocked,
    /// There are as many active threads as there may be.
    ThreadLimit,
    /// The workspace has used up its messages.
    MessageLimit,
    /// An owner must turn on two-factor authentication.
    SecondFactorRequired,
}

/// Which effects a cause may concern.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(tag = "reach", rename_all = "snake_case")]
pub enum Reach {
    /// All of the platform.
    Platform,
    /// All of one workspace or server.
    Workspace {
        /// Which.
        workspace: String,
    },
    /// New threads of one server; those that are there go on.
    NewThreads {
        /// The server.
        workspace: String,
    },
    /// Roles of one server.
    Roles {
        /// The server.
        workspace: String,
    },
    /// A channel of the staff.
    Staff {
        /// The workspace.
        workspace: String,
        /// The channel's alias in the configuration.
        alias: String,
    },
    /// A channel where participants are talked to.
    Channel {
        /// The workspace.
        workspace: String,
        /// The platform's own id of the channel.
        channel: String,
    },
    /// What is written directly to one of the team.
    Direct {
        /// The workspace.
        workspace: String,
        /// The platform's own id of the person.
        user: String,
    },
    /// One conversation.
    Session {
        /// Which.
        session: SessionId,
    },
}

impl CauseKind {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Unreachable,
        Self::TokenRejected,
        Self::NotInstalled,
        Self::WorkspaceUnavailable,
        Self::ChannelUnavailable,
        Self::MissingPermission,
        Self::ThreadLocked,
        Self::ThreadLimit,
        Self::MessageLimit,
        Self::SecondFactorRequired,
    ];

    /// The word for it in metrics.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Unreachable => "unreachable",
            Self::TokenRejected => "token_rejected",
            Self::NotInstalled => "not_installed",
            Self::WorkspaceUnavailable => "workspace_unavailable",
            Self::ChannelUnavailable => "channel_unavailable",
            Self::MissingPermission => "missing_permission",
            Self::ThreadLocked => "thread_locked",
            Self::ThreadLimit => "thread_limit",
            Self::MessageLimit => "message_limit",
            Self::SecondFactorRequired => "second_factor_required",
        }
    }

    /// What is wrong, said of the subject: `can't be reached`.
    const fn predicate(self) -> &'static str {
        match self {
            Self::Unreachable => "can't be reached",
            Self::TokenRejected => "doesn't accept the bot's token",
            Self::NotInstalled => "doesn't have the app installed",
            Self::WorkspaceUnavailable => "takes no calls from apps at the moment",
            Self::ChannelUnavailable => "is archived or deleted, or the app isn't in it",
            Self::MissingPermission => "doesn't give the app a permission it needs",
            Self::ThreadLocked => "is locked",
            Self::ThreadLimit => "has as many active threads as it can have",
            Self::MessageLimit => "has used up its messages",
            Self::SecondFactorRequired => {
                "asks for two-factor authentication of whoever owns the app"
            }
        }
    }

    /// What somebody can do about it.
    pub const fn remedy(self) -> &'static str {
        match self {
            Self::Unreachable => "check the network and the platform's status page",
            Self::TokenRejected => {
                "put a valid token into the configuration, or install the app again"
            }
            Self::NotInstalled => "install the app again, or invite the bot to the server",
            Self::WorkspaceUnavailable => "wait until the workspace is back, or ask its owner",
            Self::ChannelUnavailable => "unarchive the channel, or invite the app to it",
            Self::MissingPermission => {
                "run `anteroom doctor` with `--online` to see which permission is missing, and grant it"
            }
            Self::ThreadLocked => "unlock the thread",
            Self::ThreadLimit => "archive threads that are no longer needed",
            Self::MessageLimit => "upgrade the workspace's plan, or wait until its limit is reset",
            Self::SecondFactorRequired => {
                "turn on two-factor authentication for the account that owns the app"
            }
        }
    }

    /// How far into the platform a call gets before it fails of this: one that fails of something deeper tells that this is
    /// over.
    pub const fn depth(self) -> u8 {
        match self {
            Self::Unreachable => 0,
            Self::TokenRejected => 1,
            Self::NotInstalled => 2,
            Self::WorkspaceUnavailable => 3,
            Self::ChannelUnavailable
            | Self::MissingPermission
            | Self::ThreadLocked
            | Self::ThreadLimit
            | Self::MessageLimit
            | Self::SecondFactorRequired => 4,
        }
    }
}

impl Cause {
    /// Why `effect` cannot leave. How far it reaches follows from the kind: a token of Slack's is of one workspace, the one
    /// of Discord's is of all servers.
    pub fn of(kind: CauseKind, effect: &Effect) -> Self {
        let platform = effect.place.platform;
        let reach = reach(kind, effect);
        let subject = subject(&reach, effect);
        Self { kind, platform, reach, subject }
    }

    /// A whole platform that cannot be used, noticed without an effect.
    pub fn of_platform(kind: CauseKind, platform: Platform) -> Self {
        Self { kind, platform, reach: Reach::Platform, subject: named(platform).to_owned() }
    }

    /// A workspace or server that cannot be used, noticed without an effect.
    pub(crate) fn of_workspace(kind: CauseKind, platform: Platform, workspace: &str) -> Self {
        let reach = Reach::Workspace { workspace: workspace.to_owned() };
        Self { kind, platform, reach, subject: of_workspace(platform, workspace) }
    }

    /// The cause as words without names: `a channel of the team is archived or deleted, …`.
    pub(crate) fn in_general(&self) -> String {
        let subject = match &self.reach {
            Reach::Platform => named(self.platform),
            Reach::Workspace { .. } | Reach::NewThreads { .. } | Reach::Roles { .. } => {
                word_for_workspace(self.platform)
            }
            Reach::Staff { .. } => "channel of the team",
            Reach::Channel { .. } => "channel",
            Reach::Direct { .. } => "direct conversation with one of the team",
            Reach::Session { .. } => "thread",
        };
        let article = if self.reach == Reach::Platform { "" } else { "a " };
        format!("{article}{subject} {}", self.kind.predicate())
    }

    /// The workspace or server that it is about; `None` if it is about the whole platform, or one conversation.
    pub fn workspace(&self) -> Option<&str> {
        match &self.reach {
            Reach::Platform | Reach::Session { .. } => None,
            Reach::Workspace { workspace }
            | Reach::NewThreads { workspace }
            | Reach::Roles { workspace }
            | Reach::Staff { workspace, .. }
            | Reach::Direct { workspace, .. }
            | Reach::Channel { workspace, .. } => Some(workspace),
        }
    }

    /// Whether an effect is certain to fail of this as well, so that it need not be tried. Where another one may well get
    /// through (it needs no new thread, or another permission), it is tried.
    pub fn covers(&self, effect: &Effect) -> bool {
        let is_certain = match self.kind {
            CauseKind::Unreachable
            | CauseKind::TokenRejected
            | CauseKind::NotInstalled
            | CauseKind::WorkspaceUnavailable
            | CauseKind::ChannelUnavailable
            | CauseKind::MessageLimit => true,
            CauseKind::MissingPermission
            | CauseKind::ThreadLocked
            | CauseKind::ThreadLimit
            | CauseKind::SecondFactorRequired => false,
        };
        let is_web_hook = matches!(effect.to, Recipient::Webhook { .. });
        is_certain
            && !is_web_hook
            && self.platform == effect.place.platform
            && Reach::all_of(effect).contains(&self.reach)
    }
}

impl Reach {
    /// All reaches in which an effect lies, and which may certainly concern it.
    pub(crate) fn all_of(effect: &Effect) -> Vec<Self> {
        let workspace = effect.place.workspace.clone();
        let narrow = narrow(effect);
        vec![Self::Platform, Self::Workspace { workspace }, narrow]
    }
}

fn reach(kind: CauseKind, effect: &Effect) -> Reach {
    let workspace = effect.place.workspace.clone();
    match kind {
        CauseKind::Unreachable => Reach::Platform,
        CauseKind::TokenRejected if effect.place.platform == Platform::Discord => Reach::Platform,
        CauseKind::TokenRejected
        | CauseKind::NotInstalled
        | CauseKind::WorkspaceUnavailable
        | CauseKind::MessageLimit => Reach::Workspace { workspace },
        CauseKind::ThreadLimit => Reach::NewThreads { workspace },
        CauseKind::ThreadLocked => Reach::Session { session: effect.session },
        CauseKind::MissingPermission | CauseKind::SecondFactorRequired
            if matches!(effect.act, Act::AddRoles { .. }) =>
        {
            Reach::Roles { workspace }
        }
        CauseKind::ChannelUnavailable
        | CauseKind::MissingPermission
        | CauseKind::SecondFactorRequired => narrow(effect),
    }
}

/// The place that an effect goes to. A conversation on Discord has a thread of its own, so what is wrong with one says
/// nothing of the next.
fn narrow(effect: &Effect) -> Reach {
    let workspace = effect.place.workspace.clone();
    match &effect.to {
        Recipient::Channel { alias } => Reach::Staff { workspace, alias: alias.clone() },
        Recipient::Person { user } => Reach::Direct { workspace, user: user.clone() },
        Recipient::Participant if effect.place.platform == Platform::Slack => {
            Reach::Channel { workspace, channel: effect.place.channel.clone() }
        }
        Recipient::Participant | Recipient::Webhook { .. } => {
            Reach::Session { session: effect.session }
        }
    }
}

fn subject(reach: &Reach, effect: &Effect) -> String {
    let platform = effect.place.platform;
    match reach {
        Reach::Platform => named(platform).to_owned(),
        Reach::Workspace { workspace }
        | Reach::NewThreads { workspace }
        | Reach::Roles { workspace } => of_workspace(platform, workspace),
        Reach::Staff { alias, .. } => format!("the channel `{alias}`"),
        Reach::Channel { channel, .. } => format!("the channel `{channel}`"),
        Reach::Direct { user, .. } => format!("direct messages to `{user}`"),
        Reach::Session { session } => format!("the thread of the conversation `{session}`"),
    }
}

const fn named(platform: Platform) -> &'static str {
    match platform {
        Platform::Slack => "Slack",
        Platform::Discord => "Discord",
        Platform::Web => "the page",
    }
}

fn of_workspace(platform: Platform, workspace: &str) -> String {
    format!("the {} `{workspace}`", word_for_workspace(platform))
}

const fn word_for_workspace(platform: Platform) -> &'static str {
    match platform {
        Platform::Discord => "server",
        Platform::Slack | Platform::Web => "workspace",
    }
}

impl fmt::Display for Cause {
    /// In words for staff: ``the channel `approvals` is archived or deleted, or the app isn't in it``.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.subject, self.kind.predicate())
    }
}
