//! Cards as people read them: every control and every status, and what their forms come to.

use std::{fmt::Write as _, sync::Arc};

use anteroom::{
    base::ids::{CallId, CountingIds, SessionId, WaitId},
    chat::form::{self, ComponentId, Fields, Sheet},
    gateway::web::{
        message::{Body, Message},
        parse,
        piece::{Cx, Draft},
        render::message,
    },
    model::{
        session::{FlowPin, PersonId, Place, Platform, Status},
        transcript::{Audience, Event, Recorded, Started},
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, Decision, DenialReader, Field,
            FieldError, Form, Group, Input, List, Prompt, Reply, Review, Upload, Verdict,
        },
        wait::{Answerers, Purpose, Wait, WaitStatus},
    },
    session::{Command, State},
};
use chrono::{DateTime, Utc};
use serde_json::{Value, json};

pub(super) fn now() -> DateTime<Utc> {
    "2026-11-02T14:05:00Z".parse().unwrap()
}

fn state() -> State {
    state_after(&[])
}

fn state_after(events: &[Event]) -> State {
    let started = Started {
        time_zone: None,
        contact_source: None,
        invited_by: None,
        session: SessionId::mint(&CountingIds::default()),
        flow: FlowPin { id: "f".into(), version: "1".into(), digest: String::new() },
        participant: PersonId::web("ada"),
        name: Some("Ada".into()),
        place: Place {
            platform: Platform::Web,
            workspace: "local".into(),
            channel: "c".into(),
            thread: None,
        },
        test: false,
        staff: false,
    };
    let events = std::iter::once(Event::Started(started)).chain(events.iter().cloned());
    let recorded =
        |(event, seq): (Event, u64)| Recorded { v: 1, seq, at: now(), event: event.into() };
    State::fold(&events.zip(1..).map(recorded).collect::<Vec<_>>()).unwrap()
}

pub(super) fn wait(control: Control) -> Wait {
    let (answerers, purpose) = match control {
        Control::Decide(_) => {
            let (alias, tool) = ("recruiting_approvals".into(), "next_phase".into());
            let purpose = Purpose::Call { call: CallId::new("advance_1"), tool };
            (Answerers::Deciders { alias, allow_self: false }, purpose)
        }
        _ => (Answerers::Participant, Purpose::Notice),
    };
    Wait {
        id: WaitId::mint(&CountingIds::default()),
        session: state().session,
        revision: 1,
        purpose,
        state: Value::Null,
        prompt: Prompt {
            title: None,
            body: "A question.".into(),
            control,
            notes: vec!["1 of 2".into()],
        }
        .into(),
        answerers,
        quorum: 1,
        votes: Vec::new(),
        digest: String::new(),
        asked_at: now(),
        expires_at: None,
        status: WaitStatus::Pending,
    }
}

pub(super) fn cx(viewer: Audience) -> Cx {
    Cx {
        viewer,
        session: state().session,
        csrf: "c".into(),
        page: "p".into(),
        draft: None,
        unsent: String::new(),
    }
}

pub(super) fn html(wait: &Wait, cx: &Cx) -> String {
    let body = Body::Card { wait: Box::new(wait.clone()), again: false };
    message(&Message { id: "w".into(), at: now(), body }, &state(), cx).html
}

