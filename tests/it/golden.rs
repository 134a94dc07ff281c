//! What is stored, to the letter: a change here is a change of format, and a decision.
//!
//! A new field needs a default; a new meaning of an old field needs a new `STORED_VERSION`.

use std::collections::BTreeSet;

use anteroom::{
    base::ids::{ArtifactId, CallId, EffectId, RecordId, SessionId, WaitId},
    messages::Text,
    model::{
        artifact::{Artifact, Offer},
        audit::{AuditRecord, CHAIN_START, Sealed},
        custody::{Custody, Kind},
        effect::{Act, Effect, Handout, PhaseEffectRef, Priority, Recipient, Rendering},
        opaque::{Opaque, OpaqueCall},
        posted::{Item, Posted, Reader, Removal},
        report::{Count, Left, Remnant, Report},
        session::{FlowPin, Head, PersonId, Place, Platform, Status},
        task::{Ancestor, Assignment, Conclusion, Delegation, Subtask},
        transcript::{
            Audience, Call, CallResult, Closing, EffectOutcome, Event, Gap, Grounds, Intent,
            NoticeChoice, ObjectiveStatus, Origin, Recorded, SetBy, Speaker, SpentOn, Started,
            Thought, Via,
        },
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, Decision, DenialReader, Field, Form,
            Group, Input, List, Offered, Prompt, Reply, Review, Upload, Verdict,
        },
        usage::Usage,
        wait::{Answerers, Purpose, Vote, Wait, WaitStatus},
    },
};
use chrono::{DateTime, Utc};
use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};
use uuid::Uuid;

