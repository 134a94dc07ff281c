//! `anteroom sessions`.

use std::{collections::BTreeSet, io, num::NonZeroUsize, process::ExitCode};

use chrono::{DateTime, TimeDelta, Utc};
use clap::{
    Args, Subcommand,
    builder::{NonEmptyStringValueParser, PossibleValuesParser},
};

use super::{
    admin_api::{
        AdminRequest,
        listing::{Filter, status_of},
    },
    app::{self, Wanted},
    data_access::DataAccess,
    scrub,
    shared_args::{self, Json},
    term::{self, JsonList},
};
use crate::{
    base::clock::{Clock as _, SystemClock},
    chat::form::clip,
    model::session::Head,
    store::unreadable::Unreadable,
};

/// `sessions`.
#[derive(Debug, Subcommand)]
pub(super) enum Sessions {
    /// List the sessions, newest first.
    List(SessionList),
    /// Show one session with its transcript. The audit log records that it was read.
    Show {
        /// The session's id, or the first characters of it.
        #[arg(value_parser = NonEmptyStringValueParser::new())]
        session: String,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// `sessions list`.
#[derive(Debug, Args)]
pub(super) struct SessionList {
    /// Only sessions with this status.
    #[arg(long, value_parser = PossibleValuesParser::new(
        ["notice", "open", "handed-over", "stopped", "paused", "declined", "completed", "ended"]
    ))]
    status: Option<String>,
    /// Only sessions of this flow.
    #[arg(long, value_name = "ID", value_parser = NonEmptyStringValueParser::new())]
    flow: Option<String>,
    /// Only sessions of this tenant.
    #[arg(long, value_name = "NAME", value_parser = NonEmptyStringValueParser::new())]
    tenant: Option<String>,
    /// How many to list at most [default: 100, or all with `--json`].
    #[arg(long, value_name = "N", value_parser = shared_args::count)]
    limit: Option<NonZeroUsize>,
    /// Only sessions that began before this one: its id, or the first characters of it.
    #[arg(long, value_name = "SESSION", value_parser = NonEmptyStringValueParser::new())]
    before: Option<String>,
    /// Output.
    #[command(flatten)]
    output: Json,
}

/// Lists the sessions, or shows one.
pub(super) fn sessions(wanted: &Wanted, command: Sessions) -> anyhow::Result<ExitCode> {
    let settings = wanted.settings()?;
    app::block_on(async {
        let reach = DataAccess::find(&settings).await?;
        match command {
            Sessions::List(asked) => {
                list(&reach, asked).await?;
                // What is damaged is missing from the list.
                let damage: Vec<Unreadable> = reach.ask(AdminRequest::Damage).await?;
                return Ok(scrub::tell_damage(&damage));
            }
            Sessions::Show { session, output } => {
                let mut text = Vec::new();
                let request = AdminRequest::Show { session, json: output.json };
                reach.ask_into::<serde_json::Value>(request, &mut text).await?;
                term::pour(&text)?;
            }
        }
        Ok(ExitCode::SUCCESS)
    })
}

/// Sessions that a table shows where nobody says how many.
const TABLE: usize = 100;

/// Writes the newest sessions that were asked for.
async fn list(reach: &DataAccess, asked: SessionList) -> anyhow::Result<()> {
    let SessionList { status, flow, tenant, limit, before, output } = asked;
    let before = match before {
        Some(session) => Some(reach.ask(AdminRequest::Find { session }).await?),
        None => None,
    };
    let is_any = before.is_none() && status.is_none() && flow.is_none() && tenant.is_none();
    let wanted = Filter { before, status, flow, tenant, limit: 0 };
    let limit = limit.map(NonZeroUsize::get);
    if output.json {
        let mut list = JsonList::default();
        let most = limit.unwrap_or(usize::MAX);
        reach.each_page(wanted, most, |heads| Ok(list.add(heads.iter())?)).await?;
        return Ok(list.end()?);
    }
    let (limit, mut heads) = (limit.unwrap_or(TABLE), Vec::new());
    // One more tells whether there are more.
    let most = limit.saturating_add(1);
    let keep = |page: Vec<Head>| {
        heads.extend(page);
        Ok(())
    };
    reach.each_page(wanted, most, keep).await?;
    let has_more = heads.len() > limit;
    heads.truncate(limit);
    tell(&heads, is_any)?;
    if let Some(last) = heads.last().filter(|_| has_more) {
        term::say(format!(
            "There are more. List the next ones with `--before {}`, or more at once with `--limit`.",
            last.id
        ))?;
    }
    Ok(())
}

