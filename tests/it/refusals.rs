//! Every refusal that a person can get, on one page: `snapshots/it__refusals__refusals.snap` is to be read.

use std::{fmt::Write as _, io, sync::Arc};

use anteroom::{
    base::ids::{CountingIds, WaitId},
    chat::form::{self, Fields, words},
    engine::{Error, Receipt},
    gateway::web::connect,
    messages::{answers, notices, page as said},
    model::{
        artifact::Extraction,
        session::PersonId,
        ui::{
            Ask, Choice, Choose, Control, Decide, Decision, DenialReader, Field, FieldError, Form,
            Input, Prompt, Reply, Review, Upload, Verdict,
        },
        wait::Settlement,
    },
    net::fetch::{self, Media},
    ports::artifacts::{
        blobs,
        check::{self, Kind},
        extract::{self, Format, trouble},
    },
    session::{Command, Responder, answer},
    store,
};
use serde_json::{Map, Value, json};

use crate::interview::{Desk, ada, grace};

/// A page under construction.
#[derive(Default)]
struct Page(String);

impl Page {
    fn part(&mut self, heading: &str) {
        let line = "-".repeat(heading.chars().count());
        writeln!(self.0, "\n{heading}\n{line}").unwrap();
    }

    /// What a person did, and what they read then.
    fn say(&mut self, did: &str, read: impl AsRef<str>) {
        writeln!(self.0, "{did:38}  {}", read.as_ref()).unwrap();
    }

    fn errors(&mut self, did: &str, errors: &[FieldError]) {
        assert!(!errors.is_empty(), "nobody refuses `{did}`");
        for FieldError { path, message } in errors {
            let at = if path.is_empty() { String::new() } else { format!("[{path}] ") };
            self.say(did, format!("{at}{message}"));
        }
    }
}

fn text(text: &str) -> String {
    text.to_owned()
}

fn field(path: &str, input: Input) -> Field {
    let (label, required) = (text("Name"), true);
    Field { path: text(path), label, hint: None, required, input, value: Value::Null, check: false }
}

fn files(page: &mut Page) {
    let asked = |accept: &[&str]| Upload {
        upload_type: text("resume"),
        accept: accept.iter().map(|extension| text(extension)).collect(),
        max_bytes: 1024 * 1024,
        max_files: 1,
        required: true,
    };
    let office = |inside: &str| {
        [b"PK\x03\x04", inside.as_bytes(), b"[Content_Types].xml word/document.xml"].concat()
    };
    let ole = |inside: &str| {
        let mut bytes = vec![0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];
        bytes.extend(inside.encode_utf16().flat_map(u16::to_le_bytes));
        bytes
    };
    for (did, name, bytes) in [
        ("an empty file", "cv.pdf", Vec::new()),
        ("a file that is too large", "cv.txt", vec![b'a'; 1_300_000]),
        ("a photograph for a document", "me.jpg", b"\xff\xd8\xff\xe0\0\x10JFIF\0".to_vec()),
        ("a photograph named as a document", "me.pdf", b"\xff\xd8\xff\xe0\0\x10JFIF\0".to_vec()),
        ("a PDF named as a text", "cv.txt", b"%PDF-1.7 ".to_vec()),
        ("a PDF without an extension", "cv", b"%PDF-1.7 ".to_vec()),
        ("a PDF with a program's name", "cv.pdf.exe", b"%PDF-1.7 ".to_vec()),
        ("a program", "cv.exe", b"MZ\x90\0\x03\0\0\0".to_vec()),
        ("a program named as a document", "cv.pdf", b"\x7fELF\x02\x01\x01\0".to_vec()),
        ("a shell script", "cv.txt", b"#!/bin/sh\nrm -rf ~".to_vec()),
        ("a Word document with macros", "cv.docx", office("word/vbaProject.bin")),
        ("a locked Word document", "cv.docx", ole("EncryptedPackage")),
        ("an old Word document", "cv.doc", ole("WordDocument")),
        ("a spreadsheet", "cv.xlsx", b"PK\x03\x04 xl/workbook.xml".to_vec()),
        ("an archive", "cv.zip", b"PK\x03\x04 cv.pdf".to_vec()),
        ("bytes that nobody knows", "cv.txt", vec![1, 2, 3, 0, 255]),
        ("a virus", "cv.txt", b"$EICAR-STANDARD-ANTIVIRUS-TEST-FILE!".to_vec()),
        (
            "a name with a path and hidden marks",
            "../../\u{202e}[x](y)\0.exe",
            b"MZ\x90\0\x03".to_vec(),
        ),
    ] {
        page.say(did, check::check(&asked(&["pdf", "docx", "txt"]), name, &bytes).unwrap_err().0);
    }
    let refused = check::check(&asked(&[]), "cv.pdf", b"%PDF-1.7 ").unwrap_err();
    page.say("a file where none is taken", refused.to_string());
    page.say("a file beyond what any flow allows", answers::too_large("cv.pdf", 32 * 1024 * 1024));
    page.say("no file at all", answers::CHOOSE_FILE_FIRST);
    assert_eq!(Kind::ALL.len(), 9, "a new kind of file wants its line here");
}

