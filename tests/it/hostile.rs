//! Whatever comes in from outside is read or refused, and never breaks the reader: mutations of good input, pure
//! noise, and a few shapes that are known to hurt parsers. `fuzz/` looks at the same doors for longer.
//!
//! Where each kind of hostile input is tested:
//!
//! | input | cases | file |
//! |---|---|---|
//! | uploads | empty, too large, wrong extension, disguised, programs, macros, passwords, names with paths and marks | `artifacts.rs`, `refusals.rs` |
//! | PDF | damaged, bombs, 300,000 objects, 100,000 pages, circles, depth, lying tables | `artifacts_hostile.rs` |
//! | DOCX | damaged, bombs, depth, entities, many parts, huge names and attributes, lying sizes | `artifacts.rs`, `artifacts_hostile.rs` |
//! | pictures | metadata, trailing data, absurd sizes, packed text, many frames, two kinds at once | `artifacts.rs`, `artifacts_hostile.rs` |
//! | contact cards | folding, 10 MB photo, charsets, many cards, values and parameters, depth | here, `artifacts_hostile.rs` |
//! | flows, configuration | mutations, depth, size | here |
//! | expressions of flows | endless loops and recursion, values without end, depth | `src/session/script.rs` |
//! | payloads of Slack | mutations, wrong types, missing and unknown parts | here, `tests/platforms/slack/parse.rs` |
//! | replies, stored events, forms | mutations, wrong kinds, unknown ids, too much | here, `refusals.rs`, `web/hostile.rs` |
//! | addresses | 500 refused forms, names that change, redirects, bombs, silence | `fetch.rs` |
//! | requests | slow, foreign, forged, many; live pages that take all places | `web.rs`, `web/hostile.rs` |
//! | the data directory | links that lead out of it | `artifacts_hostile.rs` |
//! | the log | words and names of people, before and after an erasure | `web/hostile.rs` |

use std::{
    collections::BTreeMap,
    io::{Cursor, Write},
};

use anteroom::{
    chat::form::{self, ComponentId, Fields, Sheet},
    config::{Environment, Settings},
    flow::LoadedFlow,
    gateway::web::markdown,
    model::{
        artifact::Extraction,
        text,
        transcript::Event,
        ui::{Control, Prompt, Reply, Upload},
    },
    ports::{
        artifacts::{
            check::{self, Kind},
            extract::{self, Format},
            resume,
        },
        contacts::vcard,
    },
    session::{
        answer,
        typed::{self, Reading},
    },
};
use proptest::{
    collection::vec,
    prelude::{ProptestConfig, Strategy, any, prop_oneof, proptest},
    sample::{Index, select},
};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::golden;

#[expect(unreachable_pub, reason = "it is a crate of its own")]
#[path = "../../fuzz/src/lib.rs"]
mod doors;

const FLOW: &str = include_str!("../../manifests/flows/community-welcome.toml");
const CONFIG: &str = include_str!("../../config.example.toml");
const CARD: &[u8] = include_bytes!("../fixtures/ada.vcf");
const OLD_CARD: &[u8] = include_bytes!("../fixtures/old.vcf");
const RESUME: &str = "Ada Byron\nEngineer\nada@example.org · +44 20 7946 0000\n\nWork experience\n\nEngine Works, London\n\
    Lead engineer\nMarch 2019 – present\n- Built it.\n\nEducation\nUniversity of London, BSc Mathematics, 2011 - 2014\n";
const XML: &str = "<?xml version=\"1.0\"?><w:document><w:body><w:p><w:pPr><w:numPr/></w:pPr><w:r><w:t>Ada &amp; Co</w:t>\
    <w:tab/></w:r></w:p><w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl></w:body></w:document>";

/// Pieces that parsers trip over.
const PIECES: [&str; 26] = [
    "\0",
    "\u{202e}",
    "\u{feff}",
    "é",
    "💥",
    "\r\n",
    "[[",
    "{{",
    "}}",
    "{%",
    "\"\"\"",
    "'''",
    "<![CDATA[",
    "]]>",
    "<!DOCTYPE",
    "&#x110000;",
    "&a;",
    "=?utf-8?B?",
    "=E9=",
    "\\u0000",
    "1e999",
    "-99999999999999999999",
    "9999-99-99",
    "$each",
    "..",
    "null",
];

/// One change of a text.
#[derive(Debug, Clone)]
enum Change {
    Insert(Index, String),
    Cut(Index, Index),
    Double(Index, Index),
    Byte(Index, u8),
}