/// One line each, after checking that each line reads back as what it was.
fn stored<T: Serialize + DeserializeOwned + PartialEq + std::fmt::Debug>(values: &[T]) -> String {
    let line = |value: &T| {
        let line = serde_json::to_string(value).unwrap();
        assert_eq!(&serde_json::from_str::<T>(&line).unwrap(), value);
        line.replace(&"0".repeat(31), "…")
    };
    values.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn at() -> DateTime<Utc> {
    "2026-11-21T09:00:00Z".parse().unwrap()
}

fn uuid(number: u128) -> Uuid {
    Uuid::from_u128(number)
}

fn session() -> SessionId {
    SessionId::from_uuid(uuid(1))
}

fn wait_id() -> WaitId {
    WaitId::from_uuid(uuid(2))
}

fn effect_id() -> EffectId {
    EffectId::from_uuid(uuid(3))
}

fn artifact_id() -> ArtifactId {
    ArtifactId::from_uuid(uuid(4))
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn ada() -> PersonId {
    PersonId::web("ada")
}

fn bob() -> PersonId {
    "slack:T01/U02".parse().unwrap()
}

fn map(key: &str, value: Value) -> Map<String, Value> {
    Map::from_iter([(text(key), value)])
}

fn flow() -> FlowPin {
    FlowPin { id: text("community-welcome"), version: text("1.0.0"), digest: text("d1") }
}

fn place() -> Place {
    Place {
        platform: Platform::Discord,
        workspace: text("9"),
        channel: text("8"),
        thread: Some(text("7")),
    }
}

fn web() -> Place {
    Place { platform: Platform::Web, workspace: text("local"), channel: text("c"), thread: None }
}

fn link() -> Handout {
    Handout::Link { label: text("Open"), url: text("https://example.org/") }
}

fn artifact() -> Artifact {
    Artifact {
        id: artifact_id(),
        upload_type: text("resume"),
        filename: text("resume.pdf"),
        content_type: text("application/pdf"),
        size_bytes: 5120,
        sha256: text("d4"),
        kept_at: at(),
    }
}

fn field(path: &str, input: Input) -> Field {
    Field {
        path: text(path),
        label: text("L"),
        hint: None,
        required: true,
        input,
        value: Value::Null,
        check: false,
    }
}

fn fields(choice: &Choice) -> Vec<Field> {
    let inputs = [
        Input::Text { multiline: true, min: Some(1), max: None },
        Input::Email,
        Input::Url,
        Input::Phone,
        Input::Date,
        Input::Day,
        Input::Number { integer: true, min: Some(0.5), max: None },
        Input::Bool,
        Input::Select { choices: vec![choice.clone()], multiple: false },
        Input::Lines,
    ];
    let mut fields: Vec<_> = inputs.map(|input| field("basics.name", input)).into();
    fields[1].value = json!("ada@example.org");
    fields[1].hint = Some(text("H"));
    fields[1].check = true;
    fields
}

pub(crate) fn controls() -> Vec<Control> {
    let choice = Choice {
        id: text("a"),
        label: text("A"),
        description: Some(text("first")),
        icon: Some(text("star")),
    };
    let fields = fields(&choice);
    vec![
        Control::Choose(Choose {
            choices: vec![choice],
            multiple: false,
            required: true,
            ..Choose::default()
        }),
        Control::Form(Form { fields, submit: text("Send"), skippable: true }),
        Control::Review(Review {
            data_type: text("applicant_profile"),
            data: json!({ "name": "Ada" }),
            schema: json!({ "type": "object" }),
            groups: vec![Group {
                path: text("work.0"),
                title: text("Role"),
                fields: vec![field("work.0.name", Input::Email)],
            }],
            lists: vec![List { path: text("work"), noun: text("role"), fields: Vec::new() }],
            skippable: false,
        }),
        Control::Upload(Upload {
            upload_type: text("resume"),
            accept: vec![text("pdf")],
            max_bytes: 10,
            max_files: 1,
            required: true,
        }),
        Control::Ask(Ask { placeholder: Some(text("P")), max: 100, required: false }),
        Control::Decide(Decide {
            request: "Move on?".into(),
            facts: vec![(text("Missing"), text("rules"))],
            approve: text("Approve"),
            deny: text("Deny"),
            deny_and_tell: Some(text("Deny and tell")),
            denial_reader: DenialReader::default(),
        }),
        Control::Confirm(Confirm { yes: text("Yes"), no: text("No"), danger: true }),
    ]
}

pub(crate) fn replies() -> Vec<Reply> {
    vec![
        Reply::Chosen { ids: vec![text("a")], free_text: None },
        Reply::Chosen { ids: Vec::new(), free_text: Some(text("neither")) },
        Reply::Filled { values: map("basics.name", json!("Ada")) },
        Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None },
        Reply::Reviewed {
            verdict: Verdict::Modified,
            data: Some(json!({ "name": "Ada" })),
            notes: Some(text("N")),
        },
        Reply::Reviewed { verdict: Verdict::Rejected, data: None, notes: None },
        Reply::Uploaded { artifacts: vec![artifact_id()] },
        Reply::Text { text: text("words") },
        Reply::Decided { decision: Decision::Approved, feedback: None },
        Reply::Decided { decision: Decision::Denied, feedback: None },
        Reply::Decided { decision: Decision::DeniedWithFeedback, feedback: Some(text("one more")) },
        Reply::Confirmed { yes: true },
        Reply::Skipped,
        Reply::Reviewed {
            verdict: Verdict::Saved,
            data: Some(json!({ "name": "Ada" })),
            notes: None,
        },
    ]
}

fn wait(control: Control, purpose: Purpose, status: WaitStatus) -> Wait {
    Wait {
        id: wait_id(),
        session: session(),
        revision: 1,
        purpose,
        state: json!({ "offered": ["a"] }),
        prompt: Prompt {
            title: Some("T".into()),
            body: "B".into(),
            control,
            notes: vec!["1 of 2".into()],
        }
        .into(),
        answerers: Answerers::Deciders { alias: text("leads"), allow_self: false },
        quorum: 1,
        votes: Vec::new(),
        digest: text("d2"),
        asked_at: at(),
        expires_at: Some(at()),
        status,
    }
}

fn plain_wait() -> Wait {
    let mut control = controls();
    Wait {
        answerers: Answerers::Participant,
        expires_at: None,
        ..wait(control.remove(4), Purpose::Notice, WaitStatus::Pending)
    }
}

fn waits() -> Vec<Wait> {
    let purposes = [
        Purpose::Call { call: CallId::new("step_rules_1"), tool: text("get_user_option") },
        Purpose::Notice,
        Purpose::Erase,
        Purpose::Effect { phase: text("p1"), index: 0 },
        Purpose::Child { call: CallId::new("c00000001"), child: session(), wait: wait_id() },
    ];
    let (reply, by, by_name) = (Reply::Skipped, ada(), text("Ada"));
    let standings = [
        WaitStatus::Pending,
        WaitStatus::Answered {
            reply: reply.clone(),
            by: by.clone(),
            by_name: by_name.clone(),
            at: at(),
        },
        WaitStatus::Applied { reply, by, by_name, at: at() },
        WaitStatus::Expired { at: at() },
        WaitStatus::Cancelled { reason: text("R"), at: at() },
        WaitStatus::Superseded { by: Some(wait_id()), at: at() },
        WaitStatus::Superseded { by: None, at: at() },
    ];
    let purposes = purposes.into_iter().cycle();
    let combined = controls().into_iter().zip(standings).zip(purposes);
    let combined = combined.map(|((control, status), purpose)| wait(control, purpose, status));
    let begin = Purpose::Begin { phase: text("p2") };
    let begin = Wait { purpose: begin, ..plain_wait() };
    combined.chain([plain_wait(), begin]).collect()
}

fn started() -> Started {
    Started {
        time_zone: None,
        contact_source: None,
        invited_by: None,
        session: session(),
        flow: flow(),
        participant: ada(),
        name: Some(text("Ada")),
        place: place(),
        test: true,
        staff: false,
    }
}

pub(crate) fn session_events() -> Vec<Event> {
    let started = started();
    let choices = [NoticeChoice::Accepted, NoticeChoice::Human, NoticeChoice::Declined];
    let statuses = [
        Status::Notice,
        Status::Open,
        Status::Stopped,
        Status::Paused,
        Status::Declined,
        Status::Completed,
        Status::Ended,
    ];
    let speakers = [
        Speaker::Participant,
        Speaker::Staff { by: bob(), name: text("Bob") },
        Speaker::Bystander { by: bob(), name: text("Bob") },
    ];
    let audiences = [Audience::Participant, Audience::Staff];
    let mut events = vec![
        Event::Started(Started { name: None, place: web(), ..started.clone() }),
        Event::Started(started),
    ];
    events.extend(choices.map(|choice| Event::NoticeAnswered {
        choice,
        text_sha256: text("d3"),
        version: text("1.0.0"),
        locale: text("en"),
    }));
    events.extend(statuses.map(|to| Event::StatusChanged { to, reason: text("R") }));
    events.extend(speakers.map(|from| Event::Said {
        from,
        text: text("hello"),
        source: Some(text("m1")),
        about: Some(wait_id()),
    }));
    events.push(Event::Said {
        from: Speaker::Participant,
        text: text("hello"),
        source: None,
        about: None,
    });
    events.extend(audiences.map(|audience| Event::Posted {
        effect: effect_id(),
        audience,
        text: "hi".into(),
        offers: Vec::new(),
    }));
    events.push(Event::Posted {
        effect: effect_id(),
        audience: Audience::Participant,
        text: "Stopped.".into(),
        offers: Offered::ALL.to_vec(),
    });
    let in_parts = Text::person(&ada(), "Ada").then(" sent ").then_quoted("my_cv.pdf");
    events.push(Event::Posted {
        effect: effect_id(),
        audience: Audience::Staff,
        text: in_parts.then_markdown("."),
        offers: Vec::new(),
    });
    events
}

fn call_events() -> Vec<Event> {
    let call = || CallId::new("c1");
    let origins = [
        Origin::Step { step: text("rules") },
        Origin::Model { round: 1 },
        Origin::Person { by: bob(), may_decide: true },
        Origin::Engine,
    ];
    let closings = [
        Closing::Expired,
        Closing::Cancelled { reason: text("R") },
        Closing::Superseded { by: Some(wait_id()) },
        Closing::Superseded { by: None },
    ];
    let results = [
        CallResult::Ok { value: json!({ "status": "completed" }) },
        CallResult::Err { code: text("timeout"), message: text("M") },
    ];
    let mut events: Vec<_> = origins
        .map(|origin| {
            Event::Called(Call {
                id: call(),
                tool: text("t"),
                args: json!({ "a": 1.5 }),
                phase: Some(text("p1")),
                origin,
            })
        })
        .into();
    events.push(Event::Asked(Box::new(plain_wait())));
    let vias = [Via::Component, Via::Typed, Via::Command].into_iter().cycle();
    events.extend(replies().into_iter().zip(vias).map(|(reply, via)| Event::Answered {
        wait: wait_id(),
        reply,
        by: ada(),
        by_name: text("Ada"),
        via,
    }));
    let (by, by_name) = (ada(), text("Ada"));
    let vote = Vote { by, by_name, decision: Decision::Denied, feedback: Some(text("no")) };
    events.push(Event::Voted { wait: wait_id(), vote });
    events.push(Event::Worded { wait: wait_id(), source: text("D01/1690.1") });
    events.push(Event::Edited {
        wait: wait_id(),
        data: json!({ "name": "Ada" }),
        notes: Some(text("as on my card")),
        by: ada(),
        by_name: text("Ada"),
    });
    events.push(Event::Applied { wait: wait_id() });
    events.extend(closings.map(|closing| Event::Closed { wait: wait_id(), closing }));
    events.extend(results.map(|result| Event::Returned { call: call(), result }));
    events
}

fn phase_events() -> Vec<Event> {
    let statuses = [
        ObjectiveStatus::Pending,
        ObjectiveStatus::InProgress,
        ObjectiveStatus::Completed,
        ObjectiveStatus::Skipped,
        ObjectiveStatus::Failed,
    ];
    let voices = [SetBy::Evidence, SetBy::Model, SetBy::Participant, SetBy::Override];
    let overrides = || vec![text("o1")];
    let grounds = [
        Grounds::Began,
        Grounds::CriteriaMet,
        Grounds::Decision { wait: wait_id(), by: bob(), overrides: overrides() },
        Grounds::Initiative { by: bob(), overrides: overrides() },
    ];
    let mut events = vec![
        Event::Stepped { phase: text("p1"), step: text("s1"), next: Some(text("s2")) },
        Event::Stepped { phase: text("p1"), step: text("s2"), next: None },
        Event::PhaseScheduled { phase: text("p2"), at: at() },
        Event::PhaseOpened { phase: text("p2") },
        Event::ValuesSet {
            step: text("s3"),
            values: json!({ "score": 3, "passed": true }).as_object().cloned().unwrap(),
        },
        Event::Kept(artifact()),
        Event::Saved {
            record: RecordId::from_uuid(uuid(5)),
            data_type: text("applicant_profile"),
            data: json!({ "name": "Ada" }),
            reviewed: true,
        },
        Event::Proposed { objective: text("o1"), status: ObjectiveStatus::Completed },
        Event::Amended { source: text("m1"), text: Some(text("hallo")) },
        Event::Amended { source: text("m1"), text: None },
        Event::ExportOffered { effect: effect_id() },
        Event::Handed {
            effect: effect_id(),
            what: Handout::File { file: artifact() },
            text: "Here.".into(),
        },
        Event::Handed { effect: effect_id(), what: link(), text: "Here.".into() },
        Event::CapabilityUsed { capability: text("roi") },
        Event::AdvanceEvaluated { outcome: json!({ "status": "blocked" }) },
        Event::Advanced { from: None, to: None, grounds: Grounds::CriteriaMet },
    ];
    events.extend(
        statuses
            .into_iter()
            .zip(voices.into_iter().cycle())
            .map(|(status, by)| Event::ObjectiveSet { objective: text("o1"), status, by }),
    );
    let status = ObjectiveStatus::NotApplicable;
    events.push(Event::ObjectiveSet { objective: text("o1"), status, by: SetBy::Condition });
    events.extend(grounds.map(|grounds| Event::Advanced {
        from: Some(text("p1")),
        to: Some(text("p2")),
        grounds,
    }));
    events
}

fn staff_events() -> Vec<Event> {
    let outcomes = [
        EffectOutcome::AwaitingApproval,
        EffectOutcome::Queued,
        EffectOutcome::Delivered,
        EffectOutcome::NotApplicable,
        EffectOutcome::Rehearsed,
        EffectOutcome::Declined,
        EffectOutcome::Failed { reason: text("R") },
    ];
    let mut events = vec![
        Event::HandedOver { reason: text("R") },
        Event::Claimed { by: bob(), by_name: text("Bob") },
        Event::HandedBack { by: bob() },
        Event::Reminded { wait: wait_id(), count: 1 },
        Event::RemindersStopped,
        Event::Custody(Custody::Held { by: text("operator"), reason: text("R") }),
        Event::Custody(Custody::Released { by: text("operator") }),
        Event::Custody(Custody::ErasureAsked),
        Event::Custody(Custody::Forgotten { kinds: Kind::ALL.to_vec() }),
    ];
    events.extend(outcomes.map(|outcome| Event::EffectNoted {
        phase: text("p1"),
        index: 0,
        what: text("discord_add_role member"),
        effect: (outcome == EffectOutcome::Queued).then(effect_id),
        outcome,
    }));
    events
}

fn failed(code: &str, count: u32, again_at: Option<DateTime<Utc>>, in_a_moment: bool) -> Event {
    Event::ThinkingFailed { code: code.to_owned(), count, again_at, in_a_moment }
}

fn model_events() -> Vec<Event> {
    let usage = Usage {
        input: 1812,
        output: 64,
        cached: 1024,
        calls: 1,
        millis: 2300,
        cost_micros: Some(310),
    };
    let session = SessionId::from_uuid(Uuid::nil());
    let (id, tool) = (CallId::new("c00000001"), text("get_user_option"));
    let result = CallResult::Ok { value: json!({ "status": "approved" }) };
    vec![
        Event::Thought(Thought {
            knew: 11,
            round: 1,
            text: text("T"),
            calls: vec![Intent { id, tool, args: json!({ "prompt": "P" }) }],
            usage,
            opaque: None,
            last: false,
            gap: None,
        }),
        Event::Thought(Thought {
            knew: 12,
            round: 2,
            text: String::new(),
            calls: Vec::new(),
            usage: Usage::default(),
            opaque: None,
            last: true,
            gap: Some(Gap::Question),
        }),
        Event::Thought(Thought {
            knew: 13,
            round: 3,
            text: text("T"),
            calls: Vec::new(),
            usage: Usage::default(),
            opaque: Some(Box::new(Opaque {
                origin: text("https://models.example.org/v1 m"),
                bound: Some(text("9f86")),
                message: json!({ "reasoning_content": "R" }).as_object().unwrap().clone(),
                calls: vec![OpaqueCall {
                    id: Some(text("call_1")),
                    members: json!({ "extra_content": {} }).as_object().unwrap().clone(),
                }],
                parts: vec![json!({ "type": "thinking", "signature": "S" })],
            })),
            last: false,
            gap: None,
        }),
        failed("transient", 1, Some(at()), false),
        failed("overflow", 2, None, false),
        Event::ScriptLeads { phase: text("p1"), because: text("transient") },
        Event::Late { call: CallId::new("c00000001"), result },
        Event::Summarised { through: 40, text: text("T"), usage },
        Event::Spent { on: SpentOn::Answer, usage },
        Event::Spent { on: SpentOn::Call { call: CallId::new("c00000001") }, usage },
        Event::Spent { on: SpentOn::Child { session }, usage },
    ]
}

#[test]
fn a_failure_for_which_somebody_waits_says_so() {
    insta::assert_snapshot!(stored(&[failed("timeout", 1, Some(at()), true)]), @r#"{"type":"thinking_failed","code":"timeout","count":1,"again_at":"2026-11-21T09:00:00Z","in_a_moment":true}"#);
}

#[test]
fn events_of_a_model() {
    insta::assert_snapshot!(stored(&model_events()), @r#"
    {"type":"thought","knew":11,"round":1,"text":"T","calls":[{"id":"c00000001","tool":"get_user_option","args":{"prompt":"P"}}],"usage":{"input":1812,"output":64,"cached":1024,"calls":1,"millis":2300,"cost_micros":310}}
    {"type":"thought","knew":12,"round":2,"usage":{"input":0,"output":0},"last":true,"gap":"question"}
    {"type":"thought","knew":13,"round":3,"text":"T","usage":{"input":0,"output":0},"opaque":{"origin":"https://models.example.org/v1 m","bound":"9f86","message":{"reasoning_content":"R"},"calls":[{"id":"call_1","members":{"extra_content":{}}}],"parts":[{"type":"thinking","signature":"S"}]}}
    {"type":"thinking_failed","code":"transient","count":1,"again_at":"2026-11-21T09:00:00Z"}
    {"type":"thinking_failed","code":"overflow","count":2}
    {"type":"script_leads","phase":"p1","because":"transient"}
    {"type":"late","call":"c00000001","result":{"outcome":"ok","value":{"status":"approved"}}}
    {"type":"summarised","through":40,"text":"T","usage":{"input":1812,"output":64,"cached":1024,"calls":1,"millis":2300,"cost_micros":310}}
    {"type":"spent","on":{"for":"answer"},"usage":{"input":1812,"output":64,"cached":1024,"calls":1,"millis":2300,"cost_micros":310}}
    {"type":"spent","on":{"for":"call","call":"c00000001"},"usage":{"input":1812,"output":64,"cached":1024,"calls":1,"millis":2300,"cost_micros":310}}
    {"type":"spent","on":{"for":"child","session":"ses_…0"},"usage":{"input":1812,"output":64,"cached":1024,"calls":1,"millis":2300,"cost_micros":310}}
    "#);
}

fn child_events() -> Vec<Event> {
    let child = session();
    let lineage =
        vec![Ancestor { task: text("code_analysis"), title: text("T"), input: text("d1") }];
    let delegation = Delegation {
        call: CallId::new("c00000001"),
        child,
        task: flow(),
        description: text("D"),
        input: json!({ "of": "it" }),
        lineage: lineage.clone(),
        tokens: 60_000,
    };
    let assignment = Assignment {
        parent: session(),
        root: session(),
        root_call: CallId::new("c00000001"),
        description: text("D"),
        input: json!({ "of": "it" }),
        lineage,
        tokens: 60_000,
        never_ask: Vec::new(),
    };
    [
        Subtask::Delegated(delegation),
        Subtask::Begun { child },
        Subtask::Dismissed { child, reason: text("R") },
        Subtask::Recalled { child },
        Subtask::Ended { child, how: text("completed") },
        Subtask::Tasked(assignment),
        Subtask::Raised { wait: wait_id() },
        Subtask::Refused { complaints: text("C") },
        Subtask::Concluded(Conclusion::Completed { output: json!({ "summary": "S" }) }),
        Subtask::Concluded(Conclusion::Failed { code: text("budget"), message: text("M") }),
        Subtask::Concluded(Conclusion::Cancelled { reason: text("R") }),
        Subtask::Reported,
    ]
    .map(Event::Subtask)
    .to_vec()
}

#[test]
fn events_of_child_runs() {
    insta::assert_snapshot!(stored(&child_events()), @r#"
    {"type":"subtask","subtask":"delegated","call":"c00000001","child":"ses_…1","task":{"id":"community-welcome","version":"1.0.0","digest":"d1"},"description":"D","input":{"of":"it"},"lineage":[{"task":"code_analysis","title":"T","input":"d1"}],"tokens":60000}
    {"type":"subtask","subtask":"begun","child":"ses_…1"}
    {"type":"subtask","subtask":"dismissed","child":"ses_…1","reason":"R"}
    {"type":"subtask","subtask":"recalled","child":"ses_…1"}
    {"type":"subtask","subtask":"ended","child":"ses_…1","how":"completed"}
    {"type":"subtask","subtask":"tasked","parent":"ses_…1","root":"ses_…1","root_call":"c00000001","description":"D","input":{"of":"it"},"lineage":[{"task":"code_analysis","title":"T","input":"d1"}],"tokens":60000}
    {"type":"subtask","subtask":"raised","wait":"wait_…2"}
    {"type":"subtask","subtask":"refused","complaints":"C"}
    {"type":"subtask","subtask":"concluded","how":"completed","output":{"summary":"S"}}
    {"type":"subtask","subtask":"concluded","how":"failed","code":"budget","message":"M"}
    {"type":"subtask","subtask":"concluded","how":"cancelled","reason":"R"}
    {"type":"subtask","subtask":"reported"}
    "#);
}

/// The name of an event as it is stored. A new event is missing here first, and then in the samples.
fn name(event: &Event) -> &'static str {
    match event {
        Event::Started(_) => "started",
        Event::NoticeAnswered { .. } => "notice_answered",
        Event::StatusChanged { .. } => "status_changed",
        Event::Said { .. } => "said",
        Event::Posted { .. } => "posted",
        Event::Called(_) => "called",
        Event::Asked(_) => "asked",
        Event::Voted { .. } => "voted",
        Event::Edited { .. } => "edited",
        Event::Worded { .. } => "worded",
        Event::Answered { .. } => "answered",
        Event::Applied { .. } => "applied",
        Event::Closed { .. } => "closed",
        Event::Returned { .. } => "returned",
        Event::Stepped { .. } => "stepped",
        Event::ValuesSet { .. } => "values_set",
        Event::PhaseScheduled { .. } => "phase_scheduled",
        Event::PhaseOpened { .. } => "phase_opened",
        Event::Kept(_) => "kept",
        Event::Saved { .. } => "saved",
        Event::ObjectiveSet { .. } => "objective_set",
        Event::Proposed { .. } => "proposed",
        Event::Amended { .. } => "amended",
        Event::ExportOffered { .. } => "export_offered",
        Event::Handed { .. } => "handed",
        Event::CapabilityUsed { .. } => "capability_used",
        Event::Advanced { .. } => "advanced",
        Event::AdvanceEvaluated { .. } => "advance_evaluated",
        Event::HandedOver { .. } => "handed_over",
        Event::Claimed { .. } => "claimed",
        Event::HandedBack { .. } => "handed_back",
        Event::EffectNoted { .. } => "effect_noted",
        Event::TeamAsked { .. } => "team_asked",
        Event::DeliveryFailed { .. } => "delivery_failed",
        Event::Reminded { .. } => "reminded",
        Event::RemindersStopped => "reminders_stopped",
        Event::Custody(_) => "custody",
        Event::Thought(_) => "thought",
        Event::Spent { .. } => "spent",
        Event::ThinkingFailed { .. } => "thinking_failed",
        Event::ScriptLeads { .. } => "script_leads",
        Event::Late { .. } => "late",
        Event::Summarised { .. } => "summarised",
        Event::Subtask(_) => "subtask",
    }
}

/// How many names [`name`] knows.
const NAMES: usize = 42;

#[test]
fn every_event_has_a_sample() {
    let events = [
        session_events(),
        call_events(),
        phase_events(),
        staff_events(),
        model_events(),
        child_events(),
    ]
    .concat();
    let names: BTreeSet<_> = events.iter().map(name).collect();
    assert_eq!(names.len(), NAMES);
    for event in &events {
        assert_eq!(serde_json::to_value(event).unwrap()["type"], name(event));
    }
}

#[test]
fn an_event_in_its_envelope() {
    let event = Event::RemindersStopped;
    insta::assert_snapshot!(stored(&[Recorded { v: 1, seq: 4, at: at(), event: event.into() }]), @r#"{"v":1,"seq":4,"at":"2026-11-21T09:00:00Z","event":{"type":"reminders_stopped"}}"#);
}

#[test]
fn events_of_the_conversation() {
    insta::assert_snapshot!(stored(&session_events()), @r#"
    {"type":"started","session":"ses_…1","flow":{"id":"community-welcome","version":"1.0.0","digest":"d1"},"participant":"web:local/ada","place":{"platform":"web","workspace":"local","channel":"c"},"test":true}
    {"type":"started","session":"ses_…1","flow":{"id":"community-welcome","version":"1.0.0","digest":"d1"},"participant":"web:local/ada","name":"Ada","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"test":true}
    {"type":"notice_answered","choice":"accepted","text_sha256":"d3","version":"1.0.0","locale":"en"}
    {"type":"notice_answered","choice":"human","text_sha256":"d3","version":"1.0.0","locale":"en"}
    {"type":"notice_answered","choice":"declined","text_sha256":"d3","version":"1.0.0","locale":"en"}
    {"type":"status_changed","to":"notice","reason":"R"}
    {"type":"status_changed","to":"open","reason":"R"}
    {"type":"status_changed","to":"stopped","reason":"R"}
    {"type":"status_changed","to":"paused","reason":"R"}
    {"type":"status_changed","to":"declined","reason":"R"}
    {"type":"status_changed","to":"completed","reason":"R"}
    {"type":"status_changed","to":"ended","reason":"R"}
    {"type":"said","from":{"who":"participant"},"text":"hello","source":"m1","about":"wait_…2"}
    {"type":"said","from":{"who":"staff","by":"slack:T01/U02","name":"Bob"},"text":"hello","source":"m1","about":"wait_…2"}
    {"type":"said","from":{"who":"bystander","by":"slack:T01/U02","name":"Bob"},"text":"hello","source":"m1","about":"wait_…2"}
    {"type":"said","from":{"who":"participant"},"text":"hello"}
    {"type":"posted","effect":"eff_…3","audience":"participant","text":"hi"}
    {"type":"posted","effect":"eff_…3","audience":"staff","text":"hi"}
    {"type":"posted","effect":"eff_…3","audience":"participant","text":"Stopped.","offers":["resume","delete","later","stop_reminders","human","stop","continue","export","skip","ask_again"]}
    {"type":"posted","effect":"eff_…3","audience":"staff","text":[{"person":{"id":"web:local/ada","name":"Ada"}},{"words":" sent "},{"quoted":"my_cv.pdf"},{"markdown":"."}]}
    "#);
}

#[test]
fn events_of_calls() {
    insta::assert_snapshot!(stored(&call_events()), @r#"
    {"type":"called","id":"c1","tool":"t","args":{"a":1.5},"phase":"p1","origin":{"from":"step","step":"rules"}}
    {"type":"called","id":"c1","tool":"t","args":{"a":1.5},"phase":"p1","origin":{"from":"model","round":1}}
    {"type":"called","id":"c1","tool":"t","args":{"a":1.5},"phase":"p1","origin":{"from":"person","by":"slack:T01/U02","may_decide":true}}
    {"type":"called","id":"c1","tool":"t","args":{"a":1.5},"phase":"p1","origin":{"from":"engine"}}
    {"type":"asked","id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"notice"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"ask","placeholder":"P","max":100,"required":false},"notes":["1 of 2"]},"answerers":{"who":"participant"},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","standing":{"is":"pending"}}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"chosen","ids":["a"]},"by":"web:local/ada","by_name":"Ada","via":"component"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"chosen","ids":[],"free_text":"neither"},"by":"web:local/ada","by_name":"Ada","via":"typed"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"filled","values":{"basics.name":"Ada"}},"by":"web:local/ada","by_name":"Ada","via":"command"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"reviewed","verdict":"approved"},"by":"web:local/ada","by_name":"Ada","via":"component"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"reviewed","verdict":"modified","data":{"name":"Ada"},"notes":"N"},"by":"web:local/ada","by_name":"Ada","via":"typed"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"reviewed","verdict":"rejected"},"by":"web:local/ada","by_name":"Ada","via":"command"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"uploaded","artifacts":["upload_…4"]},"by":"web:local/ada","by_name":"Ada","via":"component"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"text","text":"words"},"by":"web:local/ada","by_name":"Ada","via":"typed"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"decided","decision":"approved"},"by":"web:local/ada","by_name":"Ada","via":"command"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"decided","decision":"denied"},"by":"web:local/ada","by_name":"Ada","via":"component"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"decided","decision":"denied_with_feedback","feedback":"one more"},"by":"web:local/ada","by_name":"Ada","via":"typed"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"confirmed","yes":true},"by":"web:local/ada","by_name":"Ada","via":"command"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"skipped"},"by":"web:local/ada","by_name":"Ada","via":"component"}
    {"type":"answered","wait":"wait_…2","reply":{"kind":"reviewed","verdict":"saved","data":{"name":"Ada"}},"by":"web:local/ada","by_name":"Ada","via":"typed"}
    {"type":"voted","wait":"wait_…2","vote":{"by":"web:local/ada","by_name":"Ada","decision":"denied","feedback":"no"}}
    {"type":"worded","wait":"wait_…2","source":"D01/1690.1"}
    {"type":"edited","wait":"wait_…2","data":{"name":"Ada"},"notes":"as on my card","by":"web:local/ada","by_name":"Ada"}
    {"type":"applied","wait":"wait_…2"}
    {"type":"closed","wait":"wait_…2","closing":{"how":"expired"}}
    {"type":"closed","wait":"wait_…2","closing":{"how":"cancelled","reason":"R"}}
    {"type":"closed","wait":"wait_…2","closing":{"how":"superseded","by":"wait_…2"}}
    {"type":"closed","wait":"wait_…2","closing":{"how":"superseded","by":null}}
    {"type":"returned","call":"c1","result":{"outcome":"ok","value":{"status":"completed"}}}
    {"type":"returned","call":"c1","result":{"outcome":"err","code":"timeout","message":"M"}}
    "#);
}

