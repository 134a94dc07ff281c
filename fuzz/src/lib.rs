//! The doors through which things come in from outside: each takes any bytes, and whatever it makes of them, it
//! must not break. Random input comes from the targets beside this file; `tests/it/hostile.rs` takes the corpus
//! through the same doors with every test run.

use std::{
    collections::BTreeMap,
    io::{Cursor, Write},
    net::IpAddr,
};

use anteroom::{
    base::ids::CountingIds,
    config::{Environment, Settings},
    flow::LoadedFlow,
    gateway::{
        discord,
        slack::{
            inbound::{Envelope, Incoming},
            parse,
        },
    },
    model::{
        artifact::Extraction,
        transcript::Event,
        ui::{Control, Reply},
    },
    net::fetch::{self, Head},
    ports::{
        artifacts::{
            extract::{self, Format},
            resume,
        },
        contacts,
        llm::{Completion, Error, openai::stream::Reader},
    },
    session::{
        answer,
        grounding::{Doubt, Kind, Sources},
        typed::{self, Reading},
    },
    tool::catalog::consulting::analyze_website_tech_stack::{
        focus::Focus, prints::Detection, robots::Robots, scan,
    },
};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Takes any bytes and does not panic.
pub type Door = fn(&[u8]);

/// Every door, by the name of its target and of its folder in the corpus.
pub const DOORS: [(&str, Door); 11] = [
    ("address", address),
    ("config", config),
    ("discord", discord),
    ("document", document),
    ("figures", figures),
    ("flow", flow),
    ("reply", reply),
    ("slack", slack),
    ("stream", stream),
    ("vcard", vcard),
    ("website", website),
];

/// An address that somebody gave: what may be asked for is for the web, public as far as it can be seen, and the same
/// when it is read again.
pub fn address(bytes: &[u8]) {
    let Ok(url) = fetch::check(&String::from_utf8_lossy(bytes)) else { return };
    assert!(matches!(url.scheme(), "http" | "https"), "{url}");
    assert!(url.username().is_empty() && url.password().is_none(), "{url}");
    let host = url.host_str().unwrap_or_default();
    let bare = host.trim_start_matches('[').trim_end_matches(']').trim_end_matches('.');
    assert!(bare.contains(['.', ':']), "{url}");
    if let Ok(ip) = bare.parse::<IpAddr>() {
        assert_eq!(fetch::special(ip), None, "{url}");
    }
    assert_eq!(fetch::check(url.as_str()), Ok(url.clone()), "{url}");
}

/// A configuration is read, or its problems are told.
pub fn config(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else { return };
    // Configuration may name files with secrets; none is opened here.
    if source.contains("_file") {
        return;
    }
    if let Err(problems) = Settings::parse("config.toml", source, &Environment::default()) {
        assert!(!problems.is_empty());
    }
}

/// Documents by their first byte: text, the inside of a Word document, a whole archive, or a PDF; and the draft of a
/// résumé from whatever text comes out.
pub fn document(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else { return };
    let extraction = match kind % 4 {
        0 => extract::read(Format::Text, bytes),
        1 => extract::read(Format::Docx, &packed(bytes)),
        2 => extract::read(Format::Docx, bytes),
        _ => extract::read(Format::Pdf, bytes),
    };
    if let Extraction::Text { text, .. } = extraction {
        resume::draft(&text);
    }
}

fn packed(xml: &[u8]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("word/document.xml", options).expect("a name that fits");
    archive.write_all(xml).expect("memory does not fail");
    archive.finish().expect("memory does not fail").into_inner()
}

/// A source, and behind a zero byte a text: what the text says that does not stand in the source is found. Without one the
/// source is the text, and every figure in it stands there.
pub fn figures(bytes: &[u8]) {
    let input = String::from_utf8_lossy(bytes);
    let (source, text) = input.split_once('\0').unwrap_or((&input, &input));
    let mut sources = Sources::default();
    sources.add_text(source);
    if let Ok(value) = serde_json::from_str(source) {
        sources.add_value(&value);
    }
    sources.doubts(text);
    sources.has_said(text);
    let doubts = sources.doubts_in_plain(text);
    let is_figure = |doubt: &&Doubt| doubt.kind == Kind::Figure;
    let figure = doubts.iter().find(is_figure).filter(|_| source == text);
    assert_eq!(figure, None, "it stands in its own source");
}

/// A flow file is loaded, or its problems are told.
pub fn flow(bytes: &[u8]) {
    let Ok(source) = str::from_utf8(bytes) else { return };
    if let Err(problems) = LoadedFlow::load(source, "flow.toml", &BTreeMap::new()) {
        assert!(!problems.is_empty());
    }
}