fn documents(page: &mut Page) {
    page.say("no text in it", trouble("scan.pdf", &Extraction::NoText).unwrap());
    page.say("no text, no extension", trouble("scan", &Extraction::NoText).unwrap());
    page.say("behind a password", trouble("cv.pdf", &Extraction::Locked).unwrap());
}

fn inputs() -> Vec<(&'static str, Input, Value)> {
    let choices = vec![Choice { id: text("a"), label: text("A"), description: None, icon: None }];
    let short = Input::Text { multiline: false, min: Some(5), max: Some(8) };
    let age = Input::Number { integer: true, min: Some(0.0), max: Some(150.0) };
    vec![
        ("nothing where something must be", Input::Email, json!(" ")),
        ("too few characters", short.clone(), json!("no")),
        ("too many characters", short, json!("far too many")),
        ("no e-mail address", Input::Email, json!("ada at example")),
        ("no web address", Input::Url, json!("javascript:alert(1)")),
        ("no telephone number", Input::Phone, json!("none")),
        ("no date", Input::Date, json!("last spring")),
        ("a day that does not exist", Input::Date, json!("2023-02-29")),
        ("no whole day", Input::Day, json!("2023-02")),
        ("a number out of range", age.clone(), json!(-3)),
        ("half a number of years", age.clone(), json!(3.5)),
        ("a list where a number belongs", age, json!([1])),
        ("a choice that was not offered", Input::Select { choices, multiple: false }, json!("z")),
        ("a number among lines", Input::Lines, json!(["one", 2])),
    ]
}

fn answers(page: &mut Page) {
    for (did, input, value) in inputs() {
        page.say(did, answer::check_field(&field("f", input), &value).unwrap());
    }
    let choice = |id: &str| Choice { id: text(id), label: text(id), description: None, icon: None };
    let choices = vec![choice("red"), choice("blue")];
    let choose =
        Control::Choose(Choose { choices, multiple: false, required: true, ..Choose::default() });
    let chosen = |ids: &[&str]| Reply::Chosen {
        ids: ids.iter().map(|id| text(id)).collect(),
        free_text: None,
    };
    page.errors("no choice", &answer::check(&choose, &chosen(&[])));
    page.errors("two choices for one", &answer::check(&choose, &chosen(&["red", "blue"])));
    page.errors("a button that is none", &answer::check(&choose, &chosen(&["<b>green</b>"])));
    page.errors("passing over what is required", &answer::check(&choose, &Reply::Skipped));
    page.errors(
        "an answer of another kind",
        &answer::check(&choose, &Reply::Confirmed { yes: true }),
    );
    let ask = Control::Ask(Ask { placeholder: None, max: 10, required: true });
    page.errors("only blanks", &answer::check(&ask, &Reply::Text { text: text(" \n") }));
    page.errors("a long story", &answer::check(&ask, &Reply::Text { text: "a".repeat(11) }));
    let form = Control::Form(Form { fields: Vec::new(), submit: text("Send"), skippable: true });
    let values = Map::from_iter([(text("admin"), json!(true))]);
    page.errors("a field that was not asked for", &answer::check(&form, &Reply::Filled { values }));
    let decide = Control::Decide(Decide {
        request: "Move on?".into(),
        facts: Vec::new(),
        approve: text("Approve"),
        deny: text("Deny"),
        deny_and_tell: Some(text("Deny and tell")),
        denial_reader: DenialReader::default(),
    });
    let (decision, feedback) = (Decision::DeniedWithFeedback, None);
    page.errors(
        "feedback without words",
        &answer::check(&decide, &Reply::Decided { decision, feedback }),
    );
    let prompt = Prompt { title: None, body: "".into(), control: choose, notes: Vec::new() };
    page.errors(
        "a form without a tick",
        &form::reply(&prompt, "done", &Fields::default()).unwrap_err(),
    );
    let prompt = Prompt { control: decide, ..prompt };
    page.errors(
        "a button of another card",
        &form::reply(&prompt, "x", &Fields::default()).unwrap_err(),
    );
}