/// Writes sessions as a table.
fn tell(heads: &[Head], is_any: bool) -> io::Result<()> {
    let now = SystemClock.now();
    let ids = ids(heads.iter().map(|head| head.id.to_string()).collect());
    let rows = heads.iter().zip(ids).map(|(head, id)| row(head, id, now));
    let rows = fitted(rows.collect());
    let none = if is_any { "There are no sessions yet." } else { "There are no such sessions." };
    term::table(HEADINGS, &rows, none)
}

/// Who it is comes first, and what to copy last. All of it fits 120 columns.
const HEADINGS: [&str; COLUMNS] =
    ["PERSON", "FLOW", "STATUS", "PHASE", "OPEN", "IDLE", "DELETED ON", "SESSION"];

/// How many columns that is.
const COLUMNS: usize = 8;

/// Least of an id that is shown: when the session began, to the millisecond, and some of what is random.
const ID_MIN: usize = "ses_".len() + 16;

/// Longest line, in characters.
const LINE_MAX: usize = 120;

/// What is shown of a name however long the line becomes, in characters; and of a flow.
const PERSON_MIN: usize = 13;
const FLOW_MIN: usize = 12;

/// Longest name of a phase, in characters.
const PHASE_MAX: usize = 13;

/// The beginnings of ids that tell them apart, all of one length: a command takes the first characters of an id.
fn ids(mut ids: Vec<String>) -> Vec<String> {
    let longest = ids.iter().map(String::len).max().unwrap_or_default();
    let tells_apart = |length: &usize| {
        let begins: BTreeSet<&str> = ids.iter().filter_map(|id| id.get(..*length)).collect();
        begins.len() == ids.len()
    };
    let length = (ID_MIN..longest).find(tells_apart).unwrap_or(longest);
    for id in &mut ids {
        id.truncate(length);
    }
    ids
}

fn row(head: &Head, id: String, now: DateTime<Utc>) -> [String; COLUMNS] {
    let open = match head.approvals {
        0 => head.pending.to_string(),
        approvals => format!("{} ({approvals} to decide)", head.pending),
    };
    let person = head.name.clone().unwrap_or_else(|| head.participant.to_string());
    [
        person,
        head.flow.id.clone(),
        status_of(head).to_owned(),
        clip(head.phase.as_deref().unwrap_or_default(), PHASE_MAX),
        open,
        idle(now - head.updated_at),
        match head.goes_at {
            _ if head.held => "on hold".to_owned(),
            Some(at) => at.format("%Y-%m-%d").to_string(),
            None => String::new(),
        },
        id,
    ]
}

/// Shortens flows and names to what the other columns leave of a line: a flow takes what it needs but for the least of
/// the names.
fn fitted(mut rows: Vec<[String; COLUMNS]>) -> Vec<[String; COLUMNS]> {
    let width = |column: usize| {
        let cells = rows.iter().map(|row| row[column].chars().count());
        cells.chain([HEADINGS[column].len()]).max().unwrap_or(0)
    };
    let gaps = 2 * (COLUMNS - 1);
    let taken: usize = (2..COLUMNS).map(width).sum();
    // What is shortened ends with a sign that does not count.
    let room = LINE_MAX.saturating_sub(taken + gaps + 2);
    let flow = width(1).min(room.saturating_sub(PERSON_MIN)).max(FLOW_MIN);
    let person = room.saturating_sub(flow).max(PERSON_MIN);
    for row in &mut rows {
        row[0] = clip(&row[0], person);
        row[1] = clip(&row[1], flow);
    }
    rows
}

