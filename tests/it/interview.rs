//! The pure core: moving on with its edge cases and its audit record, evidence, and answers in words.

use std::sync::Arc;

use anteroom::{
    base::{
        clock::{Clock, FixedClock},
        ids::{CallId, CountingIds, Ids, SessionId, WaitId},
    },
    flow::LoadedFlow,
    messages::Text,
    model::{
        audit::AuditRecord,
        session::{FlowPin, PersonId, Place, Platform, Status},
        transcript::{Call, CallResult, Event, ObjectiveStatus, Origin, Recorded, Started, Via},
        ui::{Decision, Reply},
        wait::{Settlement, Wait, WaitStatus},
    },
    session::{
        Answer, Changes, Command, Evaluation, InboundKind, Next, Receipt, Responder, SessionView,
        Settings, State, decide,
    },
    store::{Loaded, TimerKind},
};
use insta::assert_json_snapshot;
use serde_json::{Value, json};

const FLOW: &str = r#"
format = 1
id = "two-phases"
version = "1"
title = "Two phases"

[approvals.override]
decider = "DECIDER"
channel = "desk"
expires = "7d"

[data.skeleton_timeline]
schema_inline = '{"type": "object"}'
review = true

[data.education_history]
schema_inline = '{"type": "object"}'
review = true

[[phase]]
id = "phase_1"
title = "The basics"
mode = "interview"
tools = ["submit_for_validation", "next_phase", "set_objective_status"]

  [[phase.objective]]
  id = "skeleton_timeline"
  title = "Work history"
  done = { reviewed = "skeleton_timeline" }

  [[phase.objective]]
  id = "education_history"
  title = "Education"
  done = { reviewed = "education_history" }

[[phase]]
id = "phase_2"
title = "The rest"
mode = "interview"
tools = ["next_phase"]
"#;

/// One session, with every step committed into a list.
pub(crate) struct Desk {
    flow: Arc<LoadedFlow>,
    clock: FixedClock,
    ids: Arc<dyn Ids>,
    loaded: Loaded,
    audit: Vec<AuditRecord>,
    calls: u32,
}

impl Desk {
    pub(crate) fn new(decider: &str) -> Self {
        Self::with(&FLOW.replace("DECIDER", decider))
    }

    fn with(source: &str) -> Self {
        let flow = LoadedFlow::load(source, "flow.toml", &std::collections::BTreeMap::new());
        let flow = Arc::new(flow.unwrap_or_else(|problems| panic!("{problems:?}")));
        let clock = FixedClock::new("2025-10-24T10:30:00Z".parse().unwrap());
        let ids: Arc<dyn Ids> = Arc::new(CountingIds::default());
        let pin = FlowPin {
            id: flow.flow.id.clone(),
            version: flow.flow.version.clone(),
            digest: flow.digest.clone(),
        };
        let place = Place {
            platform: Platform::Web,
            workspace: "local".to_owned(),
            channel: "c".to_owned(),
            thread: None,
        };
        let started = Started {
            time_zone: None,
            contact_source: None,
            invited_by: None,
            session: SessionId::mint(&*ids),
            flow: pin,
            participant: ada().person,
            name: Some("Ada".to_owned()),
            place,
            test: false,
            staff: false,
        };
        let changes = decide::started(
            Arc::clone(&flow),
            started,
            Arc::clone(&ids),
            clock.now(),
            Settings::default(),
        );
        let commit = changes.into_commit(None);
        let loaded = Loaded { head: commit.head, events: commit.events };
        Self { flow, clock, ids, loaded, audit: commit.audit, calls: 0 }
    }

    /// One step: loads the session, acts, commits.
    pub(crate) fn step<T>(&mut self, act: impl FnOnce(&mut Changes) -> T) -> T {
        self.happens(|view| {
            let mut changes = Changes::from(view);
            (act(&mut changes), changes)
        })
    }

