//! Whatever is asked fits what Discord takes, and can be answered there.

use anteroom::{
    chat::{card::Reader, form::ComponentId},
    gateway::discord::{
        answer::{self, Step},
        inbound::Inputs,
        render::{Cx, aside, card, post, wrong},
    },
    model::{
        transcript::Audience,
        ui::{Control, Prompt, Reply, Verdict},
        wait::Wait,
    },
    session::answer::check,
};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, proptest},
    strategy::{Strategy as _, ValueTree as _},
    test_runner::TestRunner,
};

use super::{
    ada, grace, modal,
    person::{Person, answers, begun, controls, some},
    wrong_with, wrong_with_modal,
};
use crate::discord::{
    judges::{self, Request},
    questions::{ends, question, timeline, wait, words},
};

fn reader(wait: &Wait) -> Audience {
    match wait.prompt.control {
        Control::Decide(_) => Audience::Staff,
        _ => Audience::Participant,
    }
}

/// Draws a question in every status, answers it in every way that it offers; every request that came of it.
fn live_through(wait: &Wait, said: &str) -> Vec<Request> {
    let reader = Reader {
        audience: reader(wait),
        may_change: true,
        participant: Some(ada()),
        ..Reader::default()
    };
    let cx = Cx {
        reader,
        conversation: Some("https://discord.com/channels/1/2".into()),
        ..Cx::default()
    };
    let outcomes = answers(wait, &cx, said);
    assert!(!outcomes.is_empty(), "nothing can be done with {wait:#?}");
    let mut accepted = None;
    for outcome in &outcomes {
        let reply = match &outcome.came {
            Ok(Reply::Uploaded { .. }) => continue,
            Ok(reply) => reply,
            Err(errors) => {
                panic!("`{}` was filled in and is refused: {errors:?}\n{wait:#?}", outcome.action)
            }
        };
        let errors = check(&wait.prompt.control, reply);
        // What was read from a document may not be right; it is approved only once it is.
        let is_draft = matches!(reply, Reply::Reviewed { verdict: Verdict::Approved, .. });
        assert!(errors.is_empty() || is_draft, "{outcome:?}: {errors:?}\n{wait:#?}");
        accepted.get_or_insert_with(|| reply.clone());
    }
    requests(wait, &cx, said, accepted)
}

/// Everything that is sent about a question.
fn requests(wait: &Wait, cx: &Cx, said: &str, accepted: Option<Reply>) -> Vec<Request> {
    let mut requests = vec![Request::message("card", card(wait, cx).body().json())];
    let draft = if cx.reader.audience == Audience::Participant {
        begun(wait, said)
    } else {
        cx.draft.clone()
    };
    let cx = Cx { draft, ..cx.clone() };
    let begun = card(wait, &cx);
    assert_eq!(wrong_with(&begun), Vec::<String>::new(), "{wait:#?}");
    for (element, inputs) in some(controls(&begun)) {
        let action = answer::resolve(&element, &inputs).action;
        if let Some(modal) = modal(wait, &action, &cx) {
            assert_eq!(wrong_with_modal(&modal), Vec::<String>::new(), "{wait:#?}");
            requests.push(Request::modal(action.clone(), &modal));
        }
        if let Some(message) = aside(wait, &action, &cx) {
            assert_eq!(wrong_with(&message), Vec::<String>::new(), "{wait:#?}");
            requests.push(Request::message(action, message.body().hidden().json()));
        }
    }
    requests.push(Request::message("begun", begun.body().json()));
    let complaints = vec![wait.prompt.body.common_mark(); 12];
    let message = wrong(wait, "submit", &complaints);
    assert_eq!(wrong_with(&message), Vec::<String>::new(), "{wait:#?}");
    requests.push(Request::message("wrong", message.body().hidden().json()));
    for status in ends(wait, accepted, &ada()) {
        for audience in [Audience::Participant, Audience::Staff] {
            let ended = Wait { status: status.clone(), ..wait.clone() };
            let reader = Reader { audience, ..cx.reader.clone() };
            let message = card(&ended, &Cx { reader, ..cx.clone() });
            assert_eq!(wrong_with(&message), Vec::<String>::new(), "{ended:#?}");
            requests.push(Request::message("ended", message.body().json()));
        }
    }
    requests
}

