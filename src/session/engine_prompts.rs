//! Waits that the engine draws itself: the notice, the card before an erasure, consent to an effect.

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use super::{Changes, SessionView, Suspension, advance::Approval, phases::questions_from};
use crate::{
    base::ids::WaitId,
    messages::{self, Text},
    model::{
        audit::sha256,
        effect::{Act, Recipient},
        flow::Phase,
        session::Status,
        transcript::{Audience, Event, NoticeChoice},
        ui::{Choice, Choose, Confirm, Control, Prompt, Reply},
        wait::{Answerers, Purpose, Wait},
    },
};

/// The choice that goes on with the next phase.
pub(super) const GO_ON: &str = "go_on";

impl Changes {
    /// The very beginning: the notice, or the first phase where the flow has none.
    pub(super) fn open_session(&mut self) {
        if self.flow.flow.notice.as_ref().is_some_and(|notice| notice.required) {
            self.ask_notice();
        } else {
            self.begin_interview();
        }
    }

    /// Shows the notice. Nothing has gone to a model before it is accepted.
    pub(super) fn ask_notice(&mut self) {
        let flow = std::sync::Arc::clone(&self.flow);
        let Some(notice) = &flow.flow.notice else { return };
        let choice = |id: &str, label: &str| Choice {
            id: id.to_owned(),
            label: label.to_owned(),
            description: None,
            icon: None,
        };
        let choices = vec![
            choice("accept", &notice.accept),
            choice("human", &notice.human),
            choice("decline", &notice.decline),
        ];
        let scripted = notice.text_without_model.as_ref().filter(|_| !self.settings.has_model);
        let body = flow.text(scripted.unwrap_or(&notice.text));
        let digest = sha256(body.as_bytes());
        let prompt = Prompt {
            title: Some(flow.flow.title.clone().into()),
            body: body.into(),
            control: Control::Choose(Choose {
                choices,
                multiple: false,
                required: true,
                ..Choose::default()
            }),
            notes: Vec::new(),
        };
        let suspension = Suspension {
            prompt,
            state: Value::Null,
            answerers: Answerers::Participant,
            expires_at: None,
        };
        self.open(Purpose::Notice, digest, suspension);
    }

    /// Asks whether the phase that comes next should come now.
    pub(super) fn ask_to_begin(&mut self, phase: &Phase) {
        let choice = |id: &str, label: &str| Choice {
            id: id.to_owned(),
            label: label.to_owned(),
            description: None,
            icon: None,
        };
        let body = match self.intro_of(phase) {
            Some(intro) => intro.into(),
            None => messages::interview::next(&phase.title),
        };
        let choices = vec![
            choice(GO_ON, messages::buttons::CONTINUE),
            choice("later", messages::buttons::LATER),
        ];
        let prompt = Prompt {
            title: None,
            body,
            control: Control::Choose(Choose {
                choices,
                multiple: false,
                required: true,
                ..Choose::default()
            }),
            notes: Vec::new(),
        };
        let (answerers, expires_at) = (Answerers::Participant, None);
        let suspension = Suspension { prompt, state: Value::Null, answerers, expires_at };
        let digest = format!("begin {}", phase.id);
        self.open(Purpose::Begin { phase: phase.id.clone() }, digest, suspension);
    }

    fn begin_answered(&mut self, reply: &Reply) {
        let Reply::Chosen { ids, .. } = reply else { return };
        if ids.first().is_none_or(|id| id == GO_ON) {
            return;
        }
        let reason = "the participant goes on later".to_owned();
        self.emit(Event::StatusChanged { to: Status::Paused, reason });
        self.audit("session_paused", [], []);
        self.post(messages::interview::WHENEVER);
    }

    fn begin_interview(&mut self) {
        self.emit(Event::StatusChanged {
            to: Status::Open,
            reason: "the interview begins".to_owned(),
        });
        if let Some(from) = self.questions_from().filter(|from| *from > self.now) {
            let day = from.with_timezone(&self.zone_of_participant()).date_naive();
            self.post(messages::interview::first_question_on(day));
        }
        if let Some(approval) = Approval::began(&self.state) {
            self.advance(approval);
        }
    }