fn change() -> impl Strategy<Value = Change> {
    let index = any::<Index>;
    let piece = prop_oneof![select(&PIECES[..]).prop_map(str::to_owned), ".{0,6}"];
    prop_oneof![
        (index(), piece).prop_map(|(at, piece)| Change::Insert(at, piece)),
        (index(), index()).prop_map(|(from, to)| Change::Cut(from, to)),
        (index(), index()).prop_map(|(from, to)| Change::Double(from, to)),
        (index(), any::<u8>()).prop_map(|(at, byte)| Change::Byte(at, byte)),
    ]
}

/// A good input with a few changes.
fn mutated(seed: &[u8], changes: &[Change]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for change in changes {
        let at = |index: &Index| index.index(bytes.len() + 1);
        match change {
            Change::Insert(place, piece) => {
                let place = at(place);
                bytes.splice(place..place, piece.bytes());
            }
            Change::Cut(a, b) | Change::Double(a, b) => {
                let (from, to) = (at(a).min(at(b)), at(a).max(at(b)));
                let piece = bytes[from..to].to_vec();
                match change {
                    Change::Cut(..) => drop(bytes.drain(from..to)),
                    _ => drop(bytes.splice(from..from, piece)),
                }
            }
            Change::Byte(place, byte) => {
                let place = at(place);
                if let Some(old) = bytes.get_mut(place) {
                    *old = *byte;
                }
            }
        }
    }
    bytes
}

fn mutated_text(seed: &str, changes: &[Change]) -> String {
    String::from_utf8_lossy(&mutated(seed.as_bytes(), changes)).into_owned()
}

fn docx(xml: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("word/document.xml", SimpleFileOptions::default()).unwrap();
    archive.write_all(xml).unwrap();
    archive.finish().unwrap().into_inner()
}