fn many() -> ProptestConfig {
    ProptestConfig {
        cases: 32,
        max_shrink_iters: 12,
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(many())]

    #[test]
    fn whatever_is_asked_fits_and_can_be_answered(wait in question(grace()), said in "[A-Za-z]{80}") {
        live_through(&wait, &said);
    }

    #[test]
    fn whatever_is_said_fits_and_nothing_of_it_acts(text in vec(words(), 1..6)) {
        let text = text.join("\n\n");
        let messages = post(&text);
        for message in &messages {
            assert_eq!(wrong_with(message), Vec::<String>::new());
        }
        let letters = |text: &str| text.chars().filter(char::is_ascii_alphabetic).count();
        let shown: usize = messages.iter().map(|message| letters(&message.content)).sum();
        assert!(shown * 2 >= letters(&text) - text.matches("script").count() * 6, "{shown} of {}", letters(&text));
    }
}

#[test]
fn what_is_drawn_passes_the_judges() {
    let mut runner = TestRunner::deterministic();
    let mut requests = Vec::new();
    for n in 0..40 {
        let wait = question(grace()).new_tree(&mut runner).unwrap().current();
        for request in live_through(&wait, &"w".repeat(80)) {
            requests.push(Request { name: format!("{n} {}", request.name), ..request });
        }
    }
    if let Some(complaints) = judges::complaints(&requests) {
        let all = complaints.join("\n");
        assert!(complaints.is_empty(), "{} of {}:\n{all}", complaints.len(), requests.len());
    }
}

/// The names of the roles in a reply.
fn roles(reply: &Reply) -> Vec<&str> {
    let Reply::Reviewed { verdict: Verdict::Modified, data: Some(data), .. } = reply else {
        panic!("{reply:?}")
    };
    let roles = data["work"].as_array().unwrap().iter();
    roles.map(|role| role["name"].as_str().unwrap_or("?")).collect()
}

#[test]
fn entries_move_and_what_was_entered_moves_with_them() {
    let control = Control::Review(timeline(3));
    let wait = wait(Prompt { title: None, body: "".into(), control, notes: Vec::new() });
    let mut person = Person { wait: &wait, cx: Cx::default(), words: "" };
    let press = |person: &mut Person<'_>, action: &str| {
        let element = ComponentId { action: action.to_owned(), wait: wait.id, revision: 1 };
        person.press(&(element, Inputs::default()))
    };
    // The form of the third role is open on a phone, while the role moves up on a desk.
    let form = modal(&wait, "edit.2", &person.cx).unwrap();
    // As long as a new entry is not filled in, nothing is saved by itself.
    assert!(press(&mut person, "add.0").is_none());
    assert!(press(&mut person, "up.0.2").is_none());
    let mut inputs = super::person::filled(&form, "");
    let name = inputs.0.keys().find(|name| name.ends_with("10")).unwrap().clone();
    inputs.0.get_mut(&name).unwrap().values = vec!["Looms".into()];
    let sent = ComponentId { action: "save.2".into(), wait: wait.id, revision: 1 };
    let Step::Answered { draft, reply } = answer::step(&wait, &person.cx.draft, &sent, &inputs)
    else {
        panic!()
    };
    assert!(matches!(reply, Reply::Reviewed { verdict: Verdict::Saved, .. }), "{reply:?}");
    person.cx.draft = draft;
    assert!(press(&mut person, "remove.0.0").is_none());
    let outcome = press(&mut person, "approve").unwrap();
    let reply = outcome.came.unwrap();
    assert_eq!(roles(&reply), ["Looms", "Babbage & Sons", "?"]);
}
