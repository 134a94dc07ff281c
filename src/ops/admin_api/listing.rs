//! Which sessions an operator sees in a list, newest first, a page at a time.

use anyhow::bail;
use serde::{Deserialize, Serialize};

use super::PAGE;
use crate::{
    base::ids::SessionId,
    config::{Tenants, problem::did_you_mean},
    engine::Engine,
    model::session::Head,
};

/// Which sessions are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::ops) struct Filter {
    /// Older than this one.
    pub(in crate::ops) before: Option<SessionId>,
    /// At most so many; a page at the most.
    pub(in crate::ops) limit: usize,
    /// With this status, as [`status_of`] names it.
    pub(in crate::ops) status: Option<String>,
    /// Of this flow.
    pub(in crate::ops) flow: Option<String>,
    /// Of this tenant.
    pub(in crate::ops) tenant: Option<String>,
}

impl Filter {
    fn takes(&self, head: &Head, tenants: &Tenants) -> bool {
        let is_tenants = |name: &str| tenants.at(&head.place).is_some_and(|of| of.name == name);
        self.status.as_deref().is_none_or(|status| status_of(head) == status)
            && self.flow.as_deref().is_none_or(|flow| head.flow.id == flow)
            && self.tenant.as_deref().is_none_or(is_tenants)
    }
}

/// Some of the sessions that are wanted.
#[derive(Debug, Serialize, Deserialize)]
pub(in crate::ops) struct Listed {
    pub(in crate::ops) sessions: Vec<Head>,
    /// What the next page is before; `None` if no more follow. A page of few may follow, or of none.
    pub(in crate::ops) next: Option<SessionId>,
}

/// The status as people name it.
pub(in crate::ops) fn status_of(head: &Head) -> &'static str {
    if head.handed_over { "handed-over" } else { head.status.name() }
}

/// The newest sessions that are wanted. Child runs are shown with their conversation.
pub(super) async fn page(engine: &Engine, wanted: &Filter) -> anyhow::Result<Listed> {
    let tenants = engine.tenants();
    if let Some(name) = &wanted.tenant
        && tenants.named(name).is_none()
    {
        let known = tenants.iter().map(|tenant| tenant.name.as_str());
        let hint = did_you_mean(name, known).unwrap_or_else(|| {
            "tenants are set up under `[tenant.NAME]` in the configuration".to_owned()
        });
        bail!("there is no tenant `{name}`. hint: {hint}");
    }
    let bounds = (wanted.before, wanted.limit.clamp(1, PAGE));
    let (sessions, next) = engine.newest(bounds, |head| wanted.takes(head, tenants)).await?;
    Ok(Listed { sessions, next })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn sessions_are_chosen_by_status_and_flow() {
        let head = json!({
            "id": "ses_018f6f2a0b0c7d0e8f00112233445566",
            "flow": { "id": "f", "version": "1.0.0", "digest": "d" },
            "participant": "slack:T1/U1",
            "place": { "platform": "slack", "workspace": "T1", "channel": "D1" },
            "status": "open", "pending": 0, "approvals": 0, "progress": 0.5, "seq": 1,
            "created_at": "2026-11-02T00:00:00Z", "updated_at": "2026-11-02T00:00:00Z",
        });
        let head: Head = serde_json::from_value(head).unwrap();
        let with = |status: Option<&str>, flow: Option<&str>, tenant: Option<&str>| Filter {
            status: status.map(str::to_owned),
            flow: flow.map(str::to_owned),
            tenant: tenant.map(str::to_owned),
            ..Filter::default()
        };
        let takes = |wanted: &Filter, head: &Head| wanted.takes(head, &Tenants::default());
        assert!(takes(&with(None, None, None), &head));
        assert!(takes(&with(Some("open"), Some("f"), None), &head));
        assert!(!takes(&with(Some("open"), Some("other"), None), &head));
        assert!(!takes(&with(None, None, Some("acme")), &head), "of no tenant");
        let helped = Head { handed_over: true, ..head };
        assert!(!takes(&with(Some("open"), None, None), &helped));
        assert!(takes(&with(Some("handed-over"), None, None), &helped));
    }
}
