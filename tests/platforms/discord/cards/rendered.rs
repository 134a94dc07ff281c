//! Each control as people read it, open and closed, with the forms behind its buttons. How to read the drawings stands in
//! `emulator/draw.rs`.

use std::collections::BTreeMap;

use anteroom::{
    base::ids::{ArtifactId, CountingIds},
    chat::{card::Reader, form},
    gateway::discord::render::{Cx, Message, MessageAccess, aside, card, post, wrong},
    model::{
        transcript::Audience,
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, Decision, DenialReader, Field,
            FieldError, Form, Input, Prompt, Reply, Upload, Verdict,
        },
        wait::{Vote, Wait, WaitStatus},
    },
};
use serde_json::{Value, json};

use super::{ada, grace, modal, person::begun, wrong_with, wrong_with_modal};
use crate::discord::{
    emulator::draw,
    judges::{self, Request},
    questions::{answered, ask, choice, field, line, now, profile, timeline, wait},
};

/// Cards on a page, checked as they are put there.
#[derive(Default)]
struct Page {
    text: String,
    requests: Vec<Request>,
}

impl Page {
    fn message(&mut self, name: &str, message: &Message) {
        assert_eq!(wrong_with(message), Vec::<String>::new(), "{name}");
        let body = message.body().json();
        self.text.extend(["── ", name, "\n", draw::message(&body).trim_end(), "\n\n"]);
        self.requests.push(Request::message(name, body));
    }

    fn card(&mut self, name: &str, wait: &Wait, cx: &Cx) {
        self.message(name, &card(wait, cx));
    }

    fn form(&mut self, wait: &Wait, action: &str, cx: &Cx) {
        let view = modal(wait, action, cx).unwrap_or_else(|| panic!("{action} opens nothing"));
        assert_eq!(wrong_with_modal(&view), Vec::<String>::new(), "{action}");
        self.text.extend(["── ", action, "\n", draw::modal(&view).trim_end(), "\n\n"]);
        self.requests.push(Request::modal(action, &view));
    }

    /// The page, once the judges have seen it.
    fn read(self) -> String {
        if let Some(complaints) = judges::complaints(&self.requests) {
            assert!(complaints.is_empty(), "{}", complaints.join("\n"));
        }
        self.text
    }
}

fn me() -> Cx {
    let reader = Reader { participant: Some(ada()), ..Reader::default() };
    Cx { reader, ..Cx::default() }
}

fn staff() -> Cx {
    let conversation = Some("https://discord.com/channels/1/2".into());
    let reader = Reader { audience: Audience::Staff, ..me().reader };
    Cx { reader, conversation, ..me() }
}

fn chosen(ids: &[&str]) -> Reply {
    Reply::Chosen { ids: ids.iter().map(|id| (*id).to_owned()).collect(), free_text: None }
}

fn many(count: usize, multiple: bool) -> Wait {
    let choices = (1..=count).map(|n| choice(&format!("c{n}"), &format!("Team {n}"))).collect();
    ask(
        "Team",
        "Which team?",
        Control::Choose(Choose { choices, multiple, required: true, ..Choose::default() }),
    )
}

#[test]
fn choices_are_buttons_then_menus_then_a_form() {
    let mut page = Page::default();
    let rules = vec![
        choice("accept", "I accept"),
        choice("question", "I have a question"),
        choice("no", "I do not accept"),
    ];
    let rules = Prompt {
        title: Some("Rules".into()),
        body: "1. Be kind.\n2. No **spam**, see [the rules](https://example.org/rules).".into(),
        control: Control::Choose(Choose {
            choices: rules,
            multiple: false,
            required: true,
            ..Choose::default()
        }),
        notes: vec!["1 of 2".into()],
    };
    let rules = wait(rules);
    page.card("rules", &rules, &me());
    page.card("accepted", &answered(&rules, chosen(&["accept"]), ada(), "Ada"), &me());
    page.card("for staff", &rules, &staff());
    let notice = vec![
        Choice { icon: Some("🤖".into()), ..choice("go", "Continue with the assistant") },
        Choice {
            description: Some("Somebody from the team writes to you.".into()),
            ..choice("human", "Talk to a person")
        },
        choice("later", &"A rather long label ".repeat(5)),
    ];
    let notice = Choose { choices: notice, multiple: false, required: false, ..Choose::default() };
    page.card("a notice", &ask("Before we begin", "", Control::Choose(notice)), &me());
    page.card("seven", &many(7, false), &me());
    page.card("thirty", &many(30, false), &me());
    let several = many(12, true);
    page.card("several of twelve", &several, &me());
    page.card("ticked", &several, &Cx { draft: begun(&several, ""), ..me() });
    let crowd = many(130, true);
    page.card("a crowd", &crowd, &me());
    let view = modal(&crowd, "open", &me()).unwrap();
    assert_eq!(view["components"].as_array().unwrap().len(), 5);
    insta::assert_snapshot!(page.read());
}