fn idle(time: TimeDelta) -> String {
    match time.num_minutes().max(0) {
        minutes @ ..60 => format!("{minutes} min"),
        minutes @ 60..1440 => format!("{} h", minutes / 60),
        minutes => format!("{} d", minutes / 1440),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_are_told_as_people_do() {
        let told = |minutes| idle(TimeDelta::minutes(minutes));
        assert_eq!(told(0), "0 min");
        assert_eq!(told(59), "59 min");
        assert_eq!(told(60 * 23), "23 h");
        assert_eq!(told(60 * 48), "2 d");
    }

    /// A conversation with long names for everything, and many questions.
    fn head() -> Head {
        let head = json!({
            "id": "ses_018f6f2a0b0c7d0e8f00112233445566",
            "flow": { "id": "candidate-onboarding", "version": "1.0.0", "digest": "d" },
            "participant": "slack:T0123456789/U0123456789",
            "name": "Wolfeschlegelsteinhausenbergerdorff",
            "place": { "platform": "slack", "workspace": "T0123456789", "channel": "D1" },
            "status": "completed", "phase": "phase_2_deep_dive_into_projects", "pending": 12,
            "approvals": 3, "progress": 0.5, "seq": 1, "goes_at": "2027-05-21T00:00:00Z",
            "created_at": "2026-11-02T00:00:00Z", "updated_at": "2026-11-02T00:00:00Z",
        });
        serde_json::from_value(head).unwrap()
    }

    #[test]
    fn the_list_fits_and_begins_with_the_person() {
        let now = "2026-11-20T00:00:00Z".parse().unwrap();
        let mut nameless = Head { name: None, handed_over: true, ..head() };
        nameless.id = "ses_018f6f2a0b0c7d0f8f00112233445566".parse().unwrap();

        let rows = |heads: &[&Head]| {
            let ids = ids(heads.iter().map(|head| head.id.to_string()).collect());
            fitted(heads.iter().zip(ids).map(|(head, id)| row(head, id, now)).collect())
        };
        let text = term::laid_out(HEADINGS, &rows(&[&head(), &nameless]));

        assert!(text.lines().all(|line| line.chars().count() <= LINE_MAX), "{text}");
        assert!(text.starts_with("PERSON "), "{text}");
        assert!(text.contains("\nWolfeschlegel") && text.contains("\nslack:T01234"), "{text}");
        assert!(
            text.contains("  candidate-onboa") && text.contains("  ses_018f6f2a0b0c7d0f"),
            "{text}"
        );
        assert!(text.contains("handed-over") && text.contains("12 (3 to decide)"), "{text}");
        let short = Head { name: Some("Ada Byron".to_owned()), pending: 1, approvals: 0, ..head() };
        let text = term::laid_out(HEADINGS, &rows(&[&short]));
        assert!(text.contains("\nAda Byron  candidate-onboarding  completed"), "{text}");
        assert!(text.contains("  ses_018f6f2a0b0c7d0e") && !text.contains("7d0e8f"), "{text}");
    }

    #[test]
    fn ids_are_shortened_to_what_tells_them_apart() {
        let of = |all: &[&str]| ids(all.iter().map(|&id| id.to_owned()).collect());
        let one = "ses_018f6f2a0b0c7d0e8f00112233445566";
        assert_eq!(of(&[one]), ["ses_018f6f2a0b0c7d0e"]);
        let other = "ses_018f6f2a0b0c7d0e8f01112233445566";
        assert_eq!(of(&[one, other]), ["ses_018f6f2a0b0c7d0e8f00", "ses_018f6f2a0b0c7d0e8f01"]);
        assert!(of(&[]).is_empty());
    }
}