#[test]
fn events_of_phases() {
    insta::assert_snapshot!(stored(&phase_events()), @r#"
    {"type":"stepped","phase":"p1","step":"s1","next":"s2"}
    {"type":"stepped","phase":"p1","step":"s2","next":null}
    {"type":"phase_scheduled","phase":"p2","at":"2026-11-21T09:00:00Z"}
    {"type":"phase_opened","phase":"p2"}
    {"type":"values_set","step":"s3","values":{"score":3,"passed":true}}
    {"type":"kept","id":"upload_…4","upload_type":"resume","filename":"resume.pdf","content_type":"application/pdf","size_bytes":5120,"sha256":"d4","kept_at":"2026-11-21T09:00:00Z"}
    {"type":"saved","record":"record_…5","data_type":"applicant_profile","data":{"name":"Ada"},"reviewed":true}
    {"type":"proposed","objective":"o1","status":"completed"}
    {"type":"amended","source":"m1","text":"hallo"}
    {"type":"amended","source":"m1"}
    {"type":"export_offered","effect":"eff_…3"}
    {"type":"handed","effect":"eff_…3","what":{"kind":"file","file":{"id":"upload_…4","upload_type":"resume","filename":"resume.pdf","content_type":"application/pdf","size_bytes":5120,"sha256":"d4","kept_at":"2026-11-21T09:00:00Z"}},"text":"Here."}
    {"type":"handed","effect":"eff_…3","what":{"kind":"link","label":"Open","url":"https://example.org/"},"text":"Here."}
    {"type":"capability_used","capability":"roi"}
    {"type":"advance_evaluated","outcome":{"status":"blocked"}}
    {"type":"advanced","from":null,"to":null,"grounds":{"because":"criteria_met"}}
    {"type":"objective_set","objective":"o1","status":"pending","by":"evidence"}
    {"type":"objective_set","objective":"o1","status":"in_progress","by":"model"}
    {"type":"objective_set","objective":"o1","status":"completed","by":"participant"}
    {"type":"objective_set","objective":"o1","status":"skipped","by":"override"}
    {"type":"objective_set","objective":"o1","status":"failed","by":"evidence"}
    {"type":"objective_set","objective":"o1","status":"not_applicable","by":"condition"}
    {"type":"advanced","from":"p1","to":"p2","grounds":{"because":"began"}}
    {"type":"advanced","from":"p1","to":"p2","grounds":{"because":"criteria_met"}}
    {"type":"advanced","from":"p1","to":"p2","grounds":{"because":"decision","wait":"wait_…2","by":"slack:T01/U02","overrides":["o1"]}}
    {"type":"advanced","from":"p1","to":"p2","grounds":{"because":"initiative","by":"slack:T01/U02","overrides":["o1"]}}
    "#);
}

#[test]
fn events_of_staff_and_effects() {
    insta::assert_snapshot!(stored(&staff_events()), @r#"
    {"type":"handed_over","reason":"R"}
    {"type":"claimed","by":"slack:T01/U02","by_name":"Bob"}
    {"type":"handed_back","by":"slack:T01/U02"}
    {"type":"reminded","wait":"wait_…2","count":1}
    {"type":"reminders_stopped"}
    {"type":"custody","custody":"held","by":"operator","reason":"R"}
    {"type":"custody","custody":"released","by":"operator"}
    {"type":"custody","custody":"erasure_asked"}
    {"type":"custody","custody":"forgotten","kinds":["transcript","uploads","records"]}
    {"type":"effect_noted","phase":"p1","index":0,"what":"discord_add_role member","outcome":{"is":"awaiting_approval"}}
    {"type":"effect_noted","phase":"p1","index":0,"what":"discord_add_role member","outcome":{"is":"queued"},"effect":"eff_…3"}
    {"type":"effect_noted","phase":"p1","index":0,"what":"discord_add_role member","outcome":{"is":"delivered"}}
    {"type":"effect_noted","phase":"p1","index":0,"what":"discord_add_role member","outcome":{"is":"not_applicable"}}
    {"type":"effect_noted","phase":"p1","index":0,"what":"discord_add_role member","outcome":{"is":"rehearsed"}}
    {"type":"effect_noted","phase":"p1","index":0,"what":"discord_add_role member","outcome":{"is":"declined"}}
    {"type":"effect_noted","phase":"p1","index":0,"what":"discord_add_role member","outcome":{"is":"failed","reason":"R"}}
    "#);
}

#[test]
fn waits_in_every_standing() {
    insta::assert_snapshot!(stored(&waits()), @r#"
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"call","call":"step_rules_1","tool":"get_user_option"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"choose","choices":[{"id":"a","label":"A","description":"first","icon":"star"}],"multiple":false,"required":true},"notes":["1 of 2"]},"answerers":{"who":"deciders","alias":"leads","allow_self":false},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","expires_at":"2026-11-21T09:00:00Z","standing":{"is":"pending"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"notice"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"form","fields":[{"path":"basics.name","label":"L","required":true,"input":{"type":"text","multiline":true,"min":1,"max":null}},{"path":"basics.name","label":"L","hint":"H","required":true,"input":{"type":"email"},"value":"ada@example.org","check":true},{"path":"basics.name","label":"L","required":true,"input":{"type":"url"}},{"path":"basics.name","label":"L","required":true,"input":{"type":"phone"}},{"path":"basics.name","label":"L","required":true,"input":{"type":"date"}},{"path":"basics.name","label":"L","required":true,"input":{"type":"day"}},{"path":"basics.name","label":"L","required":true,"input":{"type":"number","integer":true,"min":0.5,"max":null}},{"path":"basics.name","label":"L","required":true,"input":{"type":"bool"}},{"path":"basics.name","label":"L","required":true,"input":{"type":"select","choices":[{"id":"a","label":"A","description":"first","icon":"star"}],"multiple":false}},{"path":"basics.name","label":"L","required":true,"input":{"type":"lines"}}],"submit":"Send","skippable":true},"notes":["1 of 2"]},"answerers":{"who":"deciders","alias":"leads","allow_self":false},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","expires_at":"2026-11-21T09:00:00Z","standing":{"is":"answered","reply":{"kind":"skipped"},"by":"web:local/ada","by_name":"Ada","at":"2026-11-21T09:00:00Z"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"erase"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"review","data_type":"applicant_profile","data":{"name":"Ada"},"schema":{"type":"object"},"groups":[{"path":"work.0","title":"Role","fields":[{"path":"work.0.name","label":"L","required":true,"input":{"type":"email"}}]}],"lists":[{"path":"work","noun":"role","fields":[]}],"skippable":false},"notes":["1 of 2"]},"answerers":{"who":"deciders","alias":"leads","allow_self":false},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","expires_at":"2026-11-21T09:00:00Z","standing":{"is":"applied","reply":{"kind":"skipped"},"by":"web:local/ada","by_name":"Ada","at":"2026-11-21T09:00:00Z"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"effect","phase":"p1","index":0},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"upload","upload_type":"resume","accept":["pdf"],"max_bytes":10,"max_files":1,"required":true},"notes":["1 of 2"]},"answerers":{"who":"deciders","alias":"leads","allow_self":false},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","expires_at":"2026-11-21T09:00:00Z","standing":{"is":"expired","at":"2026-11-21T09:00:00Z"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"child","call":"c00000001","child":"ses_…1","wait":"wait_…2"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"ask","placeholder":"P","max":100,"required":false},"notes":["1 of 2"]},"answerers":{"who":"deciders","alias":"leads","allow_self":false},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","expires_at":"2026-11-21T09:00:00Z","standing":{"is":"cancelled","reason":"R","at":"2026-11-21T09:00:00Z"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"call","call":"step_rules_1","tool":"get_user_option"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"decide","request":"Move on?","facts":[["Missing","rules"]],"approve":"Approve","deny":"Deny","deny_and_tell":"Deny and tell"},"notes":["1 of 2"]},"answerers":{"who":"deciders","alias":"leads","allow_self":false},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","expires_at":"2026-11-21T09:00:00Z","standing":{"is":"superseded","by":"wait_…2","at":"2026-11-21T09:00:00Z"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"notice"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"confirm","yes":"Yes","no":"No","danger":true},"notes":["1 of 2"]},"answerers":{"who":"deciders","alias":"leads","allow_self":false},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","expires_at":"2026-11-21T09:00:00Z","standing":{"is":"superseded","by":null,"at":"2026-11-21T09:00:00Z"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"notice"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"ask","placeholder":"P","max":100,"required":false},"notes":["1 of 2"]},"answerers":{"who":"participant"},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","standing":{"is":"pending"}}
    {"id":"wait_…2","session":"ses_…1","revision":1,"purpose":{"kind":"begin","phase":"p2"},"state":{"offered":["a"]},"prompt":{"title":"T","body":"B","control":{"kind":"ask","placeholder":"P","max":100,"required":false},"notes":["1 of 2"]},"answerers":{"who":"participant"},"digest":"d2","asked_at":"2026-11-21T09:00:00Z","standing":{"is":"pending"}}
    "#);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a list of what is stored")]