/// A reply fits its question or is refused: a line of JSON with the question, then one with the reply or typed words.
pub fn reply(bytes: &[u8]) {
    let Ok(input) = str::from_utf8(bytes) else { return };
    let (question, given) = input.split_once('\n').unwrap_or((input, ""));
    drop(serde_json::from_str::<Event>(question));
    let Ok(control) = serde_json::from_str::<Control>(question) else { return };
    typed::order(given);
    let typed = || match typed::read(&control, given) {
        Reading::Settled(reply) => Some(reply),
        Reading::Unsure(_) | Reading::NotAnAnswer { .. } => None,
    };
    let reply = serde_json::from_str::<Reply>(given).ok().or_else(typed);
    if let Some(reply) = reply {
        answer::check(&control, &reply);
        answer::describe(&control, &reply);
    }
}

/// A payload of Slack by its first byte, an event, an interaction or a command: it is read, under a key that the store
/// can take, and what is not known has a name that may be logged.
pub fn slack(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else { return };
    let Ok(payload) = serde_json::from_slice(bytes) else { return };
    let read = match kind % 4 {
        0 => parse::event,
        1 => parse::interaction,
        _ => parse::command,
    };
    let Envelope { key, what, .. } = read(&payload);
    assert!(key.len() <= 200 && key.bytes().all(|byte| byte.is_ascii_graphic()), "{key}");
    if let Incoming::Unknown { kind } | Incoming::Ignored { kind } = &what {
        let plain = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.')
        };
        assert!(!kind.is_empty() && kind.len() <= 80 && kind.bytes().all(plain), "{kind}");
    }
    assert_eq!(read(&payload), Envelope { what, ..read(&payload) }, "read twice");
}

/// What Discord sends, by the first byte: an interaction, or an event whose name is the first line. It has a key, and a
/// kind that may stand in a log where it is nothing that is known.
pub fn discord(input: &[u8]) {
    let Some((kind, bytes)) = input.split_first() else { return };
    let text = String::from_utf8_lossy(bytes);
    let (name, body) = match kind % 2 {
        0 => ("INTERACTION_CREATE", text.as_ref()),
        _ => text.split_once('\n').unwrap_or_else(|| (text.as_ref(), "{}")),
    };
    let Ok(payload) = serde_json::from_str(body) else { return };
    let read = || discord::parse::event(name, &payload, "1");
    let envelope = read();
    let key = &envelope.key;
    assert!(key.len() <= 200 && key.bytes().all(|byte| byte.is_ascii_graphic()), "{key}");
    if let discord::inbound::Incoming::Unknown { kind }
    | discord::inbound::Incoming::Ignored { kind } = &envelope.what
    {
        let plain = |byte: u8| {
            byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.')
        };
        assert!(!kind.is_empty() && kind.len() <= 80 && kind.bytes().all(plain), "{kind}");
    }
    assert_eq!(read(), envelope, "read twice");
}

/// A model's streamed answer, cut into pieces by its first byte: an answer or an error, and the same as uncut.
pub fn stream(input: &[u8]) {
    let Some((size, bytes)) = input.split_first() else { return };
    let cut = streamed(bytes.chunks(usize::from(*size) + 1));
    assert_eq!(cut, streamed([bytes]));
}

fn streamed<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> (Result<Completion, Error>, String) {
    let mut text = String::new();
    let mut on_text = |words: &str| text.push_str(words);
    let mut reader = Reader::default();
    let pushed = pieces.into_iter().try_for_each(|piece| reader.push(piece, &mut on_text));
    let result = pushed.and_then(|()| reader.finish(&CountingIds::default(), &mut on_text));
    (result, text)
}

/// Contact cards of any version, whole or not.
pub fn vcard(file: &[u8]) {
    contacts::vcard::read(file);
}

/// A website: its rules for programs, and behind a zero byte a page. What is found says where it shows.
pub fn website(bytes: &[u8]) {
    let at = bytes.iter().position(|byte| *byte == 0).unwrap_or(0);
    let (rules, page) = bytes.split_at(at);
    Robots::read(&String::from_utf8_lossy(rules)).allow("/shop/?q=1");
    let focus = Some(Focus::AiOpportunities);
    let (found, _) = scan(&Head::default(), page, focus).expect("the fingerprints are read");
    for Detection { name, evidence, implied_by, .. } in found {
        assert!(!evidence.is_empty() || !implied_by.is_empty(), "{name}");
    }
}