    /// The same where something happens to it.
    fn happens<T>(&mut self, decide: impl FnOnce(SessionView) -> (T, Changes)) -> T {
        let (flow, ids) = (Arc::clone(&self.flow), Arc::clone(&self.ids));
        let state = State::fold(&self.loaded.events).unwrap();
        let settings = Settings::default();
        let (result, changes) =
            decide(SessionView::new(flow, state, ids, self.clock.now(), settings));
        let commit = changes.into_commit(None);
        assert_eq!(commit.expected, self.loaded.head.seq);
        self.loaded.events.extend(commit.events);
        self.loaded.head = commit.head;
        self.audit.extend(commit.audit);
        result
    }

    /// Somebody gives an order.
    pub(crate) fn orders(&mut self, by: &Responder, command: Command) -> Receipt {
        let what = InboundKind::Command(command);
        self.happens(|view| decide::inbound(view, by, &what, None))
    }

    fn settles(&mut self, answer: Answer) -> Settlement {
        let Answer { wait, revision, reply, from, via } = answer;
        let what = InboundKind::Answer { wait, revision, reply, via };
        match self.happens(|view| decide::inbound(view, &from, &what, None)) {
            Receipt::Settled(settlement) => settlement,
            other => panic!("{other:?}"),
        }
    }

    /// The model calls `next_phase`: its outcome, or the wait that it hangs on.
    pub(crate) fn next_phase(
        &mut self,
        overrides: &[&str],
        reason: Option<&str>,
    ) -> Result<Value, WaitId> {
        self.calls += 1;
        let id = CallId::new(format!("call_{}", self.calls));
        let phase = self.loaded.head.phase.clone();
        let args = json!({ "overrides": overrides, "reason": reason });
        let origin = Origin::Model { round: 1 };
        let call = Call { id, tool: "next_phase".to_owned(), args, phase, origin };
        self.run(&call)
    }

    fn run(&mut self, call: &Call) -> Result<Value, WaitId> {
        let overrides: Vec<String> =
            serde_json::from_value(call.args["overrides"].clone()).unwrap();
        let reason = call.args["reason"].as_str().map(str::to_owned);
        self.step(|changes| {
            changes.begin(call);
            match changes.next_phase(&call.id, &overrides, reason.as_deref()) {
                Evaluation::Outcome(value) => {
                    changes.finish(&call.id, CallResult::Ok { value: value.clone() });
                    Ok(value)
                }
                Evaluation::Ask(ask) => Err(changes.suspend(&call.id, *ask)),
            }
        })
    }

    fn decide(
        &mut self,
        wait: WaitId,
        decision: Decision,
        words: Option<&str>,
        who: Responder,
    ) -> Value {
        let feedback = words.map(str::to_owned);
        let reply = Reply::Decided { decision, feedback };
        let answer = Answer { wait, revision: 1, reply, from: who, via: Via::Component };
        assert_eq!(self.settles(answer), Settlement::Applied);
        self.step(|changes| {
            assert_eq!(changes.next(), Next::Resume { wait });
            let call = call_of(changes, wait);
            match changes.decided(&call) {
                Evaluation::Outcome(value) => {
                    changes.finish(&call, CallResult::Ok { value: value.clone() });
                    value
                }
                Evaluation::Ask(ask) => {
                    changes.suspend(&call, *ask);
                    Value::Null
                }
            }
        })
    }

    fn review(&mut self, data_type: &str) {
        self.step(|changes| changes.save_record(data_type, json!({ "ok": true }), true)).unwrap();
    }

    fn attempts(&self) -> Vec<&AuditRecord> {
        self.audit.iter().filter(|record| record.event == "phase_advance_attempt").collect()
    }

    fn phase(&self) -> Option<&str> {
        self.loaded.head.phase.as_deref()
    }

    fn wait(&mut self, id: WaitId) -> Wait {
        self.step(|changes| Wait::clone(&changes.state.waits[&id]))
    }
}

fn call_of(changes: &Changes, wait: WaitId) -> CallId {
    let state = &changes.state;
    state.calls.iter().find(|call| call.wait == Some(wait)).unwrap().call.id.clone()
}