fn effects_and_renderings() {
    let acts = [
        Act::Show { wait: wait_id() },
        Act::Post { text: "hi".into(), offers: Vec::new(), transcript: false },
        Act::Progress { text: "Step 1 of 3".into() },
        Act::Export { closing: None },
        Act::Export { closing: Some("That's all.".into()) },
        Act::Hand { what: Handout::File { file: artifact() }, text: "Here.".into() },
        Act::Webhook { event: text("finished"), body: json!({ "a": 1 }), linked: Vec::new() },
        Act::AddRoles { roles: vec![text("member")] },
        Act::Relay { name: text("Grace"), text: text("Hello") },
        Act::Fetch {
            by: PersonId::web("ada"),
            wait: Some(wait_id()),
            files: vec![Offer {
                id: text("F1"),
                name: text("cv.pdf"),
                bytes: Some(9),
                url: text("https://files.example.org/cv.pdf"),
            }],
        },
    ];
    let recipients = [
        Recipient::Participant,
        Recipient::Channel { alias: text("staff") },
        Recipient::Webhook { alias: text("crm") },
    ];
    let recipients = recipients.into_iter().cycle();
    let effects: Vec<_> = acts
        .into_iter()
        .zip(recipients)
        .map(|(act, to)| Effect {
            id: effect_id(),
            session: session(),
            place: place(),
            priority: match act {
                Act::AddRoles { .. } => Priority::Background,
                _ => Priority::Normal,
            },
            carries: (act == Act::Export { closing: None })
                .then(|| PhaseEffectRef { phase: text("p1"), index: 0 }),
            to,
            act,
            queued_at: at(),
            attempts: 0,
            not_before: at(),
            asks: false,
            later_since: None,
        })
        .collect();
    insta::assert_snapshot!(stored(&effects), @r#"
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"participant"},"act":{"do":"show","wait":"wait_…2"},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"channel","alias":"staff"},"act":{"do":"post","text":"hi"},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"webhook","alias":"crm"},"act":{"do":"progress","text":"Step 1 of 3"},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"participant"},"act":{"do":"export"},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z","carries":{"phase":"p1","index":0}}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"channel","alias":"staff"},"act":{"do":"export","closing":"That's all."},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"webhook","alias":"crm"},"act":{"do":"hand","what":{"kind":"file","file":{"id":"upload_…4","upload_type":"resume","filename":"resume.pdf","content_type":"application/pdf","size_bytes":5120,"sha256":"d4","kept_at":"2026-11-21T09:00:00Z"}},"text":"Here."},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"participant"},"act":{"do":"webhook","event":"finished","body":{"a":1}},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"channel","alias":"staff"},"act":{"do":"add_roles","roles":["member"]},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z","priority":"background"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"webhook","alias":"crm"},"act":{"do":"relay","name":"Grace","text":"Hello"},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    {"id":"eff_…3","session":"ses_…1","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"to":{"to":"participant"},"act":{"do":"fetch","by":"web:local/ada","wait":"wait_…2","files":[{"id":"F1","name":"cv.pdf","bytes":9,"url":"https://files.example.org/cv.pdf"}]},"queued_at":"2026-11-21T09:00:00Z","attempts":0,"not_before":"2026-11-21T09:00:00Z"}
    "#);
    let rendering = Rendering { effect: effect_id(), message: text("m1") };
    insta::assert_snapshot!(stored(&[rendering]), @r#"{"effect":"eff_…3","message":"m1"}"#);
}