    /// Asks once more before everything is erased.
    pub(super) fn ask_erase(&mut self) {
        let mut pending = self.state.pending();
        let open = pending.find(|wait| wait.purpose == Purpose::Erase).map(|wait| wait.id);
        drop(pending);
        if let Some(open) = open {
            self.show(open);
            return;
        }
        let prompt = Prompt {
            title: Some(messages::interview::ERASE_TITLE.into()),
            body: messages::interview::ERASE_BODY.into(),
            control: Control::Confirm(Confirm {
                yes: messages::buttons::DELETE_EVERYTHING.to_owned(),
                no: messages::buttons::KEEP_EVERYTHING.to_owned(),
                danger: true,
            }),
            notes: Vec::new(),
        };
        let suspension = Suspension {
            prompt,
            state: Value::Null,
            answerers: Answerers::Participant,
            expires_at: None,
        };
        self.open(Purpose::Erase, "erase".to_owned(), suspension);
    }

    /// The last words of a conversation, and a copy of it, in one message.
    pub(super) fn close_with(&mut self, text: Text) {
        if !self.is_child() {
            self.offer_export(text);
        }
    }

    /// Hands the participant a copy, with some words, in one message.
    pub(super) fn offer_export(&mut self, text: Text) {
        let act = Act::Export { closing: Some(text.clone()) };
        let effect = self.effect(Recipient::Participant, act);
        let (audience, offers) = (Audience::Participant, Vec::new());
        self.emit(Event::Posted { effect, audience, text, offers });
        self.emit(Event::ExportOffered { effect });
    }

    /// Does what the answer to a wait of the engine's own asks for. A confirmed erasure only leaves its trace: the
    /// engine carries it out.
    pub fn apply_own(&mut self, id: WaitId) {
        let Some(wait) = self.state.waits.get(&id) else { return };
        let Some((reply, ..)) = wait.status.answer() else { return };
        let (reply, purpose, digest) = (reply.clone(), wait.purpose.clone(), wait.digest.clone());
        self.emit(Event::Applied { wait: id });
        match purpose {
            Purpose::Notice => self.notice_answered(&reply, digest),
            Purpose::Begin { .. } => self.begin_answered(&reply),
            Purpose::Effect { phase, index } => {
                self.effect_decided(&phase, index, id);
            }
            Purpose::Erase | Purpose::Call { .. } | Purpose::Child { .. } => {}
        }
    }

    fn notice_answered(&mut self, reply: &Reply, text_sha256: String) {
        let Reply::Chosen { ids, .. } = reply else { return };
        let choice = match ids.first().map(String::as_str) {
            Some("accept") => NoticeChoice::Accepted,
            Some("human") => NoticeChoice::Human,
            Some(_) | None => NoticeChoice::Declined,
        };
        let version = self.flow.flow.version.clone();
        let locale = self.flow.flow.locale.clone();
        let facts = [
            ("choice", json!(choice)),
            ("text_sha256", json!(text_sha256)),
            ("version", json!(version)),
            ("locale", json!(locale)),
        ];
        self.audit("notice_answered", facts, []);
        self.emit(Event::NoticeAnswered { choice, text_sha256, version, locale });
        match choice {
            NoticeChoice::Accepted => self.begin_interview(),
            NoticeChoice::Human => self
                .hand_over(messages::staff::ASKED_UNDER_NOTICE, messages::interview::HUMAN_ASKED),
            NoticeChoice::Declined => {
                let reason = "the notice was declined".to_owned();
                self.emit(Event::StatusChanged { to: Status::Declined, reason });
                self.audit("session_declined", [], []);
                self.post(messages::interview::DECLINED);
            }
        }
    }
}

impl SessionView {
    /// The question whether to go on with the phase, while it is open.
    pub(super) fn waits_to_begin(&self) -> Option<&Wait> {
        self.state.pending().find(|wait| matches!(wait.purpose, Purpose::Begin { .. }))
    }

    /// When the first question may be asked (`notice.wait_business_days`, counted from the notice).
    pub(super) fn questions_from(&self) -> Option<DateTime<Utc>> {
        questions_from(&self.state, &self.flow, self.zone_of_team())
    }
}
