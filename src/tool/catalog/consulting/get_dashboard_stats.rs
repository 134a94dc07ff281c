//! `get_dashboard_stats`: how many leads there were and how they did. For staff only: nobody else is shown that there
//! is such a tool.
//!
//! ```json
//! { "success": true, "data": { "period": "7d", "totalLeads": 12, "qualifiedLeads": 5, "conversionRate": 0.42,
//!   "averageLeadScore": 61.5, "engagementRate": 0.83, "topCapabilities": [{ "capability": "roi", "leads": 7 }],
//!   "notes": ["…"] } }
//! ```
//!
//! A lead is a conversation of a flow with a rule for points (`[lead]`), begun within the period and no trial run, in the
//! workspace, server or page where the figures are asked for: whoever is staff there need not be so elsewhere. It is
//! qualified from 70 points on; the conversion rate is qualified leads ÷ all leads, the
//! engagement rate those for whom the bot was used for anything ÷ all leads. Nothing personal is in it.

use std::collections::BTreeMap;

use async_trait::async_trait;
use chrono::TimeDelta;
use serde::Deserialize;
use serde_json::{Value, json};

use super::charts::with_chart;
use crate::{
    model::session::{Head, Place},
    ports::documents::{Bar, Chart},
    tool::{Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// Most conversations that are looked at, newest first.
const LOOKED_AT: usize = 10_000;

/// From how many points on a lead is qualified.
const QUALIFIED: u8 = 70;

/// Capabilities that are listed.
const TOP: usize = 5;

#[derive(Debug, Deserialize)]
struct Args {
    #[serde(default)]
    period: Period,
}

/// How far back is looked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
enum Period {
    #[serde(rename = "1d")]
    Day,
    #[default]
    #[serde(rename = "7d")]
    Week,
    #[serde(rename = "30d")]
    Month,
    #[serde(rename = "90d")]
    Quarter,
}

impl Period {
    const fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
            Self::Month => 30,
            Self::Quarter => 90,
        }
    }
}

/// Counts leads.
#[derive(Debug)]
pub(crate) struct GetDashboardStats(ToolSpec);

impl Default for GetDashboardStats {
    fn default() -> Self {
        let description = "Get the figures about leads: how many, how many qualified, how engaged.";
        let spec = super::spec("get_dashboard_stats", description, schema(), Some("doc"));
        Self(ToolSpec { doing: "Counting…", done: "Counted", admin_only: true, ..spec })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            "period": {
                "type": "string", "enum": ["1d", "7d", "30d", "90d"], "default": "7d",
                "description": "How far back"
            }
        }
    })
}

/// The figures of some leads.
fn figures(leads: &[(&Head, u8)]) -> Value {
    let qualified = leads.iter().filter(|(_, score)| *score >= QUALIFIED).count();
    let engaged = leads.iter().filter(|(head, _)| !head.capabilities.is_empty()).count();
    let points: u32 = leads.iter().map(|(_, score)| u32::from(*score)).sum();
    let top =
        used(leads).into_iter().map(|(name, leads)| json!({ "capability": name, "leads": leads }));
    json!({
        "totalLeads": leads.len(),
        "qualifiedLeads": qualified,
        "conversionRate": share(qualified, leads.len()),
        "averageLeadScore": mean(points, leads.len()),
        "engagementRate": share(engaged, leads.len()),
        "topCapabilities": top.collect::<Vec<_>>(),
    })
}

/// All leads, those that qualified, those that used anything, and what they used.
fn chart(leads: &[(&Head, u8)], period: Period) -> Chart {
    let bar = |label: String, count: usize| Bar {
        label,
        value: u32::try_from(count).unwrap_or(u32::MAX).into(),
        text: count.to_string(),
    };
    let count = |is: &dyn Fn(&Head, u8) -> bool| {
        leads.iter().filter(|(head, score)| is(head, *score)).count()
    };
    let mut bars = vec![
        bar("Leads".to_owned(), leads.len()),
        bar("Qualified".to_owned(), count(&|_, score| score >= QUALIFIED)),
        bar("Engaged".to_owned(), count(&|head, _| !head.capabilities.is_empty())),
    ];
    let used = used(leads).into_iter();
    bars.extend(used.map(|(name, leads)| bar(format!("used: {name}"), leads)));
    Chart { title: format!("Leads, {} days", period.days()), bars, note: None }
}

/// What was used, by how many leads, most first.
fn used<'a>(leads: &[(&'a Head, u8)]) -> Vec<(&'a str, usize)> {
    let mut used: BTreeMap<&str, usize> = BTreeMap::new();
    for (head, _) in leads {
        for capability in &head.capabilities {
            *used.entry(capability).or_default() += 1;
        }
    }
    let mut used: Vec<(&str, usize)> = used.into_iter().collect();
    used.sort_by_key(|(_, leads)| std::cmp::Reverse(*leads));
    used.truncate(TOP);
    used
}

/// Two decimals; none of nothing.
fn share(part: usize, of: usize) -> Option<f64> {
    let (part, of) = (u32::try_from(part).ok()?, u32::try_from(of).ok()?);
    (of > 0).then(|| (f64::from(part) / f64::from(of) * 100.0).round() / 100.0)
}

/// One decimal; none of nothing.
fn mean(sum: u32, of: usize) -> Option<f64> {
    let of = u32::try_from(of).ok()?;
    (of > 0).then(|| (f64::from(sum) / f64::from(of) * 10.0).round() / 10.0)
}

#[async_trait]
impl Tool for GetDashboardStats {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { period } = parse_args(args)?;
        let Some(past) = &cx.services.past else {
            return Err(ToolError::NotConfigured("Counting leads"));
        };
        let since = cx.now - TimeDelta::days(period.days());
        let heads = past.newest(LOOKED_AT).await?;
        let all =
            heads.len() < LOOKED_AT || heads.last().is_some_and(|head| head.created_at < since);
        let (platform, workspace) = cx.read(|view| {
            let Place { platform, workspace, .. } = &view.state.place;
            (*platform, workspace.clone())
        });
        let is_lead = |head: &'_ &Head| {
            let is_here = head.place.platform == platform && head.place.workspace == workspace;
            is_here && head.created_at >= since && !head.test
        };
        let leads = heads.iter().filter(is_lead);
        let leads: Vec<(&Head, u8)> = leads.filter_map(|head| Some((head, head.score?))).collect();
        let mut value = figures(&leads);
        let mut notes = vec![
            format!("Leads are conversations begun here since {}.", crate::tool::stamp(since)),
            format!("Qualified from {QUALIFIED} points on; conversion is qualified ÷ all."),
        ];
        if !all {
            notes.push(format!("Only the newest {LOOKED_AT} conversations were looked at."));
        }
        if let Value::Object(members) = &mut value {
            members.insert("period".to_owned(), json!(format!("{}d", period.days())));
            members.insert("notes".to_owned(), json!(notes));
        }
        let chart = chart(&leads, period);
        let caption = format!("Leads of the last {} days.", period.days());
        Ok(with_chart(cx, value, ("leads.png", &caption), chart).await)
    }
}
