//! Accounts: what all sessions of a workspace, and all sessions of the operator, may use up in a period.
//!
//! Every commit charges what its events used up, in the same atomic step, so that nothing is charged twice or lost with
//! a crash. An account is one record for each period: looking at it costs the same however many sessions there are.
//! It is looked at before a model is asked; what is in flight then is finished, so that an account can be overdrawn by
//! one answer for each session that is thinking.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use chrono::{DateTime, TimeDelta, Utc};
use serde_json::Value;

use super::{Engine, Error};
use crate::{
    base::ids::SessionId,
    model::{
        session::Place,
        usage::{Budget, Level, Usage},
    },
    session::{Scope, decide},
    store::{Charge, Commit},
};

/// Most accounts whose warnings are remembered; beyond that the store's memory alone counts.
const TOLD_MAX: usize = 10_000;

/// What was told of accounts while the commit that says so is on its way, and when the staff of each tenant were last told
/// what keeps the model from answering.
#[derive(Debug, Default)]
pub(super) struct Told {
    accounts: Mutex<HashMap<String, Level>>,
    troubles: Mutex<HashMap<(String, &'static str), DateTime<Utc>>>,
}

/// How often staff are told that the model cannot be used.
const TROUBLE_EVERY: TimeDelta = TimeDelta::hours(1);

impl Told {
    /// Whether the staff of a tenant have not been told of a trouble with the model lately; from now on they have.
    pub(super) fn is_trouble_news(
        &self,
        (tenant, word): (&str, &'static str),
        now: DateTime<Utc>,
    ) -> bool {
        let mut told = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (tenant.to_owned(), word);
        let is_news = told.get(&key).is_none_or(|at| now - *at >= TROUBLE_EVERY);
        if is_news {
            told.insert(key, now);
        }
        is_news
    }

    /// Whether nobody has told this much of the account yet; from now on somebody has.
    fn is_news(&self, account: &str, level: Level) -> bool {
        let mut told = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= TOLD_MAX {
            told.clear();
        }
        let known = told.entry(account.to_owned()).or_default();
        let is_news = *known < level;
        *known = level.max(*known);
        is_news
    }

    /// They were not told after all.
    pub(super) fn forget_trouble(&self, (tenant, word): (&str, &'static str)) {
        let mut told = self.troubles.lock().unwrap_or_else(PoisonError::into_inner);
        told.remove(&(tenant.to_owned(), word));
    }

    /// It was not told after all.
    fn forget(&self, account: &str) {
        self.accounts.lock().unwrap_or_else(PoisonError::into_inner).remove(account);
    }
}

impl Engine {
    /// The account of a scope, as the store knows it; `None` if the conversation has no such one.
    fn account(&self, scope: Scope, place: &Place, period: &str) -> Option<String> {
        Some(match scope {
            Scope::Workspace => format!("{}:{} {period}", place.platform, place.workspace),
            Scope::Tenant => {
                format!("tenant {} {period}", self.inner.limits.tenants.at(place)?.name)
            }
            Scope::Total => format!("total {period}"),
        })
    }

    /// The record of what a tenant's staff were told about the total; of other accounts that is kept with the account.
    fn tenant_notice(&self, scope: Scope, place: &Place, account: &str) -> Option<String> {
        let tenant = self.inner.limits.tenants.at(place).filter(|_| scope == Scope::Total)?;
        Some(format!("{account} told {}", tenant.name))
    }

    /// What a commit charges to whom.
    pub(super) fn charges(&self, commit: &Commit) -> Vec<Charge> {
        let mut usage = Usage::default();
        commit.events.iter().for_each(|recorded| usage += recorded.event.charge());
        let period = self.inner.limits.budgets.per.name(self.inner.parts.clock.now());
        let place = &commit.head.place;
        let mut charges = Vec::new();
        for scope in Scope::ALL {
            let told = told_by(commit, scope);
            if usage.is_nothing() && told == Level::Fine {
                continue;
            }
            let Some(account) = self.account(scope, place, &period) else { continue };
            if told > Level::Fine
                && let Some(notice) = self.tenant_notice(scope, place, &account)
            {
                charges.push(Charge { account: notice, usage: Usage::default(), told });
                charges.push(Charge { account, usage, told: Level::Fine });
            } else {
                charges.push(Charge { account, usage, told });
            }
        }
        charges
    }

    /// Whether an account is empty of which a session's next answer would be paid; and when it is filled again. Tells
    /// the operator and the staff, once for each account and level, where one is low or empty.
    pub(super) async fn empty_account(
        &self,
        session: SessionId,
        place: &Place,
    ) -> Result<Option<(Scope, DateTime<Utc>)>, Error> {
        let budgets = self.inner.limits.budgets;
        let tenant = self.inner.limits.tenants.at(place);
        let now = self.inner.parts.clock.now();
        let until = budgets.per.end(now);
        for scope in Scope::ALL {
            let budget = match scope {
                Scope::Workspace => budgets.workspace,
                Scope::Tenant => tenant.map(|tenant| tenant.budget).unwrap_or_default(),
                Scope::Total => budgets.total,
            };
            if budget == Budget::default() {
                continue;
            }
            let Some(account) = self.account(scope, place, &budgets.per.name(now)) else {
                continue;
            };
            let balance = self.inner.parts.store.balance(&account).await?;
            let level = budget.level(balance.usage);
            let (known, told) = match self.tenant_notice(scope, place, &account) {
                Some(_) if level == Level::Fine => continue,
                Some(notice) => {
                    let told = self.inner.parts.store.balance(&notice).await?.told;
                    (notice, told)
                }
                None => (account, balance.told),
            };
            if level > told && self.inner.told.is_news(&known, level) {
                let used = budget.in_words(balance.usage).unwrap_or_default();
                let is_theirs = tenant.is_none() || scope != Scope::Total;
                let said = self.decide(session, |view| {
                    decide::account_noted(view, (scope, is_theirs), (level, &used), until)
                });
                if let Err(error) = said.await {
                    self.inner.told.forget(&known);
                    return Err(error);
                }
            }
            if level == Level::UsedUp {
                return Ok(Some((scope, until)));
            }
        }
        Ok(None)
    }
}

/// How much of an account a commit tells.
fn told_by(commit: &Commit, scope: Scope) -> Level {
    let of_scope = |facts: &serde_json::Map<String, Value>| {
        facts.get("scope").and_then(Value::as_str) == Some(scope.word())
    };
    let levels = commit.audit.iter().filter(|record| of_scope(&record.facts)).map(|record| {
        match record.event.as_str() {
            "budget_low" => Level::Low,
            "budget_used_up" => Level::UsedUp,
            _ => Level::Fine,
        }
    });
    levels.max().unwrap_or_default()
}