pub(crate) fn ada() -> Responder {
    Responder::without_rights(PersonId::web("ada"), "Ada".to_owned())
}

pub(crate) fn grace() -> Responder {
    Responder {
        person: PersonId::web("grace"),
        name: "Grace".to_owned(),
        approver_of: vec!["desk".to_owned()],
        staff: true,
    }
}

#[test]
fn s1_case_1_with_all_objectives_met_next_phase_is_approved_and_the_phase_moves() {
    let mut desk = Desk::new("participant");
    desk.review("skeleton_timeline");
    desk.review("education_history");

    let outcome = desk.next_phase(&[], None);

    assert_eq!(outcome, Ok(json!({ "status": "approved", "advanced_to": "phase_2" })));
    assert_eq!(desk.phase(), Some("phase_2"));
}

#[test]
fn s1_case_2_one_unmet_objective_blocks_and_is_named_exactly() {
    let mut desk = Desk::new("participant");
    desk.review("education_history");

    let outcome = desk.next_phase(&[], None);

    assert_eq!(
        outcome,
        Ok(json!({ "status": "blocked", "missing_objectives": ["skeleton_timeline"] }))
    );
    assert_eq!(desk.phase(), Some("phase_1"));
}

#[test]
fn s1_case_3_an_override_asks_and_each_decision_has_its_outcome_and_its_records() {
    let outcomes = [
        (
            Decision::Approved,
            None,
            json!({ "status": "approved", "advanced_to": "phase_2" }),
            "phase_2",
        ),
        (
            Decision::Denied,
            None,
            json!({ "status": "denied", "message": "User declined to advance" }),
            "phase_1",
        ),
        (
            Decision::DeniedWithFeedback,
            Some("Please finish entering education history."),
            json!({ "status": "denied_with_feedback", "feedback": "Please finish entering education history." }),
            "phase_1",
        ),
    ];
    for (decision, words, expected, phase) in outcomes {
        let mut desk = Desk::new("participant");
        let overrides = ["skeleton_timeline", "education_history"];
        let wait =
            desk.next_phase(&overrides, Some("user verbally confirmed completeness")).unwrap_err();
        // While it waits, any further call is told so and opens no second card.
        assert_eq!(
            desk.next_phase(&[], None),
            Ok(json!({
                "status": "awaiting_user_approval",
                "missing_objectives": ["skeleton_timeline", "education_history"],
                "reason": "user verbally confirmed completeness",
            }))
        );

        let outcome = desk.decide(wait, decision, words, ada());

        assert_eq!(outcome, expected);
        assert_eq!(desk.phase(), Some(phase));
        let decisions: Vec<_> =
            desk.attempts().iter().map(|r| r.facts["userDecision"].clone()).collect();
        assert_eq!(decisions, [Value::Null, Value::Null, json!(decision)], "{decision:?}");
    }
}

/// The model learns what is missing, and asks to pass over it without waiting for anybody to write.
#[test]
fn overrides_that_are_new_open_the_dialog_right_after_blocked() {
    let mut desk = Desk::new("participant");
    let blocked = json!({ "status": "blocked", "missing_objectives": ["skeleton_timeline", "education_history"] });
    assert_eq!(desk.next_phase(&[], None), Ok(blocked));
    let missing = ["skeleton_timeline", "education_history"];

    let wait = desk.next_phase(&missing, Some("they have no papers")).unwrap_err();

    let approved = desk.decide(wait, Decision::Approved, None, ada());
    assert_eq!(approved["status"], "approved");
}

