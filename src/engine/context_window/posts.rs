//! Which posts are the model's own words, and which message a post answers.

use std::collections::BTreeMap;

use crate::{
    base::ids::EffectId,
    model::transcript::{Audience, Event, Recorded, Speaker, Thought, Via},
};

/// The events that post the model's own words, each with what it knew when it said them: right after the answer, or once
/// it is known what has become of its calls.
pub fn posts_of_model(events: &[Recorded]) -> BTreeMap<u64, u64> {
    let mut echoes = BTreeMap::new();
    let mut said: Option<(u64, &Thought)> = None;
    for recorded in events {
        match &*recorded.event {
            Event::Thought(thought) if !thought.text.is_empty() => {
                said = Some((recorded.seq, thought));
            }
            Event::Posted { audience: Audience::Participant, text, .. } => {
                let text = text.common_mark();
                if let Some((seq, thought)) = said
                    && (text == thought.text.trim()
                        || recorded.seq == seq + 1 && text.contains(thought.text.trim()))
                {
                    echoes.insert(recorded.seq, thought.knew);
                    said = None;
                }
            }
            _ => {}
        }
    }
    echoes
}

/// Whether an effect posts the model's own words.
pub fn is_post_of_model(events: &[Recorded], effect: EffectId) -> bool {
    let is_it =
        |event: &Event| matches!(event, Event::Posted { effect: posted, .. } if *posted == effect);
    let Some(post) = events.iter().rev().find(|recorded| is_it(&recorded.event)) else {
        return false;
    };
    posts_of_model(events).contains_key(&post.seq)
}

/// The message of the participant that an effect's post answers, as the platform calls it: the first post after it, and the
/// model's first words. None where they have pressed something since, or a question came in between.
pub fn answered(events: &[Recorded], effect: EffectId) -> Option<&str> {
    let at = events.iter().rposition(|recorded| {
        matches!(&*recorded.event, Event::Posted { effect: posted, audience: Audience::Participant, .. } if *posted == effect)
    })?;
    let posts = posts_of_model(&events[..=at]);
    let knew = posts.get(&events[at].seq).copied();
    for recorded in events[..at].iter().rev() {
        let is_known = knew.is_none_or(|knew| recorded.seq <= knew);
        match &*recorded.event {
            Event::Said { from: Speaker::Participant, source, .. } if is_known => {
                return source.as_deref();
            }
            Event::Worded { source, .. } if is_known => return Some(source),
            Event::Posted { audience: Audience::Participant, .. }
                if knew.is_none() || posts.contains_key(&recorded.seq) =>
            {
                return None;
            }
            Event::Asked(_) | Event::Thought(_) if knew.is_none() => return None,
            Event::Answered { via, .. } if *via != Via::Typed => return None,
            _ => {}
        }
    }
    None
}