#[test]
fn questions_and_forms_open_from_a_button() {
    let mut page = Page::default();
    let question =
        Ask { placeholder: Some("A sentence or two".into()), max: 2_000, required: false };
    let question = ask("", "What did *you* build?", Control::Ask(question));
    page.card("a question", &question, &me());
    page.card("in a thread", &question, &Cx { message_access: MessageAccess::Replies, ..me() });
    page.form(&question, "open", &me());
    let typed = Reply::Text { text: "An engine <b> @everyone".into() };
    page.card("answered by typing", &answered(&question, typed, ada(), "Ada"), &me());
    page.card("skipped", &answered(&question, Reply::Skipped, ada(), "Ada"), &me());

    let sizes = vec![choice("s", "Small"), choice("l", "Large")];
    let countries: Vec<Choice> =
        (1..=12).map(|n| choice(&format!("c{n}"), &format!("Country {n}"))).collect();
    let text = Input::Text { multiline: false, min: Some(2), max: Some(80) };
    let years = Input::Number { integer: true, min: Some(0.0), max: Some(60.0) };
    let one = |choices: &[Choice]| Input::Select { choices: choices.to_vec(), multiple: false };
    let some = |choices: &[Choice]| Input::Select { choices: choices.to_vec(), multiple: true };
    let fields = vec![
        Field {
            required: true,
            hint: Some("As it stands in your passport".into()),
            ..field("name", "Name", text, json!("Ada"))
        },
        field("mail", "E-mail", Input::Email, Value::Null),
        Field { required: true, ..field("years", "Years", years, Value::Null) },
        field("size", "Size", one(&sizes), json!("l")),
        Field { required: true, ..field("news", "May we write to you?", Input::Bool, json!(true)) },
        field("country", "Country", one(&countries), Value::Null),
        field("likes", "Likes", some(&sizes), json!(["s"])),
        field("seen", "Seen", some(&countries), json!(["c2", "c3"])),
        field(
            "about",
            "About a rather long matter of which there is much to say",
            line(),
            json!("x".repeat(4_100)),
        ),
        field("links", "Links", Input::Lines, json!(["https://a.example", "https://b.example"])),
    ];
    let few = Form { fields: fields[..3].to_vec(), submit: "Send".into(), skippable: true };
    let few = ask("About you", "A few things.", Control::Form(few));
    page.card("a form", &few, &me());
    page.form(&few, "open", &me());
    let all = Form { fields, submit: "Send".into(), skippable: false };
    let all = ask("About you", "Many things.", Control::Form(all));
    page.card("a form of two pages", &all, &me());
    page.form(&all, "open.0", &me());
    page.form(&all, "open.1", &me());
    let draft = begun(&all, "");
    page.card("one filled in", &all, &Cx { draft, ..me() });
    let errors = vec![FieldError { path: "years".into(), message: "At most 60.".into() }];
    let complaints = form::complaints(&all.prompt.control, &errors);
    page.message("something is wrong", &wrong(&all, "fill.0", &complaints));
    insta::assert_snapshot!(page.read());
}

#[test]
fn data_is_looked_over_and_changed() {
    let mut page = Page::default();
    let small = ask("Profile", "Is this right?", Control::Review(profile()));
    page.card("a profile", &small, &me());
    page.form(&small, "edit", &me());
    page.form(&small, "reject", &me());
    let changed = json!({ "basics": { "name": "Ada Lovelace", "email": "ada@example.org" } });
    let changed = Reply::Reviewed {
        verdict: Verdict::Modified,
        data: Some(changed),
        notes: Some("Married".into()),
    };
    let changed = answered(&small, changed, ada(), "Ada");
    page.card(
        "changed",
        &changed,
        &Cx { reader: Reader { may_change: true, ..me().reader }, ..me() },
    );
    page.card("changed, for staff", &changed, &staff());
    let long = ask("Time line", "Your roles.", Control::Review(timeline(3)));
    page.card("a time line", &long, &me());
    page.form(&long, "edit.1", &me());
    let mut draft = form::Draft::default();
    draft.rearrange(&timeline(3), "remove.0.0");
    draft.rearrange(&timeline(3), "add.0");
    draft.enter("work.2.name", vec!["Looms".into()]);
    page.card("rearranged", &long, &Cx { draft, ..me() });
    let none = ask("Time line", "Your roles.", Control::Review(timeline(0)));
    page.card("no roles", &none, &me());
    let much = ask("Time line", &"Words. ".repeat(900), Control::Review(timeline(20)));
    page.card("much", &much, &me());
    page.message("read, first page", &aside(&much, "read.0", &me()).unwrap());
    page.message("read, last page", &aside(&much, "read.99", &me()).unwrap());
    insta::assert_snapshot!(page.read());
}

