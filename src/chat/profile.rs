//! What the team reads of somebody: each card as it was approved, and the résumé. Whichever platform shows it, who may
//! is asked by the platform's commands each time, and that it is read is noted here before anything is shown.

use std::collections::BTreeMap;

use crate::{
    base::ids::SessionId,
    chat::{form::review_editor, transcript::Opening},
    engine::{Engine, Error, Look},
    messages,
    model::{
        artifact::Artifact,
        session::PersonId,
        ui::{Control, Group, Reply, Review, Verdict},
        wait::Wait,
    },
    session::State,
};

/// Begins the id of the button that shows what somebody approved.
const PROFILE: &str = "profile.";

/// Begins the id of the button that hands out somebody's résumé.
const RESUME: &str = "resume.";

/// What a button under a summary opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// What was approved: `profile.<session>`.
    Profile(SessionId),
    /// Another page of it, where a platform needs several; it is open already. `profile.<session>.1` is the second one.
    ProfilePage(SessionId, usize),
    /// The résumé: `resume.<session>`.
    Resume(SessionId),
}

impl Reading {
    /// The id of the button that opens it.
    pub fn id(self) -> String {
        match self {
            Self::Profile(session) => format!("{PROFILE}{}", session.short()),
            Self::ProfilePage(session, page) => format!("{PROFILE}{}.{page}", session.short()),
            Self::Resume(session) => format!("{RESUME}{}", session.short()),
        }
    }

    /// Reads an id made by [`Reading::id`].
    pub fn parse(id: &str) -> Option<Self> {
        if let Some(session) = id.strip_prefix(RESUME) {
            return Some(Self::Resume(SessionId::from_short(session)?));
        }
        let rest = id.strip_prefix(PROFILE)?;
        match rest.split_once('.') {
            Some((session, page)) => {
                Some(Self::ProfilePage(SessionId::from_short(session)?, page.parse().ok()?))
            }
            None => Some(Self::Profile(SessionId::from_short(rest)?)),
        }
    }
}

/// The buttons under what the team reads of somebody, each with its id and its label: what was approved, the résumé
/// where one was sent, the transcript.
pub fn buttons(state: &State) -> Vec<(String, &'static str)> {
    let session = state.session;
    let profile = (Reading::Profile(session).id(), messages::buttons::OPEN_PROFILE);
    let resume = (Reading::Resume(session).id(), messages::buttons::RESUME_FILE);
    let has_resume = state.artifacts.iter().any(Artifact::is_resume);
    let transcript = (Opening::last(session).id(), messages::buttons::TRANSCRIPT);
    let profile = (!cards(state).is_empty()).then_some(profile);
    profile.into_iter().chain(has_resume.then_some(resume)).chain([transcript]).collect()
}

/// The cards that count: the newest approval of each kind of data, in the order in which they were asked.
pub fn cards(state: &State) -> Vec<(&Wait, &Review)> {
    let mut newest: BTreeMap<&str, (&Wait, &Review)> = BTreeMap::new();
    for wait in state.waits.values() {
        let Control::Review(review) = &wait.prompt.control else { continue };
        let Some((Reply::Reviewed { verdict, .. }, ..)) = wait.status.answer() else { continue };
        if !matches!(verdict, Verdict::Approved | Verdict::Modified) {
            continue;
        }
        let known = newest.entry(&review.data_type).or_insert((wait, review));
        if known.0.asked_at < wait.asked_at {
            *known = (wait, review);
        }
    }
    let mut cards: Vec<_> = newest.into_values().collect();
    cards.sort_by_key(|(wait, _)| (wait.asked_at, wait.id));
    cards
}

/// The data of a review, after the edits that were saved.
pub fn approved(wait: &Wait, review: &Review) -> Vec<Group> {
    match wait.status.answer() {
        Some((Reply::Reviewed { data: Some(data), .. }, ..)) => {
            review_editor::groups_with(review, data)
        }
        _ => review.groups.clone(),
    }
}

/// Opens what somebody approved, for somebody who may read it.
pub async fn open(engine: &Engine, session: SessionId, by: &PersonId) -> Result<Look, Error> {
    engine.note_reading(session, "profile_read", &by.to_string()).await?;
    engine.look(session).await
}

/// The newest résumé, for somebody who may read it; `None` if there is none, which is no reading.
pub async fn resume(
    engine: &Engine,
    session: SessionId,
    by: &PersonId,
) -> Result<Option<Artifact>, Error> {
    let look = engine.look(session).await?;
    let Some(file) = look.state.artifacts.iter().rfind(|file| file.is_resume()) else {
        return Ok(None);
    };
    engine.note_reading(session, "resume_read", &by.to_string()).await?;
    Ok(Some(file.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::ids::CountingIds;

    #[test]
    fn a_reading_survives_its_button() {
        let session = SessionId::mint(&CountingIds::default());
        for reading in [
            Reading::Profile(session),
            Reading::ProfilePage(session, 0),
            Reading::ProfilePage(session, 3),
            Reading::Resume(session),
        ] {
            assert_eq!(Reading::parse(&reading.id()), Some(reading));
        }
        assert_eq!(Reading::parse("profile.AAAA.x"), None);
        assert_eq!(Reading::parse("resume."), None);
    }
}