fn review(page: &mut Page) {
    let schema: Value =
        serde_json::from_str(include_str!("../../manifests/schemas/applicant_profile.json"))
            .unwrap();
    let timeline: Value =
        serde_json::from_str(include_str!("../../manifests/schemas/skeleton_timeline.json"))
            .unwrap();
    for (did, schema, data) in [
        ("no name", &schema, json!({ "basics": { "email": "ada@example.org" } })),
        ("a wrong address", &schema, json!({ "basics": { "name": "Ada", "email": "ada" } })),
        ("a list for a name", &schema, json!({ "basics": { "name": ["Ada"] } })),
        ("a member of one's own", &schema, json!({ "basics": { "name": "Ada", "admin": true } })),
        ("a name without end", &schema, json!({ "basics": { "name": "A".repeat(10_000) } })),
        (
            "a date in words",
            &timeline,
            json!({ "work": [{ "name": "X", "position": "Y", "startDate": "spring" }] }),
        ),
        (
            "an end before the start",
            &timeline,
            json!({ "work": [{ "name": "X", "position": "Y", "startDate": "2020", "endDate": "2019" }] }),
        ),
        ("text for a list", &timeline, json!({ "work": "everywhere" })),
    ] {
        let review = Control::Review(Review {
            data_type: text("applicant_profile"),
            data: json!({}),
            schema: schema.clone(),
            groups: Vec::new(),
            lists: Vec::new(),
            skippable: false,
        });
        let reply = Reply::Reviewed { verdict: Verdict::Modified, data: Some(data), notes: None };
        page.errors(did, &answer::check(&review, &reply));
    }
}

fn buttons(page: &mut Page) {
    let me = PersonId::web("ada");
    let at = "2026-11-02T14:05:00Z".parse().unwrap();
    let taken = |by: &PersonId| Settlement::AlreadySettled {
        by: by.clone(),
        by_name: text("Grace"),
        at,
        choice: text("Approved"),
    };
    let request = Prompt {
        title: None,
        body: "".into(),
        control: Control::Decide(Decide {
            request: "Move on?".into(),
            facts: Vec::new(),
            approve: text("Approve"),
            deny: text("Deny"),
            deny_and_tell: None,
            denial_reader: DenialReader::default(),
        }),
        notes: Vec::new(),
    };
    let not_allowed = |who_may: &str| Settlement::NotAllowed { who_may: text(who_may) };
    let refused = Receipt::Settled(not_allowed("the recruiting approvers"));
    let words = words::of_receipt(&refused, Some(&request), &me).unwrap();
    page.say("not the one who decides", words.to_string());
    for (did, settlement) in [
        ("somebody was faster", taken(&PersonId::web("grace"))),
        ("answered it oneself", taken(&me)),
        ("not the one who is asked", not_allowed("the person who was asked")),
        ("too late", Settlement::Expired),
        ("asked anew since", Settlement::Superseded),
        ("not asked any more", Settlement::Cancelled),
        ("never asked", Settlement::Unknown),
    ] {
        let told = words::of_receipt(&Receipt::Settled(settlement), None, &me).unwrap();
        page.say(did, told.to_string());
    }
}

