//! Pages of a transcript that staff read, whichever platform shows them: which lines stand on
//! which page, and how a button names one.
//!
//! Who may read it is asked by the platform's commands each time; that it is read is noted by [`read`].

use crate::{
    base::ids::SessionId,
    engine::{
        Engine, Error,
        export::{
            Source,
            transcript::{self, Entry},
        },
    },
    messages,
    model::{session::PersonId, transcript::Audience},
};

/// Begins the ids of the buttons that open a page.
const OPEN: &str = "transcript.";

/// A page of somebody's transcript, as a button names it: `transcript.<session>.b120`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Whose.
    pub session: SessionId,
    /// Which page.
    pub page: Page,
}

/// Which page. Numbers are those of events, so a page stays the same while more is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Page {
    /// What was said last.
    Last,
    /// What ends right before an event.
    Before(u64),
    /// What begins with an event.
    From(u64),
}

impl Opening {
    /// What was said last in a session.
    pub const fn last(session: SessionId) -> Self {
        Self { session, page: Page::Last }
    }

    /// The id of the button that opens it.
    pub fn id(self) -> String {
        let page = match self.page {
            Page::Last => "last".to_owned(),
            Page::Before(seq) => format!("b{seq}"),
            Page::From(seq) => format!("f{seq}"),
        };
        format!("{OPEN}{}.{page}", self.session.short())
    }

    /// Reads an id made by [`Opening::id`].
    pub fn parse(id: &str) -> Option<Self> {
        let (session, page) = id.strip_prefix(OPEN)?.split_once('.')?;
        let number = |text: &str| text.parse().ok();
        let page = match page.split_at_checked(1)? {
            ("b", seq) => Page::Before(number(seq)?),
            ("f", seq) => Page::From(number(seq)?),
            _ if page == "last" => Page::Last,
            _ => return None,
        };
        Some(Self { session: SessionId::from_short(session)?, page })
    }

    /// The first line of the page, and the first one that is not on it any more. A page has at most so many lines, and
    /// as much room for what they weigh.
    pub fn bounds(
        self,
        told: &[&Entry],
        (lines, mut room): (usize, usize),
        weight: impl Fn(&Entry) -> usize,
    ) -> (usize, usize) {
        let mut fits = |entry: &&Entry| {
            let weight = weight(entry);
            let has_room = weight <= room;
            room = room.saturating_sub(weight);
            has_room
        };
        match self.page {
            Page::From(seq) => {
                let first = told.partition_point(|entry| entry.seq < seq);
                let count = told[first..].iter().take(lines).take_while(|e| fits(e)).count();
                (first, first + count)
            }
            Page::Last | Page::Before(_) => {
                let last = match self.page {
                    Page::Before(seq) => told.partition_point(|entry| entry.seq < seq),
                    Page::Last | Page::From(_) => told.len(),
                };
                let before = told[..last].iter().rev().take(lines);
                (last - before.take_while(|e| fits(e)).count(), last)
            }
        }
    }
}

/// A transcript that somebody may read, whole.
#[derive(Debug, Clone, PartialEq)]
pub struct Opened {
    /// Whose conversation it is, in words.
    pub title: String,
    /// All lines of it.
    pub entries: Vec<Entry>,
}

/// Opens a page of a transcript for somebody who may read it. That it is read is noted before it is shown; paging on is
/// the same reading.
pub async fn read(engine: &Engine, opening: Opening, by: &PersonId) -> Result<Opened, Error> {
    let session = opening.session;
    if opening.page == Page::Last {
        engine.note_reading(session, "transcript_read", &by.to_string()).await?;
    }
    let look = engine.look(session).await?;
    let (loaded, flow) = (&look.loaded, &look.flow);
    // What staff said among themselves is not for whom it is about, staff or not.
    let is_own = loaded.head.participant == *by;
    let reader = if is_own { Audience::Participant } else { Audience::Staff };
    let ratings = engine.ratings(session).await?;
    let source = Source { loaded, flow, audit: &[], ratings: &ratings, reader };
    let entries = transcript::entries(&source).map_err(|_| Error::BrokenFlow(String::new()))?;
    let person = loaded.head.name.as_deref().unwrap_or(messages::unnamed::A_PARTICIPANT);
    let person = messages::unnamed::at_beginning(person);
    Ok(Opened { title: format!("{person} · {}", flow.flow.title), entries })
}

/// What people said, were asked and decided; the app's own bookkeeping is in the copy.
pub fn told(entries: &[Entry]) -> Vec<&Entry> {
    entries.iter().filter(|entry| !is_bookkeeping(entry)).collect()
}

/// Whether a line tells what the app did for itself, such as a tool that it called or a value that it stored.
fn is_bookkeeping(entry: &Entry) -> bool {
    match entry.kind {
        "called" | "returned" | "started" | "stored" | "objective" | "effect"
        | "export_offered" | "summarised" => true,
        // That a conversation is open goes without saying while people talk.
        "status" => entry.data == "open",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::base::ids::CountingIds;

    #[test]
    fn a_page_leaves_out_what_the_app_did_for_itself() {
        let entry = |kind, data| Entry {
            seq: 1,
            at: chrono::DateTime::UNIX_EPOCH,
            kind,
            who: "Anteroom".to_owned(),
            text: String::new(),
            data,
        };
        let entries = [
            entry("started", Value::Null),
            entry("status", json!("open")),
            entry("asked", Value::Null),
            entry("called", Value::Null),
            entry("answered", Value::Null),
            entry("stored", Value::Null),
            entry("advanced", Value::Null),
            entry("status", json!("completed")),
        ];
        let kinds: Vec<&str> = told(&entries).iter().map(|entry| entry.kind).collect();
        assert_eq!(kinds, ["asked", "answered", "advanced", "status"]);
    }

    #[test]
    fn a_page_survives_its_button() {
        let session = SessionId::mint(&CountingIds::default());
        for page in [Page::Last, Page::Before(12), Page::From(7)] {
            let opening = Opening { session, page };
            assert_eq!(Opening::parse(&opening.id()), Some(opening));
        }
        assert_eq!(Opening::parse("transcript.AAAA.bx"), None);
        assert_eq!(Opening::parse("transcript."), None);
    }
}
