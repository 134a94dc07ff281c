//! What a session may use up: a turn, and the whole of it with its children.
//!
//! | | at four fifths | at the end |
//! |---|---|---|
//! | turn | the operator's log and metrics | one last answer without tools, then a person is offered, as after the last round |
//! | session | the same, and a note to staff | calls that the model still wants are closed unmade; the script leads, in later phases too, or a person is asked for |
//!
//! What a workspace and all together may use up is looked after by the engine, which alone sees all sessions; staff
//! are told here.

use std::num::NonZeroU64;

use chrono::{DateTime, Utc};
use serde_json::json;

use super::{Changes, SessionView, state::model_turn::BUDGET, texts};
use crate::{
    base::ids::CallId,
    messages,
    model::{
        flow::{Mode, Phase},
        session::Status,
        transcript::{Call, CallResult, Event, SpentOn},
        usage::{Budget, Level, Usage},
    },
};

/// Where a session stands in its budgets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Levels {
    turn: Level,
    session: Level,
}

/// Whose sessions share an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// Those of one workspace or guild.
    Workspace,
    /// Those of one tenant.
    Tenant,
    /// All.
    Total,
}

impl Scope {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Workspace, Self::Tenant, Self::Total];

    /// The word in the configuration, logs and metrics.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Workspace => "workspace",
            Self::Tenant => "tenant",
            Self::Total => "total",
        }
    }

    /// Why the model was not asked.
    pub const fn budget(self) -> &'static str {
        match self {
            Self::Workspace => "workspace_budget",
            Self::Tenant => "tenant_budget",
            Self::Total => "total_budget",
        }
    }
}

impl Changes {
    /// Takes into account what was used up besides the model's rounds: by a tool, or by a child, whose use is told
    /// once, all together, when it ends.
    pub fn spend(&mut self, on: SpentOn, usage: Usage) {
        if usage.is_nothing() {
            return;
        }
        let before = self.levels();
        self.emit(Event::Spent { on, usage });
        self.mind_budgets(before);
    }

    /// Tells staff, and by the audit record the operator, that an account is low or empty until a time. Of one that is
    /// not `theirs` alone, staff are told only that it is empty: how much others have used is the operator's to know.
    pub(super) fn note_account(
        &mut self,
        (scope, is_theirs): (Scope, bool),
        (level, used): (Level, &str),
        until: DateTime<Utc>,
    ) {
        self.note_budget(scope.word(), level, Some(used));
        let whose = match scope {
            Scope::Workspace => messages::staff::WORKSPACE_CONVERSATIONS,
            Scope::Tenant => messages::staff::YOUR_CONVERSATIONS,
            Scope::Total => messages::staff::ALL_CONVERSATIONS,
        };
        let text = match level {
            Level::Low if !is_theirs => return,
            Level::UsedUp if !is_theirs => messages::staff::model_rests(until),
            Level::Fine => return,
            Level::Low => messages::staff::account_low(whose, used, until),
            Level::UsedUp => messages::staff::account_empty(whose, used, until),
        };
        let channel = self.flow.flow.handoff.channel.clone();
        self.post_to_staff(channel.as_deref(), text);
    }

    /// Says it where a budget has become low or was used up since `before`, and draws the consequence.
    pub(super) fn mind_budgets(&mut self, before: Levels) {
        let after = self.levels();
        let (turn, spent) = (self.state.model_turn.turn, self.state.model_turn.spent);
        if before.turn < after.turn {
            self.note_budget(
                "turn",
                after.turn,
                self.settings.budgets.turn.in_words(turn).as_deref(),
            );
        }
        if before.session >= after.session {
            return;
        }
        let words = self.session_budget().in_words(spent).unwrap_or_default();
        self.note_budget("session", after.session, Some(&words));
        match after.session {
            Level::Fine => {}
            Level::Low => {
                let channel = self.flow.flow.handoff.channel.clone();
                let text = messages::staff::conversation_used(&words);
                self.post_to_staff(channel.as_deref(), text);
            }
            Level::UsedUp => self.run_out(),
        }
    }

    /// The record from which the engine tells the operator, exactly once.
    fn note_budget(&mut self, scope: &str, level: Level, used: Option<&str>) {
        let event = match level {
            Level::Fine => return,
            Level::Low => "budget_low",
            Level::UsedUp => "budget_used_up",
        };
        self.audit(event, [("scope", json!(scope)), ("used", json!(used))], []);
    }