#[test]
fn s1_case_4_repeated_calls_without_a_change_return_the_last_outcome() {
    let mut desk = Desk::new("participant");
    let blocked = json!({ "status": "blocked", "missing_objectives": ["skeleton_timeline", "education_history"] });
    assert_eq!(desk.next_phase(&[], None), Ok(blocked.clone()));
    assert_eq!(desk.next_phase(&[], Some("again")), Ok(blocked.clone()));
    // Even a proposal to pass over what was never missing: nothing has changed since.
    assert_eq!(desk.next_phase(&["nonsense"], Some("again")), Ok(blocked));

    desk.step(|changes| changes.receive(&ada(), "let us move on please", None));
    let wait = desk.next_phase(&["skeleton_timeline"], Some("they asked")).unwrap_err();
    let denied = desk.decide(wait, Decision::Denied, None, ada());
    assert_eq!(desk.next_phase(&["skeleton_timeline"], Some("they asked")), Ok(denied));

    desk.review("skeleton_timeline");
    assert_eq!(
        desk.next_phase(&[], None),
        Ok(json!({ "status": "blocked", "missing_objectives": ["education_history"] }))
    );
}

#[test]
fn s1_case_5_a_user_initiated_advance_is_immediate_and_logged_as_theirs() {
    for (decider, who, named) in
        [("participant", ada(), "participant"), ("admin", grace(), "web:local/grace")]
    {
        let mut desk = Desk::new(decider);
        let command = Command::Advance { reason: "user requested".to_owned() };
        assert_eq!(desk.orders(&who, command), Receipt::Taken);
        let call = desk.step(|changes| {
            let Next::Recover { call } = changes.next() else { panic!("{:?}", changes.next()) };
            changes.state.call(&call).unwrap().call.as_ref().clone()
        });

        let outcome = desk.run(&call);

        assert_eq!(outcome, Ok(json!({ "status": "approved", "advanced_to": "phase_2" })));
        let record = desk.attempts()[0];
        assert_eq!(record.facts["by_user"], json!(true));
        assert_eq!(record.facts["userDecision"], json!("approved"));
        assert_eq!(record.facts["decider"], named);
    }
}

#[test]
fn a_participant_who_may_not_decide_opens_a_request_instead() {
    let mut desk = Desk::new("admin");
    let command = Command::Advance { reason: "I have no time".to_owned() };
    assert_eq!(desk.orders(&ada(), command), Receipt::Taken);
    let call = desk.step(|changes| changes.state.calls[0].call.as_ref().clone());
    let wait = desk.run(&call).unwrap_err();

    let by_self = Answer {
        wait,
        revision: 1,
        reply: Reply::Decided { decision: Decision::Approved, feedback: None },
        from: ada(),
        via: Via::Component,
    };
    assert_eq!(desk.settles(by_self), Settlement::NotAllowed { who_may: "the desk".to_owned() });
    desk.decide(wait, Decision::Approved, None, grace());
    assert_eq!(desk.phase(), Some("phase_2"));
}