#[test]
fn files_decisions_and_confirmations() {
    let mut page = Page::default();
    let upload = Upload {
        upload_type: "resume".into(),
        accept: vec!["pdf".into(), "docx".into()],
        max_bytes: 20 * 1024 * 1024,
        max_files: 1,
        required: false,
    };
    let upload = ask("Résumé", "Send it if you have one.", Control::Upload(upload));
    page.card("an upload", &upload, &me());
    page.form(&upload, "open", &Cx { file_max: Some(50 * 1024 * 1024), ..me() });
    let file = ArtifactId::mint(&CountingIds::default());
    let files = BTreeMap::from([(file, "cv.pdf".to_owned())]);
    let sent = answered(&upload, Reply::Uploaded { artifacts: vec![file] }, ada(), "Ada");
    let reader = Reader { files, ..me().reader };
    page.card("sent", &sent, &Cx { reader, ..me() });

    let decide = Decide {
        request: "Move Ada Byron to \"One piece of work in depth\"?".into(),
        facts: vec![
            ("Person".into(), "Ada Byron".into()),
            ("Missing".into(), "finish education history".into()),
            ("Reason (the model's)".into(), "She has a train to catch.\n@everyone agrees.".into()),
            ("Expires".into(), "2026-11-03 14:05 UTC".into()),
        ],
        approve: "Approve".into(),
        deny: "Deny".into(),
        deny_and_tell: Some("Deny and tell the interviewer".into()),
        denial_reader: DenialReader::default(),
    };
    let decide = ask("An override", "", Control::Decide(decide));
    let vote =
        Vote { by: grace(), by_name: "Grace".into(), decision: Decision::Denied, feedback: None };
    let decide = Wait { quorum: 2, votes: vec![vote], ..decide };
    page.card("a decision", &decide, &staff());
    page.card("a decision, for the participant", &decide, &me());
    page.message("are you sure?", &aside(&decide, "sure.approve", &staff()).unwrap());
    page.form(&decide, "deny_and_tell", &staff());
    let denied = Reply::Decided {
        decision: Decision::DeniedWithFeedback,
        feedback: Some("Finish education first.".into()),
    };
    let denied = answered(&decide, denied, grace(), "Grace");
    page.card("denied", &denied, &staff());
    page.card("denied, for the participant", &denied, &me());
    let expired = Wait { status: WaitStatus::Expired { at: now() }, ..decide };
    page.card("expired", &expired, &staff());

    let erase = Confirm { yes: "Delete everything".into(), no: "Keep".into(), danger: true };
    let erase = ask("Delete everything?", "Records, uploads, words.", Control::Confirm(erase));
    page.card("a danger", &erase, &me());
    page.message("are you sure?", &aside(&erase, "sure.yes", &me()).unwrap());
    page.card("kept", &answered(&erase, Reply::Confirmed { yes: false }, ada(), "Ada"), &me());
    for message in post("# Hello\n\nSee [this](https://example.org), @everyone.") {
        page.message("words", &message);
    }
    insta::assert_snapshot!(page.read());
}

#[test]
fn a_whole_day_is_a_line_that_shows_how_it_can_be_written() {
    let fields = vec![field("born", "Date of birth", Input::Day, Value::Null)];
    let form = Form { fields, submit: "Send".into(), skippable: false };
    let view = modal(&ask("You", "When?", Control::Form(form)), "open", &me()).unwrap();
    assert_eq!(wrong_with_modal(&view), Vec::<String>::new());
    let drawn = serde_json::to_string(&view).unwrap();
    assert!(drawn.contains("2001-05-31, 31.05.2001 or 31 May 2001"), "{drawn}");
}