/// Every kind of thing that can be wrong with a document, as its reader says it.
fn broken_documents(page: &mut Page) {
    let pdf = |root: &str| {
        format!(
            "%PDF-1.4\n1 0 obj\n<</Type/Catalog/Pages 2 0 R>>\nendobj\n2 0 obj\n{root}\nendobj\ntrailer<</Root 1 0 R/Size 3>>"
        )
    };
    let part = |bytes: &[u8]| {
        let mut archive = zip::ZipWriter::new(io::Cursor::new(Vec::new()));
        archive.start_file("word/document.xml", zip::write::SimpleFileOptions::default()).unwrap();
        io::Write::write_all(&mut archive, bytes).unwrap();
        archive.finish().unwrap().into_inner()
    };
    for (did, format, bytes) in [
        ("a PDF that is cut short", Format::Pdf, b"%PDF-1.7\n".to_vec()),
        ("a PDF without pages", Format::Pdf, pdf("<</Type/Pages/Kids[]/Count 0>>").into_bytes()),
        ("a Word document that is cut short", Format::Docx, b"PK\x03\x04".to_vec()),
        ("a Word document that is a trap", Format::Docx, part(&b"<w:p>".repeat(1_000))),
        ("a Word document without words", Format::Docx, part(b"<w:p/>")),
        ("a text without words", Format::Text, b" \n \n".to_vec()),
    ] {
        let name = if format == Format::Text { "cv.txt" } else { "cv.docx" };
        page.say(did, trouble(name, &extract::read(format, &bytes)).unwrap());
    }
}

fn addresses(page: &mut Page) {
    let kinds = [
        Media::Html,
        Media::Text,
        Media::Json,
        Media::Xml,
        Media::Pdf,
        Media::Zip,
        Media::Picture,
        Media::Other,
    ];
    for (did, error) in [
        ("no address", fetch::Error::Address),
        ("not for the web", fetch::Error::Scheme),
        ("with a password in it", fetch::Error::Credentials),
        ("with a port", fetch::Error::Port),
        ("into a private network", fetch::Error::NotPublic),
        ("a name that nobody knows", fetch::Error::Unknown),
        ("nobody answers", fetch::Error::Unreachable),
        ("no answer in time", fetch::Error::Slow),
        ("in a circle", fetch::Error::Redirects),
        ("behind a sign-in", fetch::Error::SignIn),
        ("nothing there", fetch::Error::Missing),
        ("an error there", fetch::Error::Status(503)),
        ("too much there", fetch::Error::TooLarge(2 * 1024 * 1024)),
        ("something in disguise", fetch::Error::Disguised),
        ("a damaged answer", fetch::Error::Damaged),
    ] {
        page.say(did, error.to_string());
    }
    for kind in kinds {
        page.say("something else there", fetch::Error::Unwanted(kind).to_string());
    }
}

/// Each command where it cannot be.
fn commands(page: &mut Page) {
    let reason = || text("because");
    let wait = || WaitId::mint(&CountingIds::default());
    let (me, team) = (ada(), grace());
    let (end, advance) = (Command::End { reason: reason() }, Command::Advance { reason: reason() });
    let change = || Command::Change { wait: wait() };
    for (did, before, by, command) in [
        ("an order of the staff, by another", vec![], &me, end.clone()),
        ("passing over when nothing is asked", vec![], &me, Command::Skip),
        ("asking again what never was", vec![], &team, Command::Reopen { wait: wait() }),
        ("changing what never was", vec![], &me, change()),
        ("handing back what nobody took", vec![], &team, Command::Resume),
        ("reminding when nothing is asked", vec![], &team, Command::Nudge),
        (
            "reminding while a person is there",
            vec![(&team, Command::TakeOver)],
            &team,
            Command::Nudge,
        ),
        (
            "going on while a person is there",
            vec![(&team, Command::TakeOver)],
            &me,
            Command::Resume,
        ),
        ("changing while a person is there", vec![(&team, Command::TakeOver)], &me, change()),
        ("changing after stop", vec![(&me, Command::Stop)], &me, change()),
        ("changing after the end", vec![(&team, end.clone())], &me, change()),
        ("going on after the end", vec![(&team, end.clone())], &me, Command::Resume),
        ("moving on after the end", vec![(&team, end)], &me, advance.clone()),
    ] {
        let mut desk = Desk::new("admin");
        for (by, command) in before {
            assert_eq!(desk.orders(by, command), Receipt::Taken);
        }
        page.say(did, refused(desk.orders(by, command)));
    }
    let mut desk = Desk::new("admin");
    desk.next_phase(&["skeleton_timeline", "education_history"], Some("later")).unwrap_err();
    let stranger = Responder { approver_of: Vec::new(), ..team };
    page.say("moving on while that is being decided", refused(desk.orders(&stranger, advance)));
}