    /// The model is not asked any more in this session.
    fn run_out(&mut self) {
        self.close_unmade(BUDGET, texts::NOT_MADE);
        if self.is_child() {
            return self.fail_child(BUDGET, texts::TASK_RAN_OUT.to_owned());
        }
        if self.state.status != Status::Open || self.state.handoff.is_some() {
            // When it goes on, the script leads without a word, or a person is offered.
            return;
        }
        let phase = self.phase().filter(|phase| self.is_for_model(phase)).cloned();
        let Some(phase) = phase else { return };
        if phase.has_fallback() {
            self.let_script_lead(&phase, BUDGET);
        } else {
            self.hand_over_without_means();
        }
    }

    /// Calls of the last round that were not begun get their one result, so that none of them is made later.
    pub(super) fn close_unmade(&mut self, code: &str, message: &str) {
        let wanted = &self.state.model_turn.wanted;
        // What belongs to a request that is open gets the request's result.
        let open = wanted.iter().find(|call| {
            call.tool == "next_phase"
                && self.state.call(&call.id).is_some_and(|known| known.result.is_none())
        });
        let asked = open.map(|call| self.same_request(&call.id)).unwrap_or_default();
        let is_unmade = |call: &&Call| self.state.call(&call.id).is_none() && !asked.contains(call);
        let unmade: Vec<Call> = wanted.iter().filter(is_unmade).cloned().collect();
        for call in unmade {
            let id: CallId = call.id.clone();
            let (code, message) = (code.to_owned(), message.to_owned());
            self.emit(Event::Called(call));
            self.emit(Event::Returned { call: id, result: CallResult::Err { code, message } });
        }
    }

    /// A phase for the model begins in a session that has nothing left for it.
    pub(super) fn begin_without_means(&mut self, phase: &Phase) {
        if !self.is_for_model(phase) || self.has_means() {
            return;
        }
        if phase.has_fallback() {
            let because = BUDGET.to_owned();
            self.emit(Event::ScriptLeads { phase: phase.id.clone(), because });
        } else {
            self.hand_over_without_means();
        }
    }

    fn hand_over_without_means(&mut self) {
        let reason = "the assistant has used up what it may in one conversation";
        self.hand_over(reason, messages::interview::STUCK);
    }
}

impl SessionView {
    /// The flow's bound on a session, or the operator's where that is tighter. A child run has what its parent gave it.
    fn session_budget(&self) -> Budget {
        let own = self.state.subtasks.parent_link.as_ref();
        let tokens = own.map_or(self.flow.flow.limits.tokens, |own| own.assignment.tokens);
        let tokens = NonZeroU64::new(tokens.max(1));
        self.settings.budgets.session.within(Budget { tokens, ..Budget::default() })
    }

    /// Tokens that are left of them.
    pub(crate) fn tokens_left(&self) -> u64 {
        let allowed = self.session_budget().tokens.map_or(u64::MAX, NonZeroU64::get);
        allowed.saturating_sub(self.state.model_turn.spent.tokens())
    }

    /// Whether the model may still be asked in this session.
    pub(crate) fn has_means(&self) -> bool {
        self.session_budget().level(self.state.model_turn.spent) < Level::UsedUp
    }

    /// Whether this turn has used up what a turn may.
    pub(super) fn turn_is_used_up(&self) -> bool {
        self.settings.budgets.turn.level(self.state.model_turn.turn) == Level::UsedUp
    }

    pub(super) fn levels(&self) -> Levels {
        let model_turn = &self.state.model_turn;
        Levels {
            turn: self.settings.budgets.turn.level(model_turn.turn),
            session: self.session_budget().level(model_turn.spent),
        }
    }

    /// Whether the session stands still because there is no model, or nothing is left for it, and no script either.
    pub(super) fn lacks_means(&self) -> bool {
        let Some(phase) = self.phase().filter(|phase| phase.mode == Mode::Interview) else {
            return false;
        };
        if self.settings.has_model {
            return self.is_for_model(phase) && !phase.has_fallback() && !self.has_means();
        }
        phase.step.is_empty() && !phase.objective.is_empty()
    }

    /// Whether a phase is the model's, as long as there is something left for it.
    pub(super) fn is_for_model(&self, phase: &Phase) -> bool {
        self.settings.has_model
            && phase.mode == Mode::Interview
            && self.state.model_turn.script_leads.as_ref() != Some(&phase.id)
    }
}