#[test]
fn what_an_erasure_removes_and_reports() {
    let room = Posted { item: Item::Room { id: text("1400") }, reader: Reader::Participant };
    let acts = [
        Act::Remove { what: Removal::Thing { posted: room, within: vec![text("1401")] } },
        Act::Remove {
            what: Removal::Trace { effect: effect_id(), since: at(), mark: Some(text("AQ")) },
        },
        Act::Receipt { user: text("U02"), rooms: vec![text("1400")] },
    ];
    insta::assert_snapshot!(stored(&acts), @r#"
    {"do":"remove","what":{"remove":"thing","posted":{"what":"room","id":"1400"},"within":["1401"]}}
    {"do":"remove","what":{"remove":"trace","effect":"eff_…3","since":"2026-11-21T09:00:00Z","mark":"AQ"}}
    {"do":"receipt","user":"U02","rooms":["1400"]}
    "#);
    let left = Left {
        effect: effect_id(),
        what: Remnant::Blank,
        reader: Reader::Staff(text("desk")),
        count: Count { messages: 2, files: 0, threads: 0 },
        why: None,
    };
    let report = Report {
        receipt: text("AAAA"),
        by: text("participant"),
        at: at(),
        planned: Count { messages: 24, files: 2, threads: 1 },
        left: vec![left],
        sent: 1,
        notice: None,
        pending: 0,
        causes: Vec::new(),
    };
    insta::assert_snapshot!(stored(&[report]), @r#"{"receipt":"AAAA","by":"participant","at":"2026-11-21T09:00:00Z","planned":{"messages":24,"files":2,"threads":1},"left":[{"effect":"eff_…3","what":"blank","reader":{"staff":"desk"},"messages":2,"files":0,"threads":0}],"sent":1}"#);
}

#[test]
fn heads() {
    let head = Head {
        id: session(),
        flow: flow(),
        participant: bob(),
        name: Some(text("Bob")),
        place: place(),
        status: Status::Open,
        phase: Some(text("p1")),
        handed_over: false,
        claimed_by: None,
        pending: 1,
        approvals: 0,
        progress: 0.5,
        seq: 12,
        created_at: at(),
        updated_at: at(),
        test: false,
        held: true,
        goes_at: Some(at()),
        parent: None,
        capabilities: vec![text("roi"), text("search")],
        score: Some(70),
        undelivered: 2,
    };
    let bare = Head {
        name: None,
        phase: None,
        place: web(),
        held: false,
        goes_at: None,
        capabilities: Vec::new(),
        score: None,
        undelivered: 0,
        ..head.clone()
    };
    let child = Head { parent: Some(session()), ..bare.clone() };
    insta::assert_snapshot!(stored(&[head, bare, child]), @r#"
    {"id":"ses_…1","flow":{"id":"community-welcome","version":"1.0.0","digest":"d1"},"participant":"slack:T01/U02","name":"Bob","place":{"platform":"discord","workspace":"9","channel":"8","thread":"7"},"status":"open","phase":"p1","handed_over":false,"pending":1,"approvals":0,"progress":0.5,"seq":12,"created_at":"2026-11-21T09:00:00Z","updated_at":"2026-11-21T09:00:00Z","test":false,"held":true,"goes_at":"2026-11-21T09:00:00Z","capabilities":["roi","search"],"score":70,"undelivered":2}
    {"id":"ses_…1","flow":{"id":"community-welcome","version":"1.0.0","digest":"d1"},"participant":"slack:T01/U02","place":{"platform":"web","workspace":"local","channel":"c"},"status":"open","handed_over":false,"pending":1,"approvals":0,"progress":0.5,"seq":12,"created_at":"2026-11-21T09:00:00Z","updated_at":"2026-11-21T09:00:00Z","test":false}
    {"id":"ses_…1","flow":{"id":"community-welcome","version":"1.0.0","digest":"d1"},"participant":"slack:T01/U02","place":{"platform":"web","workspace":"local","channel":"c"},"status":"open","handed_over":false,"pending":1,"approvals":0,"progress":0.5,"seq":12,"created_at":"2026-11-21T09:00:00Z","updated_at":"2026-11-21T09:00:00Z","test":false,"parent":"ses_…1"}
    "#);
}

#[test]
fn audit_records_with_words_and_without() {
    let record = AuditRecord {
        event: text("phase_advance_attempt"),
        timestamp: at(),
        session: Some(session()),
        facts: map("phase", json!("p1")),
        words: map("reason", json!("one more question")),
    };
    let bare = AuditRecord { session: None, words: Map::new(), ..record.clone() };
    let first = Sealed::seal(0, CHAIN_START, record, text("salt"));
    let second = Sealed::seal(1, &first.seal, bare, String::new());
    let mut erased = first.clone();
    erased.erase_words();
    assert!(erased.holds(0, CHAIN_START) && second.holds(1, &first.seal));
    insta::assert_snapshot!(stored(&[first, second, erased]), @r#"
    {"index":0,"record":{"event":"phase_advance_attempt","timestamp":"2026-11-21T09:00:00Z","session":"ses_…1","facts":{"phase":"p1"},"words":{"reason":"one more question"}},"salt":"salt","words_sha256":"4f518ab4877c03566b9fc5eeaf1ddc1b7376838c94b22e7e7582712c2fe52676","previous":"……00","seal":"75d56ab49903509dcb33d9674d009140917116914211cb7541094974c2a57437","erased":false}
    {"index":1,"record":{"event":"phase_advance_attempt","timestamp":"2026-11-21T09:00:00Z","facts":{"phase":"p1"}},"salt":"","words_sha256":"44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a","previous":"75d56ab49903509dcb33d9674d009140917116914211cb7541094974c2a57437","seal":"de91081e61de9bcb318e69a075fc96ade4a30676d9ef2dd834c838bd37da0d7a","erased":false}
    {"index":0,"record":{"event":"phase_advance_attempt","timestamp":"2026-11-21T09:00:00Z","session":"ses_…1","facts":{"phase":"p1"}},"salt":"","words_sha256":"4f518ab4877c03566b9fc5eeaf1ddc1b7376838c94b22e7e7582712c2fe52676","previous":"……00","seal":"75d56ab49903509dcb33d9674d009140917116914211cb7541094974c2a57437","erased":true}
    "#);
}