fn anything() -> Upload {
    Upload {
        upload_type: "other".to_owned(),
        accept: Kind::ALL.map(|kind| kind.extensions()[0].to_owned()).to_vec(),
        max_bytes: 1024 * 1024,
        max_files: 1,
        required: true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_flow_file_is_loaded_or_its_problems_are_told(changes in vec(change(), 1..6)) {
        let source = mutated_text(FLOW, &changes);
        let vars = BTreeMap::from([("organisation".to_owned(), "X".to_owned())]);
        if let Err(problems) = LoadedFlow::load(&source, "flow.toml", &vars) {
            assert!(!problems.is_empty());
            assert!(problems.iter().all(|problem| !problem.to_string().is_empty()));
        }
    }

    #[test]
    fn a_configuration_is_read_or_its_problems_are_told(changes in vec(change(), 1..6)) {
        let source = mutated_text(CONFIG, &changes);
        if let Err(problems) = Settings::parse("config.toml", &source, &Environment::default()) {
            assert!(!problems.is_empty());
        }
    }

    #[test]
    fn a_contact_card_is_read_or_left(old in any::<bool>(), changes in vec(change(), 1..8)) {
        let seed = if old { OLD_CARD } else { CARD };
        vcard::read(&mutated(seed, &changes));
    }

    #[test]
    fn a_resume_gives_a_draft(changes in vec(change(), 1..12), noise in "\\PC{0,200}") {
        resume::draft(&mutated_text(RESUME, &changes));
        resume::draft(&noise);
    }

    #[test]
    fn a_word_document_is_read_or_refused(changes in vec(change(), 1..8), whole in any::<bool>()) {
        let bytes = if whole {
            docx(&mutated(XML.as_bytes(), &changes))
        } else {
            mutated(&docx(XML.as_bytes()), &changes)
        };
        extract::read(Format::Docx, &bytes);
        extract::read(Format::Text, &bytes);
    }

    #[test]
    fn a_file_is_taken_or_refused_in_words(
        name in ".{0,40}",
        start in select(vec!["%PDF-", "PK\u{3}\u{4}", "BEGIN:VCARD", "{\\rtf", "#!", "GIF89a", "RIFF", ""]),
        noise in vec(any::<u8>(), 0..200),
    ) {
        let bytes = [start.as_bytes(), &noise].concat();
        let kept = match check::check(&anything(), &name, &bytes) {
            Ok(checked) => checked.filename,
            Err(refused) => refused.to_string(),
        };
        assert!(!kept.chars().any(text::steers), "{kept:?}");
        let name = check::harmless(&name);
        assert!(!name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "..", "{name:?}");
    }

    #[test]
    fn a_reply_fits_its_question_or_is_refused(at in any::<Index>(), changes in vec(change(), 0..6), typed in ".{0,40}") {
        let replies = golden::replies();
        let seed = serde_json::to_vec(at.get(&replies)).unwrap();
        let reply: Option<Reply> = serde_json::from_slice(&mutated(&seed, &changes)).ok();
        for control in golden::controls() {
            if let Some(reply) = &reply {
                answer::check(&control, reply);
                answer::describe(&control, reply);
            }
            typed::order(&typed);
            if let Reading::Settled(read) = typed::read(&control, &typed) {
                answer::check(&control, &read);
            }
        }
    }

    #[test]
    fn a_stored_event_is_read_or_refused(at in any::<Index>(), changes in vec(change(), 0..6)) {
        let events = golden::session_events();
        let seed = serde_json::to_vec(at.get(&events)).unwrap();
        drop(serde_json::from_slice::<Event>(&mutated(&seed, &changes)));
    }

    #[test]
    fn a_form_of_the_page_is_a_reply_or_refused(
        action in prop_oneof![select(vec!["save", "add.0", "remove.0.0", "up.0.1", "submit", "pick.0", "send"])
            .prop_map(str::to_owned), ".{0,20}"],
        pairs in vec((prop_oneof![select(vec!["rows.0", "f.work.0.name", "pick", "text", "notes"])
            .prop_map(str::to_owned), ".{0,12}"], ".{0,20}"), 0..20),
    ) {
        for control in golden::controls() {
            let mut fields = Fields(pairs.clone());
            if let Control::Review(review) = &control {
                let mut sheet = Sheet::read(review, &fields);
                sheet.rearrange(review, &action, &mut fields);
                drop(sheet.data(review, &fields));
            }
            let prompt = Prompt { title: None, body: "".into(), control, notes: Vec::new() };
            if let Ok(reply) = form::reply(&prompt, &action, &fields) {
                answer::check(&prompt.control, &reply);
            }
        }
        ComponentId::parse(&action);
    }

    #[test]
    fn quoted_words_are_no_markup(words in prop_oneof![".{0,60}", "[\\[\\]()!<>*_`~|#+=&;:/a1. \\\\\r\n-]{0,60}"]) {
        let drawn = markdown::render(&text::quoted(&words)).into_string();
        for tag in ["<a", "<img", "<h", "<em", "<strong", "<code", "<del", "<ul", "<blockquote", "<hr", "<table"] {
            assert!(!drawn.contains(tag), "{words:?} became {drawn:?}");
        }
    }
}

/// What random input once broke, and what it starts from.
#[test]
fn the_corpus_goes_through_every_door() {
    for (name, door) in doors::DOORS {
        let folder = format!("{}/fuzz/corpus/{name}", env!("CARGO_MANIFEST_DIR"));
        let files: Vec<_> =
            std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
        assert!(!files.is_empty(), "{name}");
        for file in files {
            door(&std::fs::read(file).unwrap());
        }
    }
}

#[test]
fn shapes_that_hurt_parsers_are_survived() {
    let deep = 100_000;
    let flows = [
        format!("x = {}", "[".repeat(deep)),
        format!("x = {}1{}", "{a=".repeat(deep), "}".repeat(deep)),
        format!("[{}]", vec!["a"; deep].join(".")),
        "a=1\n".repeat(deep),
    ];
    for source in &flows {
        assert!(LoadedFlow::load(source, "flow.toml", &BTreeMap::new()).is_err());
        assert!(Settings::parse("config.toml", source, &Environment::default()).is_err());
    }
    for json in ["[".repeat(deep), "{\"kind\":".repeat(deep)] {
        assert!(serde_json::from_str::<Reply>(&json).is_err());
    }
    for line in ["Work experience\n", "2019 - 2020 ", "a@", "· ", "1.", "(((", "Ltd, "] {
        resume::draft(&line.repeat(128 * 1024 / line.len()));
        vcard::read(line.repeat(10_000).as_bytes());
    }
    vcard::read(
        format!("BEGIN:VCARD\nVERSION:4.0\nNOTE:{}\nEND:VCARD", "\\,".repeat(deep)).as_bytes(),
    );
    vcard::read("BEGIN:VCARD\n".repeat(deep).as_bytes());
    markdown::render(&"> ".repeat(4_000));
    markdown::render(&"[".repeat(8_000));
    let nested = docx("<w:p>".repeat(deep).as_bytes());
    assert!(matches!(extract::read(Format::Docx, &nested), Extraction::Unreadable { .. }));
}