#[test]
#[expect(clippy::too_many_lines, reason = "the records are shown whole")]
fn the_audit_record_of_an_attempt_has_every_field_of_the_specification() {
    let mut desk = Desk::new("admin");
    desk.review("education_history");
    let wait =
        desk.next_phase(&["skeleton_timeline"], Some("user verbally confirmed")).unwrap_err();
    desk.decide(wait, Decision::Approved, None, grace());

    assert_json_snapshot!(desk.attempts(), @r#"
    [
      {
        "event": "phase_advance_attempt",
        "timestamp": "2025-10-24T10:30:00Z",
        "session": "ses_00000000000000000000000000000001",
        "facts": {
          "phase": "phase_1",
          "overrides": [
            "skeleton_timeline"
          ],
          "objectivesRemaining": [
            "skeleton_timeline"
          ],
          "userDecision": null,
          "advancedTo": null,
          "status": "awaiting_user_approval",
          "by_user": false,
          "decider": null,
          "decider_role": null,
          "proposed_overrides": [
            "skeleton_timeline"
          ],
          "call": "call_1",
          "note": null
        },
        "words": {
          "reason": "user verbally confirmed"
        }
      },
      {
        "event": "phase_advance_attempt",
        "timestamp": "2025-10-24T10:30:00Z",
        "session": "ses_00000000000000000000000000000001",
        "facts": {
          "phase": "phase_1",
          "overrides": [
            "skeleton_timeline"
          ],
          "objectivesRemaining": [
            "skeleton_timeline"
          ],
          "userDecision": "approved",
          "advancedTo": "phase_2",
          "status": "approved",
          "by_user": false,
          "decider": "web:local/grace",
          "decider_role": "admin",
          "proposed_overrides": [
            "skeleton_timeline"
          ],
          "call": "call_1",
          "note": null,
          "feedback_for": null
        },
        "words": {
          "reason": "user verbally confirmed"
        }
      }
    ]
    "#);
}

#[test]
fn the_participants_dialog_has_the_words_of_the_specification() {
    let mut desk = Desk::new("participant");
    let wait =
        desk.next_phase(&["skeleton_timeline"], Some("user verbally confirmed")).unwrap_err();
    assert_json_snapshot!(desk.wait(wait).prompt.as_read(), @r#"
    {
      "title": "Move to next phase?",
      "body": "The interviewer would like to proceed despite the following not being marked complete:\n• Work history, Education\nReason: “user verbally confirmed”\n\n**Do you approve advancing to The rest?**",
      "control": {
        "kind": "decide",
        "request": "Move to next phase?",
        "facts": [],
        "approve": "Approve",
        "deny": "Deny",
        "deny_and_tell": "Deny & Tell Interviewer What To Do Next"
      }
    }
    "#);
}

#[test]
fn the_approvers_card_shows_what_the_application_computed() {
    let mut desk = Desk::new("admin");
    // The model's own list is wrong, on purpose.
    let wait = desk.next_phase(&["something_else"], Some("they are in a hurry")).unwrap_err();
    assert_json_snapshot!(desk.wait(wait).prompt.as_read(), @r#"
    {
      "title": "Move Ada to “The rest”?",
      "body": "This phase isn't complete. Missing items were determined by the app, not by the model.",
      "control": {
        "kind": "decide",
        "request": "Move Ada to “The rest”?",
        "facts": [
          [
            "Person",
            "Ada"
          ],
          [
            "Flow",
            "Two phases"
          ],
          [
            "Phase",
            "The basics"
          ],
          [
            "Missing",
            "Work history, Education"
          ],
          [
            "The interviewer's reason",
            "they are in a hurry"
          ],
          [
            "Requested",
            "2025-10-24 10:30 UTC"
          ],
          [
            "Expires",
            "2025-10-31 10:30 UTC"
          ]
        ],
        "approve": "Approve",
        "deny": "Deny",
        "deny_and_tell": "Deny with feedback",
        "denial_reader": "participant"
      }
    }
    "#);
}

#[test]
fn a_phase_without_objectives_may_be_left() {
    let mut desk = Desk::new("participant");
    desk.review("skeleton_timeline");
    desk.review("education_history");
    desk.next_phase(&[], None).unwrap();

    let outcome = desk.next_phase(&[], None);

    assert_eq!(outcome, Ok(json!({ "status": "approved", "advanced_to": null })));
    assert_eq!(desk.loaded.head.status, Status::Completed);
}

#[test]
fn objectives_that_are_never_skipped_cannot_be_overridden() {
    let never = FLOW
        .replace("DECIDER", "admin")
        .replace("title = \"Education\"", "title = \"Education\"\n  skip = \"never\"");
    let mut desk = Desk::with(&never);

    let outcome = desk.next_phase(&["education_history"], Some("please"));

    assert_eq!(outcome.unwrap()["status"], "blocked");
}

#[test]
fn a_request_is_withdrawn_when_nothing_is_missing_any_more() {
    let mut desk = Desk::new("admin");
    desk.review("skeleton_timeline");
    let wait = desk.next_phase(&["education_history"], Some("no time")).unwrap_err();

    desk.review("education_history");

    assert!(matches!(desk.wait(wait).status, WaitStatus::Cancelled { .. }));
    let result = desk.step(|changes| changes.state.calls[0].result.clone().unwrap().to_value());
    assert_eq!(
        result,
        json!({ "status": "blocked", "missing_objectives": [], "note": "withdrawn" })
    );
}

#[test]
fn a_request_is_asked_anew_when_less_is_missing_and_the_old_card_is_superseded() {
    let mut desk = Desk::new("admin");
    let overrides = ["skeleton_timeline", "education_history"];
    let wait = desk.next_phase(&overrides, Some("no time")).unwrap_err();

    desk.review("education_history");

    let again = desk.wait(wait);
    assert_eq!((again.revision, &again.state["missing"]), (2, &json!(["skeleton_timeline"])));
    let old = Answer {
        wait,
        revision: 1,
        reply: Reply::Decided { decision: Decision::Approved, feedback: None },
        from: grace(),
        via: Via::Component,
    };
    assert_eq!(desk.settles(old), Settlement::Superseded);
}

#[test]
fn a_request_that_nobody_decides_lapses_and_the_phase_stays() {
    let mut desk = Desk::new("admin");
    let wait = desk.next_phase(&["skeleton_timeline"], Some("no time")).unwrap_err();
    desk.clock.advance(chrono::TimeDelta::days(8));

    desk.happens(|view| ((), decide::timer(view, TimerKind::Expire { wait })));

    let result = desk.step(|changes| changes.state.calls[0].result.clone().unwrap().to_value());
    assert_eq!(
        result,
        json!({ "status": "blocked",
                "missing_objectives": ["skeleton_timeline", "education_history"],
                "note": "request expired" })
    );
    assert_eq!(desk.phase(), Some("phase_1"));
}

#[test]
fn the_models_word_alone_completes_nothing_that_needs_evidence() {
    let mut desk = Desk::new("admin");
    let report = desk
        .step(|changes| changes.propose_objective("skeleton_timeline", ObjectiveStatus::Completed))
        .unwrap();
    assert_eq!(report.status, ObjectiveStatus::InProgress);
    assert_eq!(
        report.note.as_deref(),
        Some(
            "still missing: `skeleton_timeline` approved by the participant with submit_for_validation"
        )
    );

    desk.review("skeleton_timeline");
    let report = desk
        .step(|changes| changes.propose_objective("skeleton_timeline", ObjectiveStatus::Failed))
        .unwrap();
    assert_eq!((report.status, report.progress), (ObjectiveStatus::Completed, 0.5));
    assert_eq!(desk.phase(), Some("phase_1"));
}

#[test]
fn the_same_data_again_is_the_same_record() {
    let mut desk = Desk::new("admin");
    let save = |changes: &mut Changes, name: &str| {
        changes.save_record(name, json!({ "a": 1 }), false).unwrap()
    };
    let first = desk.step(|changes| save(changes, "skeleton_timeline"));
    // The other spelling names the same data.
    let again = desk.step(|changes| save(changes, "experience"));
    assert_eq!((first.created, again.created, first.id == again.id), (true, false, true));
}

#[test]
fn replaying_the_events_gives_the_live_state() {
    let mut desk = Desk::new("admin");
    let wait = desk.next_phase(&["skeleton_timeline"], Some("no time")).unwrap_err();
    desk.decide(wait, Decision::DeniedWithFeedback, Some("finish it"), grace());
    desk.review("skeleton_timeline");

    let live = desk.step(|changes| {
        changes.receive(&ada(), "stop", None);
        State::clone(&changes.state)
    });

    let replayed = State::fold(&desk.loaded.events).unwrap();
    assert_eq!(replayed, live);
    let numbers: Vec<u64> =
        desk.loaded.events.iter().map(|recorded: &Recorded| recorded.seq).collect();
    assert_eq!(numbers, (1..=live.seq).collect::<Vec<_>>());
    assert!(matches!(*desk.loaded.events[0].event, Event::Started(_)));
}

#[test]
fn several_deciders_vote_once_each_and_the_last_vote_before_the_quorum_counts() {
    let two = FLOW
        .replace("DECIDER", "admin")
        .replace("expires = \"7d\"", "expires = \"7d\"\nquorum = 2");
    let mut desk = Desk::with(&two);
    let wait = desk.next_phase(&["skeleton_timeline"], Some("no time")).unwrap_err();
    let vote = |desk: &mut Desk, user: &str, decision: Decision| {
        let from = Responder { person: PersonId::web(user), name: user.to_owned(), ..grace() };
        let reply = Reply::Decided { decision, feedback: None };
        let answer = Answer { wait, revision: 1, reply, from, via: Via::Component };
        assert_eq!(desk.settles(answer), Settlement::Applied);
    };

    vote(&mut desk, "grace", Decision::Denied);
    vote(&mut desk, "grace", Decision::Approved);
    assert!(desk.wait(wait).status.is_pending());
    assert_eq!(
        desk.wait(wait).prompt.notes.iter().map(Text::to_string).collect::<Vec<_>>(),
        ["grace approved.", "2 people must agree."]
    );
    vote(&mut desk, "edsger", Decision::Denied);
    assert!(desk.wait(wait).status.is_pending());
    vote(&mut desk, "barbara", Decision::Approved);

    assert!(matches!(desk.wait(wait).status, WaitStatus::Answered { .. }));
    let cast = desk.audit.iter().filter(|record| record.event == "vote_cast").count();
    assert_eq!(cast, 4);
}

#[test]
fn a_request_that_lapsed_can_be_asked_again_by_those_who_could_have_decided() {
    let mut desk = Desk::new("admin");
    let wait = desk.next_phase(&["skeleton_timeline"], Some("no time")).unwrap_err();
    desk.clock.advance(chrono::TimeDelta::days(8));
    let reply = Reply::Decided { decision: Decision::Approved, feedback: None };
    let late = Answer { wait, revision: 1, reply, from: grace(), via: Via::Component };
    assert_eq!(desk.settles(late), Settlement::Expired);

    let reopen = Command::Reopen { wait };
    assert!(matches!(desk.orders(&ada(), reopen.clone()), Receipt::Refused(_)));
    assert_eq!(desk.orders(&grace(), reopen), Receipt::Taken);
    let call = desk.step(|changes| changes.state.calls.last().unwrap().call.as_ref().clone());
    let again = desk.run(&call).unwrap_err();

    assert!(desk.wait(again).status.is_pending());
    assert_eq!(desk.phase(), Some("phase_1"));
}

#[test]
fn data_that_comes_back_is_the_newest_again() {
    let mut desk = Desk::new("admin");
    let mut save = |number: u32| {
        let data = json!({ "a": number });
        desk.step(|changes| changes.save_record("skeleton_timeline", data, false)).unwrap()
    };
    let (first, _, again) = (save(1), save(2), save(1));
    assert_eq!((again.id, again.created), (first.id, false));

    let newest = desk.step(|changes| changes.state.record("skeleton_timeline").cloned()).unwrap();
    assert_eq!(newest.data, json!({ "a": 1 }));
}

#[test]
fn what_a_person_approved_is_not_replaced_by_what_nobody_has_seen() {
    let mut desk = Desk::new("admin");
    desk.review("skeleton_timeline");
    let unseen = json!({ "a": "better" });
    desk.step(|changes| changes.save_record("skeleton_timeline", unseen, false)).unwrap();

    let counts = desk.step(|changes| changes.state.record("skeleton_timeline").cloned()).unwrap();
    assert_eq!(counts.data, json!({ "ok": true }));
}

#[test]
fn the_card_of_the_deciders_stays_theirs_when_less_is_missing() {
    let mut desk = Desk::new("participant-then-admin");
    let overrides = ["skeleton_timeline", "education_history"];
    let wait = desk.next_phase(&overrides, Some("no time")).unwrap_err();
    desk.decide(wait, Decision::Approved, None, ada());
    desk.review("education_history");

    let card = desk.step(|changes| changes.state.pending().next().cloned()).unwrap();
    assert_eq!(card.revision, 2);
    assert_eq!(card.prompt.heading().as_deref(), Some("Move Ada to “The rest”?"));
}
