//! `anteroom sessions`.

use std::process::ExitCode;

use chrono::{DateTime, Utc};

use super::{
    app::{self, Wanted},
    cli::{Json, Sessions},
    reach::Reach,
    request::Request,
    scrub, term,
};
use crate::{
    clock::{Clock as _, SystemClock},
    model::session::Head,
    store::unreadable::Unreadable,
};

/// Lists the sessions, or shows one.
pub(super) fn sessions(wanted: &Wanted, command: Sessions) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = Reach::find(&settings).await?;
        match command {
            Sessions::List(output) => {
                list(reach.heads().await?, output)?;
                // What is damaged is missing from the list.
                let damage: Vec<Unreadable> = reach.ask(Request::Damage).await?;
                return Ok(scrub::tell_damage(&damage));
            }
            Sessions::Show { session, output } => {
                let mut text = Vec::new();
                let request = Request::Show { session, json: output.json };
                reach.ask_into::<serde_json::Value>(request, &mut text).await?;
                term::pour(&text)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

fn list(mut heads: Vec<Head>, Json { json }: Json) -> anyhow::Result<()> {
    // Child runs are shown with their conversation.
    heads.retain(|head| head.parent.is_none());
    heads.reverse();
    if json {
        return Ok(term::json(&heads)?);
    }
    let now = SystemClock.now();
    let rows: Vec<[String; 8]> = heads.iter().map(|head| row(head, now)).collect();
    let headings = ["SESSION", "FLOW", "PERSON", "STATUS", "PHASE", "OPEN", "LAST CHANGE", "GOES"];
    Ok(term::table(headings, &rows, "There are no sessions yet.")?)
}

fn row(head: &Head, now: DateTime<Utc>) -> [String; 8] {
    let status = if head.handed_over { "handed over" } else { head.status.name() };
    let open = match head.approvals {
        0 => head.pending.to_string(),
        approvals => format!("{} ({approvals} to decide)", head.pending),
    };
    [
        head.id.to_string(),
        head.flow.id.clone(),
        head.name.clone().unwrap_or_else(|| head.participant.to_string()),
        status.to_owned(),
        head.phase.clone().unwrap_or_default(),
        open,
        ago(now, head.updated_at),
        match head.goes_at {
            _ if head.held => "held".to_owned(),
            Some(at) => at.format("%Y-%m-%d").to_string(),
            None => String::new(),
        },
    ]
}

fn ago(now: DateTime<Utc>, at: DateTime<Utc>) -> String {
    let minutes = (now - at).num_minutes().max(0);
    match minutes {
        0 => "just now".to_owned(),
        1..60 => format!("{minutes} min ago"),
        60..1440 => format!("{} h ago", minutes / 60),
        _ => format!("{} d ago", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;

    use super::*;

    #[test]
    fn times_are_told_as_people_do() {
        let now = DateTime::UNIX_EPOCH;
        let told = |minutes| ago(now, now - TimeDelta::minutes(minutes));
        assert_eq!(told(0), "just now");
        assert_eq!(told(59), "59 min ago");
        assert_eq!(told(60 * 23), "23 h ago");
        assert_eq!(told(60 * 48), "2 d ago");
    }
}