/// A page as it reads: buttons as `[label]`, what unfolds as `(label)`, inputs as `{name=value}`.
pub(super) fn read(html: &str) -> String {
    let mut out = String::new();
    let mut rest = html;
    while let Some(start) = rest.find('<') {
        out.push_str(&rest[..start]);
        let end = rest[start..].find('>').unwrap() + start;
        let tag = &rest[start + 1..end];
        let attribute = |name: &str| {
            tag.split(&format!(" {name}=\""))
                .nth(1)
                .map_or("", |value| value.split('"').next().unwrap())
        };
        match tag.split([' ', '/']).find(|part| !part.is_empty()).unwrap_or_default() {
            "button" => out.push_str(if tag.starts_with('/') { "]\n" } else { "[" }),
            "summary" => out.push_str(if tag.starts_with('/') { ")\n" } else { "(" }),
            "textarea" | "select" if tag.starts_with('/') => out.push_str("}\n"),
            "textarea" | "select" => write!(out, "{{{}=", attribute("name")).unwrap(),
            "option" => out.push(' '),
            "input" if attribute("type") == "hidden" => {}
            "input" => {
                let tick = if tag.contains(" checked") { "+" } else { "" };
                writeln!(out, "{{{}={}{tick}}}", attribute("name"), attribute("value")).unwrap();
            }
            "dt" if tag.starts_with('/') => out.push_str(": "),
            "p" | "h3" | "h4" | "dd" | "li" | "label" | "legend" | "div" => out.push('\n'),
            _ => {}
        }
        rest = &rest[end + 1..];
    }
    let lines: Vec<&str> = out.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

pub(super) fn choices(count: usize) -> Vec<Choice> {
    let choice = |n| Choice {
        id: format!("c{n}"),
        label: format!("Choice {n}"),
        description: None,
        icon: None,
    };
    (0..count).map(choice).collect()
}

pub(super) fn field(path: &str, label: &str, input: Input, value: Value) -> Field {
    Field {
        path: path.into(),
        label: label.into(),
        hint: None,
        required: false,
        input,
        value,
        check: false,
    }
}

pub(super) const fn text() -> Input {
    Input::Text { multiline: false, min: None, max: None }
}

fn timeline() -> Review {
    let role = |n: usize, name: &str| Group {
        path: format!("work.{n}"),
        title: name.into(),
        fields: vec![
            field(&format!("work.{n}.name"), "Employer", text(), json!(name)),
            Field {
                check: true,
                ..field(&format!("work.{n}.endDate"), "Until", Input::Date, Value::Null)
            },
        ],
    };
    Review {
        data_type: "skeleton_timeline".into(),
        data: json!({ "work": [ { "id": "a", "name": "Acme" }, { "id": "b", "name": "Blue" } ] }),
        schema: json!({}),
        groups: vec![role(0, "Acme"), role(1, "Blue")],
        lists: vec![List {
            path: "work".into(),
            noun: "role".into(),
            fields: vec![
                field("name", "Employer", text(), Value::Null),
                field("endDate", "Until", Input::Date, Value::Null),
            ],
        }],
        skippable: false,
    }
}

fn fields(pairs: &[(&str, &str)]) -> Fields {
    Fields(pairs.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect())
}

#[test]
fn few_choices_are_buttons() {
    let control = Control::Choose(Choose {
        choices: choices(2),
        multiple: false,
        required: false,
        ..Choose::default()
    });
    insta::assert_snapshot!(read(&html(&wait(control), &cx(Audience::Participant))), @"
    Question
    A question.
    [Choice 0]
    [Choice 1]
    [Skip]
    1 of 2
    ");
}

#[test]
fn several_picks_are_boxes_to_tick() {
    let control = Control::Choose(Choose {
        choices: choices(2),
        multiple: true,
        required: true,
        ..Choose::default()
    });
    insta::assert_snapshot!(read(&html(&wait(control), &cx(Audience::Participant))), @"
    Question
    A question.
    {pick=c0}
    Choice 0
    {pick=c1}
    Choice 1
    [Done]
    1 of 2
    ");
}

#[test]
fn many_choices_are_a_list() {
    let control = Control::Choose(Choose {
        choices: choices(7),
        multiple: false,
        required: true,
        ..Choose::default()
    });
    insta::assert_snapshot!(read(&html(&wait(control), &cx(Audience::Participant))), @"
    Question
    A question.
    Your choice
    {pick= Choose…  Choice 0  Choice 1  Choice 2  Choice 3  Choice 4  Choice 5  Choice 6 }
    [Done]
    1 of 2
    ");
}

#[test]
fn a_form_has_an_input_for_every_kind_of_field() {
    let some = |path: &str, input| field(path, path, input, Value::Null);
    let select = |multiple| Input::Select { choices: choices(2), multiple };
    let fields = vec![
        Field {
            required: true,
            hint: Some("as printed".into()),
            ..field("name", "Name", text(), json!("Ada"))
        },
        some("mail", Input::Email),
        some("site", Input::Url),
        some("phone", Input::Phone),
        some("since", Input::Date),
        some("born", Input::Day),
        some("age", Input::Number { integer: true, min: None, max: None }),
        field("ready", "ready", Input::Bool, json!(true)),
        field("one", "one", select(false), json!("c1")),
        field("many", "many", select(true), json!(["c0"])),
        field("lines", "lines", Input::Lines, json!(["a", "b"])),
    ];
    let control = Control::Form(Form { fields, submit: "Send".into(), skippable: true });
    insta::assert_snapshot!(read(&html(&wait(control), &cx(Audience::Participant))), @"
    Question
    A question.
    Name
    {f.name=Ada}
    as printed
    mail optional
    {f.mail=}
    site optional
    {f.site=}
    phone optional
    {f.phone=}
    since optional
    {f.since=}
    born optional
    {f.born=}
    age optional
    {f.age=}
    ready optional
    {f.ready=yes+}
    Yes
    {f.ready=no}
    No
    {f.ready=}
    No answer
    one optional
    {f.one= Choose…  Choice 0  Choice 1 }
    many optional
    {f.many=c0+}
    Choice 0
    {f.many=c1}
    Choice 1
    lines optional
    {f.lines=a
    b}
    [Send]
    [Skip]
    1 of 2
    ");
}

#[test]
fn a_whole_day_is_picked_from_a_calendar() {
    let input = |value: Value| {
        let fields = vec![field("born", "Born", Input::Day, value)];
        let control = Control::Form(Form { fields, submit: "Send".into(), skippable: true });
        html(&wait(control), &cx(Audience::Participant))
    };
    assert!(input(Value::Null).contains(r#"<input type="date""#));
    assert!(input(json!("2001-05-31")).contains(r#"type="date""#));
    // A calendar would be empty: what was typed stays to be mended.
    let typed = input(json!("spring 2001"));
    assert!(!typed.contains(r#"type="date""#) && typed.contains("spring 2001"), "{typed}");
}

#[test]
fn a_review_shows_the_data_and_unfolds_an_edit_form() {
    insta::assert_snapshot!(read(&html(&wait(Control::Review(timeline())), &cx(Audience::Participant))), @r"
    Question
    A question.
    Acme
    Employer:
    Acme
    Until please check:
    not filled in
    Blue
    Employer:
    Blue
    Until please check:
    not filled in
    [Looks right]
    (Edit)
    [Save]
    (Role 1 Acme)
    Employer optional
    {f.work.0.name=Acme}
    Until optional please check
    {f.work.0.endDate=}
    [Remove role 1]
    (Role 2 Blue)
    Employer optional
    {f.work.1.name=Blue}
    Until optional please check
    {f.work.1.endDate=}
    [Remove role 2]
    [Move up role 2]
    [Add a role]
    Note for the interviewer optional
    {notes=}
    [Save]
    (Start over)
    What should be different? optional
    {notes=}
    [Start over]
    1 of 2
    ");
}

#[test]
fn what_is_not_given_takes_one_quiet_line_unless_it_is_needed_or_must_be_checked() {
    let none = |path: &str, label: &str| field(path, label, text(), Value::Null);
    let group = Group {
        path: String::new(),
        title: "Contact details".into(),
        fields: vec![
            field("name", "Name", text(), json!("Ada")),
            none("postcode", "Postcode"),
            Field { required: true, ..none("email", "E-mail") },
            Field { check: true, ..none("phone", "Phone") },
            none("region", "Region"),
        ],
    };
    let review = Review { groups: vec![group], lists: Vec::new(), ..timeline() };
    let mut card = wait(Control::Review(review));
    Arc::make_mut(&mut card.prompt).title = Some("Contact details".into());
    let drawn = read(&html(&card, &cx(Audience::Participant)));
    let shown = drawn.split("[Looks right]").next().unwrap();
    insta::assert_snapshot!(shown, @"
    Contact details
    A question.
    Name:
    Ada
    E-mail:
    not filled in
    Phone please check:
    not filled in
    Not filled in: Postcode, Region
    ");
}

/// A review that a schema would refuse, as it comes from a résumé.
fn unfinished() -> Wait {
    let schema: Value =
        serde_json::from_str(include_str!("../../../manifests/schemas/skeleton_timeline.json"))
            .unwrap();
    let data =
        json!({ "work": [ { "position": "Analyst", "startDate": "2020", "endDate": "2019" } ] });
    let card =
        anteroom::tool::catalog::interview::submit_for_validation::card::draw(&schema, &data, &[]);
    let review = Review {
        data_type: "skeleton_timeline".into(),
        data,
        schema,
        groups: card.groups,
        lists: card.lists,
        skippable: false,
    };
    wait(Control::Review(review))
}

#[test]
fn what_must_be_mended_is_marked_before_anybody_approves() {
    let drawn = read(&html(&unfinished(), &cx(Audience::Participant)));
    let shown = drawn.split("[Looks right]").next().unwrap();
    insta::assert_snapshot!(shown, @"
    Question
    A question.
    Role 1
    Organisation:
    Enter an organisation.
    Title:
    Analyst
    Start:
    2020
    End:
    2019The end date is before the start date.
    ");
}

#[test]
fn approving_what_does_not_pass_opens_the_form_at_the_field() {
    let card = unfinished();
    let Control::Review(review) = &card.prompt.control else { unreachable!() };
    let errors = anteroom::session::answer::check(
        &card.prompt.control,
        &Reply::Reviewed { verdict: Verdict::Approved, data: None, notes: None },
    );
    let told: Vec<String> =
        errors.iter().map(|error| form::complaint(&card.prompt.control, error)).collect();
    assert_eq!(
        told,
        ["Role 1: enter an organisation.", "Role 1: the end date is before the start date."]
    );
    assert_eq!(review.groups.len(), 1);

    let draft = Draft { wait: card.id, fields: fields(&[]), errors, action: "approve".into() };
    let drawn = html(&card, &Cx { draft: Some(draft), ..cx(Audience::Participant) });
    assert!(drawn.contains("details class=\"fold edit\" open"), "{drawn}");
    let field = drawn.split("name=\"f.work.0.name\"").nth(1).unwrap();
    let tag = field.split('>').next().unwrap();
    assert!(tag.contains("autofocus") && tag.contains("aria-invalid=\"true\""), "{tag}");
    assert!(field.split("f.work.0.position").next().unwrap().contains("Enter an organisation."));
}

#[test]
fn country_is_taken_by_name_and_kept_as_its_code() {
    let country = field("basics.location.countryCode", "Country", text(), Value::Null);
    let read =
        |typed: &str| form::read(&country, &fields(&[("f.basics.location.countryCode", typed)]));
    for (typed, code) in [
        ("USA", "US"),
        ("us", "US"),
        ("Germany", "DE"),
        ("the Netherlands", "NL"),
        ("Österreich", "AT"),
    ] {
        assert_eq!(read(typed), Ok(Some(json!(code))), "{typed}");
    }
    assert_eq!(read(""), Ok(None));
    assert_eq!(
        read("Atlantis").unwrap_err().message,
        "Enter a country, for example Germany or DE."
    );
}

#[test]
fn long_answer_is_folded_and_nothing_of_it_is_cut() {
    let long = format!("first line\nsecond line {} end", "word ".repeat(1_500));
    let mut card = wait(Control::Ask(Ask { placeholder: None, max: 10_000, required: true }));
    card.status = WaitStatus::Applied {
        reply: Reply::Text { text: long.clone() },
        by: PersonId::web("ada"),
        by_name: "Ada".into(),
        at: now(),
    };
    let drawn = html(&card, &cx(Audience::Participant));
    assert!(drawn.contains(&format!("<p class=\"answer\" dir=\"auto\">{long}</p>")), "{drawn}");
    let data = vec![field("about", "About", text(), json!(long))];
    let form = Control::Form(Form { fields: data, submit: "Send".into(), skippable: false });
    let drawn = html(&wait(form), &cx(Audience::Participant));
    assert!(drawn.contains("<textarea") && drawn.contains(&long), "line ends stay: {drawn}");
    assert!(!drawn.contains("maxlength"), "{drawn}");
}

#[test]
fn what_was_approved_can_be_changed_by_the_participant_while_the_conversation_goes_on() {
    let by = PersonId::web("ada");
    let reply = |verdict| Reply::Reviewed { verdict, data: None, notes: None };
    let told = |verdict, status, viewer| {
        let mut card = wait(Control::Review(timeline()));
        let asked = [
            Event::Asked(Box::new(card.clone())),
            Event::StatusChanged { to: status, reason: String::new() },
        ];
        let state = state_after(&asked);
        let (by, by_name) = (by.clone(), "Ada".into());
        card.status = WaitStatus::Applied { reply: reply(verdict), by, by_name, at: now() };
        let body = Body::Card { wait: Box::new(card), again: false };
        message(&Message { id: "w".into(), at: now(), body }, &state, &cx(viewer)).html
    };
    let has_change = |html: String| html.contains(">Change</button>");

    assert!(has_change(told(Verdict::Approved, Status::Open, Audience::Participant)));
    assert!(has_change(told(Verdict::Modified, Status::Paused, Audience::Participant)));
    assert!(!has_change(told(Verdict::Rejected, Status::Open, Audience::Participant)));
    assert!(!has_change(told(Verdict::Approved, Status::Completed, Audience::Participant)));
    assert!(!has_change(told(Verdict::Approved, Status::Open, Audience::Staff)));
    let wait = wait(Control::Review(timeline())).id;
    let typed = fields(&[("command", "change"), ("wait", &wait.short())]);
    assert_eq!(parse::command(&typed), Some(Command::Change { wait }));
}

#[test]
fn an_upload_says_what_it_takes() {
    let control = Control::Upload(Upload {
        upload_type: "resume".into(),
        accept: vec!["pdf".into(), "docx".into()],
        max_bytes: 10 * 1024 * 1024,
        max_files: 3,
        required: false,
    });
    insta::assert_snapshot!(read(&html(&wait(control), &cx(Audience::Participant))), @"
    Question
    A question.
    Choose files
    {files=}
    PDF, DOCX. Up to 3 files, 10 MB each. Drag and drop works too.
    [Send]
    [Type it in]
    1 of 2
    ");
}

#[test]
fn a_question_is_a_field_to_write_in() {
    let control = Control::Ask(Ask { placeholder: None, max: 100, required: false });
    insta::assert_snapshot!(read(&html(&wait(control), &cx(Audience::Participant))), @"
    Question
    A question.
    Your answer
    {text=}
    [Send]
    [Skip]
    1 of 2
    ");
}

#[test]
fn a_decision_takes_two_steps_to_approve_and_is_for_staff_alone() {
    let control = Control::Decide(Decide {
        request: "Move Ada on?".into(),
        facts: vec![("Missing".into(), "A file".into())],
        approve: "Approve".into(),
        deny: "Deny".into(),
        deny_and_tell: Some("Deny and tell the interviewer".into()),
        denial_reader: DenialReader::default(),
    });
    let card = wait(control);
    assert!(!html(&card, &cx(Audience::Participant)).contains("<button"));
    insta::assert_snapshot!(read(&html(&card, &cx(Audience::Staff))), @"
    Question
    The recruiting approvers · asked 2 Nov 2026 14:05 UTC
    A question.
    Missing:
    A file
    (Approve)
    Move Ada on?
    [Yes, approve]
    (Deny)
    Move Ada on?
    [Yes, deny]
    (Deny and tell the interviewer)
    What should the interviewer do next?
    The interviewer will use this; the participant won't see it.
    {feedback=}
    [Send to interviewer]
    1 of 2
    ");
}

#[test]
fn a_denial_without_words_leads_to_what_is_wrong() {
    let card = wait(Control::Decide(Decide {
        request: "Move Ada on?".into(),
        facts: Vec::new(),
        approve: "Approve".into(),
        deny: "Deny".into(),
        deny_and_tell: Some("Deny and tell the interviewer".into()),
        denial_reader: DenialReader::default(),
    }));
    let typed = fields(&[("feedback", "")]);
    let errors = form::reply(&card.prompt, "deny_and_tell", &typed).unwrap_err();
    let draft = Draft { wait: card.id, fields: typed, errors, action: "deny_and_tell".into() };
    let drawn = html(&card, &Cx { draft: Some(draft), ..cx(Audience::Staff) });
    let area = drawn.split("<textarea").nth(1).unwrap().split("</div>").next().unwrap();
    assert!(area.contains("aria-invalid=\"true\"") && area.contains("-error\""), "{area}");
    assert!(area.contains("Please fill this in."), "{area}");
}

#[test]
fn a_dangerous_yes_says_so_in_words() {
    let control =
        Control::Confirm(Confirm { yes: "Erase".into(), no: "Keep".into(), danger: true });
    insta::assert_snapshot!(read(&html(&wait(control), &cx(Audience::Participant))), @r"
    Question
    A question.
    This can't be undone.
    [Erase]
    [Keep]
    1 of 2
    ");
}

#[test]
fn a_closed_card_says_what_became_of_it_and_has_no_buttons() {
    let by = PersonId::web("grace");
    let reply = |decision| Reply::Decided { decision, feedback: Some("finish it".into()) };
    let applied =
        |reply| WaitStatus::Applied { reply, by: by.clone(), by_name: "Grace".into(), at: now() };
    let standings = [
        applied(reply(Decision::Approved)),
        applied(reply(Decision::DeniedWithFeedback)),
        applied(Reply::Skipped),
        WaitStatus::Answered {
            reply: Reply::Skipped,
            by: PersonId::web("ada"),
            by_name: "Ada".into(),
            at: now(),
        },
        WaitStatus::Expired { at: now() },
        WaitStatus::Cancelled { reason: "withdrawn".into(), at: now() },
        WaitStatus::Superseded { by: None, at: now() },
    ];
    let control = Control::Confirm(Confirm { yes: "Yes".into(), no: "No".into(), danger: false });
    let mut all = String::new();
    for status in standings {
        let card = Wait { status, ..wait(control.clone()) };
        let drawn = html(&card, &cx(Audience::Participant));
        assert!(!drawn.contains("<button") && !drawn.contains("<form"), "{drawn}");
        writeln!(all, "{}", read(&drawn).replace("Question\nA question.\n", "")).unwrap();
    }
    insta::assert_snapshot!(all, @"
    A question.
    Approved by Grace, 2 Nov 2026 14:05 UTC
    A question.
    Denied with feedback by Grace, 2 Nov 2026 14:05 UTC
    A question.
    Grace skipped this, 2 Nov 2026 14:05 UTC
    A question.
    You skipped this, 2 Nov 2026 14:05 UTC
    Working on it…
    A question.
    Expired: nobody answered in time. 2 Nov 2026 14:05 UTC
    A question.
    Question withdrawn: withdrawn. 2 Nov 2026 14:05 UTC
    A question.
    Closed: the conversation has moved on. 2 Nov 2026 14:05 UTC
    ");
}

#[test]
fn a_request_that_lapsed_can_be_reopened_by_staff() {
    let control = Control::Decide(Decide {
        request: "Move Ada on?".into(),
        facts: Vec::new(),
        approve: "Approve".into(),
        deny: "Deny".into(),
        deny_and_tell: None,
        denial_reader: DenialReader::default(),
    });
    let card = Wait { status: WaitStatus::Expired { at: now() }, ..wait(control) };
    let typed = fields(&[("command", "reopen"), ("wait", &card.id.short())]);

    assert!(html(&card, &cx(Audience::Staff)).contains(">Reopen</button>"));
    assert!(!html(&card, &cx(Audience::Participant)).contains("Reopen"));
    // Of anything else the core refuses it.
    let call = Purpose::Call { call: CallId::new("call_1"), tool: "request_decision".into() };
    let other = Wait { purpose: call, ..card.clone() };
    assert!(!html(&other, &cx(Audience::Staff)).contains("Reopen"));
    assert_eq!(parse::order(&typed), Some(Command::Reopen { wait: card.id }));
}

#[test]
fn the_words_of_a_denial_are_for_staff() {
    let reply = Reply::Decided {
        decision: Decision::DeniedWithFeedback,
        feedback: Some("finish it".into()),
    };
    let by = PersonId::web("grace");
    let control = Control::Decide(Decide {
        request: "Move Ada on?".into(),
        facts: vec![(Decide::PERSON.into(), "Ada".into())],
        approve: "Approve".into(),
        deny: "Deny".into(),
        deny_and_tell: Some("Deny and tell the interviewer".into()),
        denial_reader: DenialReader::default(),
    });
    assert!(
        html(&wait(control.clone()), &cx(Audience::Staff))
            .contains("The interviewer will use this; Ada won't see it.")
    );
    let card = Wait {
        status: WaitStatus::Applied { reply, by, by_name: "Grace".into(), at: now() },
        ..wait(control)
    };
    assert!(html(&card, &cx(Audience::Staff)).contains("To the interviewer: finish it"));
    assert!(!html(&card, &cx(Audience::Participant)).contains("finish it"));
}

#[test]
fn what_was_typed_comes_back_with_what_is_wrong_with_it() {
    let card = wait(Control::Form(Form {
        fields: vec![field(
            "age",
            "Age",
            Input::Number { integer: true, min: None, max: None },
            Value::Null,
        )],
        submit: "Send".into(),
        skippable: false,
    }));
    let typed = fields(&[("f.age", "many")]);
    let errors = form::reply(&card.prompt, "submit", &typed).unwrap_err();
    let draft = Draft { wait: card.id, fields: typed, errors, action: "submit".into() };

    let drawn = html(&card, &Cx { draft: Some(draft), ..cx(Audience::Participant) });

    assert!(drawn.contains("value=\"many\"") && drawn.contains("aria-invalid=\"true\""), "{drawn}");
    insta::assert_snapshot!(read(&drawn), @"
    Question
    A question.
    Age optional
    {f.age=many}
    Enter a number, such as 12.
    [Send]
    1 of 2
    ");
}

#[test]
fn a_revision_does_not_depend_on_who_opened_the_page_or_what_was_typed() {
    let card = wait(Control::Ask(Ask { placeholder: None, max: 100, required: true }));
    let draft = Draft {
        wait: card.id,
        fields: fields(&[("text", "half a")]),
        errors: vec![FieldError::whole("no")],
        action: "send".into(),
    };
    let again = Cx {
        csrf: "other".into(),
        page: "other".into(),
        draft: Some(draft),
        ..cx(Audience::Participant)
    };
    let rev = |html: &str| html.split("data-rev=\"").nth(1).unwrap()[..12].to_owned();

    assert_eq!(rev(&html(&card, &cx(Audience::Participant))), rev(&html(&card, &again)));
}

#[test]
fn fields_become_values_of_their_kind() {
    let prompt = wait(Control::Form(Form {
        fields: vec![
            field("name", "Name", text(), Value::Null),
            field("age", "Age", Input::Number { integer: true, min: None, max: None }, Value::Null),
            field("ready", "Ready", Input::Bool, Value::Null),
            field("tags", "Tags", Input::Lines, Value::Null),
            field("empty", "Empty", text(), Value::Null),
        ],
        submit: "Send".into(),
        skippable: false,
    }))
    .prompt;
    let typed = fields(&[
        ("f.name", " Ada\r\n"),
        ("f.age", "36"),
        ("f.tags", "a\r\n\r\n b "),
        ("f.empty", ""),
    ]);

    let Reply::Filled { values } = form::reply(&prompt, "submit", &typed).unwrap() else {
        panic!()
    };

    assert_eq!(Value::Object(values), json!({ "name": "Ada", "age": 36, "tags": ["a", "b"] }));
}

#[test]
fn nobody_has_said_no_by_saying_nothing() {
    let asked = |value: Value| {
        wait(Control::Form(Form {
            fields: vec![Field { required: true, ..field("ready", "Ready?", Input::Bool, value) }],
            submit: "Send".into(),
            skippable: false,
        }))
    };
    let card = asked(Value::Null);
    let sent = |typed: &[(&str, &str)]| form::reply(&card.prompt, "submit", &fields(typed));
    let filled = |yes: bool| {
        let values = [("ready".to_owned(), json!(yes))].into_iter().collect();
        Ok(Reply::Filled { values })
    };
    assert_eq!(sent(&[("f.ready", "yes")]), filled(true));
    assert_eq!(sent(&[("f.ready", "no")]), filled(false));
    let errors = sent(&[]).unwrap_err();
    let draft = Draft { wait: card.id, fields: fields(&[]), errors, action: "submit".into() };
    let drawn = html(&card, &Cx { draft: Some(draft), ..cx(Audience::Participant) });
    assert!(drawn.contains("Please pick one.") && !drawn.contains(" checked"), "{drawn}");

    let drawn = read(&html(&asked(json!(false)), &cx(Audience::Participant)));
    assert!(drawn.contains("{f.ready=yes}") && drawn.contains("{f.ready=no+}"), "{drawn}");
}

#[test]
fn picks_travel_by_place_and_unknown_ones_do_not_arrive() {
    let prompt = wait(Control::Choose(Choose {
        choices: choices(3),
        multiple: true,
        required: true,
        ..Choose::default()
    }))
    .prompt;
    let chosen =
        |action: &str, picked: &[(&str, &str)]| form::reply(&prompt, action, &fields(picked));

    let ids = |ids: &[&str]| Reply::Chosen {
        ids: ids.iter().map(|id| (*id).to_owned()).collect(),
        free_text: None,
    };
    assert_eq!(chosen("pick.1", &[]), Ok(ids(&["c1"])));
    assert_eq!(
        chosen("done", &[("pick", "c2"), ("pick", "c0"), ("pick", "x")]),
        Ok(ids(&["c0", "c2"]))
    );
    assert!(chosen("done", &[]).is_err());
    assert!(chosen("pick.9", &[]).is_err());
}

#[test]
fn an_edited_list_keeps_what_the_form_does_not_show() {
    let review = timeline();
    let mut typed = fields(&[
        ("rows.0", "0"),
        ("rows.0", "1"),
        ("f.work.0.name", "Acme"),
        ("f.work.0.endDate", ""),
        ("f.work.1.name", "Blue Ltd"),
        ("f.work.1.endDate", "2024-03"),
    ]);
    let mut sheet = Sheet::read(&review, &typed);
    sheet.rearrange(&review, "up.0.1", &mut typed);
    sheet.rearrange(&review, "remove.0.1", &mut typed);
    sheet.rearrange(&review, "add.0", &mut typed);
    typed.0.push(("f.work.1.name".into(), "New".into()));

    let data = sheet.data(&review, &typed).unwrap();

    assert_eq!(
        data,
        json!({ "work": [ { "id": "b", "name": "Blue Ltd", "endDate": "2024-03" }, { "name": "New" } ] })
    );
}

#[test]
fn saving_is_no_approval() {
    let prompt = wait(Control::Review(timeline())).prompt;
    let typed = fields(&[
        ("rows.0", "0"),
        ("rows.0", "1"),
        ("f.work.0.name", "Acme"),
        ("f.work.1.name", "Blue"),
        ("notes", "ok"),
    ]);

    let reply = form::reply(&prompt, "save", &typed);

    let notes = Some("ok".to_owned());
    let data = Some(timeline().data);
    assert_eq!(reply, Ok(Reply::Reviewed { verdict: Verdict::Saved, data, notes }));
}

#[test]
fn element_ids_survive_their_text_form_and_nothing_else_is_one() {
    let wait = WaitId::mint(&CountingIds::default());
    let id = ComponentId::id(wait, 3, "remove.0.1");
    assert_eq!(
        ComponentId::parse(&id),
        Some(ComponentId { wait, revision: 3, action: "remove.0.1".into() })
    );
    for wrong in [
        "",
        "v1",
        "v2.AAAAAAAAAAAAAAAAAAAAAQ.1.x",
        "v1.short.1.x",
        "v1.AAAAAAAAAAAAAAAAAAAAAQ.x.y",
        "v1.AAAAAAAAAAAAAAAAAAAAAQ.1.",
    ] {
        assert_eq!(ComponentId::parse(wrong), None, "{wrong}");
    }
}