fn refused(receipt: Receipt) -> String {
    match receipt {
        Receipt::Refused(why) => why.to_string(),
        other => panic!("{other:?}"),
    }
}

/// What whoever runs the program reads.
fn running(page: &mut Page) {
    let busy = |pid: &str| store::Error::Busy { dir: text("/srv/data"), pid: text(pid) };
    let unreadable = store::Error::Unreadable {
        what: text("session ses_1"),
        why: text("it was written by a newer version. hint: upgrade this program"),
    };
    let disk = || Arc::new(io::Error::other("ENOSPC"));
    let address = "0.0.0.0:4747".parse().unwrap();
    for (did, told) in [
        ("the data is in use", busy("4711").to_string()),
        ("the data is in use, by whom is unknown", busy("unknown").to_string()),
        ("a record that cannot be read", unreadable.to_string()),
        ("a store that cannot write", store::Error::Unavailable(disk()).to_string()),
        (
            "files that cannot be written",
            blobs::Error::Unreachable(Box::new(io::Error::other("EIO"))).to_string(),
        ),
        (
            "a file that is damaged",
            blobs::Error::Damaged { file: text("artifacts/ses_1/0a"), how: "it ends early" }
                .to_string(),
        ),
        ("a file of a newer version", blobs::Error::Newer(text("artifacts/ses_1/0a")).to_string()),
        ("a file of a session that is gone", blobs::Error::Gone.to_string()),
        ("a page for other machines", connect::Error::Remote(address).to_string()),
        ("a staff page without a key", connect::Error::Open.to_string()),
        (
            "a port that is taken",
            connect::Error::Bind { table: "web", address, why: io::ErrorKind::AddrInUse.into() }
                .to_string(),
        ),
    ] {
        page.say(did, told);
    }
}

fn pages(page: &mut Page) {
    for (did, error) in [
        ("a conversation that is none", Error::NoSession),
        ("an interview that is none", Error::NoFlow(text("x"))),
        ("a flow file that is broken", Error::BrokenFlow(text("line 7 of /srv/flows/x.toml"))),
        (
            "a full disk",
            Error::Store(store::Error::Unavailable(Arc::new(io::Error::other(
                "/srv/data: ENOSPC",
            )))),
        ),
        ("too much at once", Error::Busy),
    ] {
        let told = words::of_error(&error);
        assert!(!told.contains("/srv"), "{told}");
        page.say(did, told);
    }
    page.say("an old or a foreign form", said::STALE_FORM);
    page.say("too much in one form", said::UNREAD_FORM);
    page.say("an address that is none", said::NOTHING_HERE);
    page.say("somebody else's conversation", notices::NO_CONVERSATION);
    page.say("under another name than localhost", said::OTHER_HOST);
    page.say("the staff page without its key", said::STAFF_KEY);
    page.say("the staff page with another key", said::WRONG_KEY);
    page.say("a tab too many", said::MANY_PAGES);
    page.say("everybody's tabs together", said::ALL_PAGES);
}

#[test]
fn every_refusal_is_something_a_person_wants_to_read() {
    let mut page = Page::default();
    page.part("Files that are not taken");
    files(&mut page);
    page.part("Documents that cannot be read");
    documents(&mut page);
    broken_documents(&mut page);
    page.part("Addresses that are not opened");
    addresses(&mut page);
    page.part("Answers that do not fit");
    answers(&mut page);
    page.part("Edited data that does not fit");
    review(&mut page);
    page.part("Buttons that come too late");
    buttons(&mut page);
    page.part("Commands that cannot be carried out");
    commands(&mut page);
    page.part("Pages that cannot be shown");
    pages(&mut page);
    page.part("What whoever runs it reads");
    running(&mut page);
    insta::assert_snapshot!("refusals", page.0);
}
