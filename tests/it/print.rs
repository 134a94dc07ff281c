//! Documents and charts that the bot makes, read again by somebody else's reader.

use anteroom::{
    model::artifact::Extraction,
    ports::{
        artifacts::extract::{self, Format},
        documents::{BARS_MAX, Bar, Chart, Error, MARKDOWN_MAX, Paper, Printer},
    },
};
use chrono::DateTime;
use hayro_interpret::hayro_syntax::{
    Pdf,
    object::{self, Dict, dict::keys},
};
use proptest::prelude::*;

fn paper(markdown: &str) -> Paper {
    Paper {
        title: "Proposal for Ada & Co".to_owned(),
        markdown: markdown.to_owned(),
        lang: "en".to_owned(),
        made_at: DateTime::from_timestamp(1_795_000_000, 0).unwrap(),
        footer: Some("Anteroom – made for Ada".to_owned()),
    }
}

fn printed(markdown: &str) -> Vec<u8> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let bytes = runtime.block_on(Printer::default().pdf(paper(markdown))).unwrap();
    look_at("pdf", &bytes);
    bytes
}

fn chart(chart: Chart) -> Result<Vec<u8>, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let bytes = runtime.block_on(Printer::default().chart(chart))?;
    look_at("png", &bytes);
    Ok(bytes)
}

/// For eyes: `PRINTED=folder` keeps what the tests make.
fn look_at(extension: &str, bytes: &[u8]) {
    if let Some(folder) = option_env!("PRINTED").filter(|folder| !folder.is_empty()) {
        let name = std::thread::current().name().unwrap_or("unnamed").replace("::", "_");
        std::fs::write(format!("{folder}/{name}.{extension}"), bytes).unwrap();
    }
}

/// The text of a document and how many pages it has.
fn read(bytes: &[u8]) -> (String, u32) {
    match extract::read(Format::Pdf, bytes) {
        Extraction::Text { text, pages, .. } => (text, pages.unwrap()),
        other => panic!("{other:?}"),
    }
}

/// Lines and pages break words, so spaces do not count.
fn squeezed(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

const MEMO: &str = include_str!("../fixtures/memo.md");

#[test]
fn a_memo_can_be_read_again_word_for_word() {
    let (text, pages) = read(&printed(MEMO));
    assert!(pages >= 2, "{pages}");
    let squeezed = squeezed(&text);
    let words = MEMO.split(|c: char| !c.is_alphanumeric());
    for word in words.filter(|word| !word.is_empty()) {
        assert!(squeezed.contains(word), "`{word}` is lost in\n{text}");
    }
    for said in [
        "ProposalforAda&Co",
        "2026-11-",
        "Anteroom–madeforAda",
        "thedocs(https://example.com/a?b=1,Howitworks)",
        "picture(https://example.com/p.png)",
        "Привет",
        "Ελληνικά",
    ] {
        assert!(squeezed.contains(said), "`{said}` is lost in\n{text}");
    }
}

#[test]
fn the_same_paper_gives_the_same_bytes() {
    assert_eq!(printed(MEMO), printed(MEMO));
}

#[test]
fn a_document_says_what_it_is_called_and_in_which_language() {
    let document = Pdf::new(printed("Hello.")).unwrap();
    let xref = document.xref();
    let catalog = xref.get::<Dict<'_>>(xref.root_id()).unwrap();
    assert_eq!(catalog.get::<object::String<'_>>(keys::LANG).unwrap().as_bytes(), b"en");
    let title = document.metadata().title.as_deref();
    assert_eq!(title, Some(&b"Proposal for Ada & Co"[..]));
    let mut objects = document.objects().into_iter().filter_map(object::Object::into_dict);
    assert!(objects.any(|font| font.contains_key(keys::FONT_FILE2)), "no font is embedded");
}

#[test]
fn a_long_table_goes_on_with_its_head_on_every_page() {
    let rows = (0..150).map(|n| format!("| month number {n} | {} |", n * 1000));
    let rows: Vec<String> = rows.collect();
    let markdown = format!("| month | saved |\n|---|--:|\n{}\n", rows.join("\n"));
    let (text, pages) = read(&printed(&markdown));
    assert!(pages >= 3, "{pages}");
    let text = squeezed(&text);
    assert_eq!(text.matches("monthsaved").count(), pages as usize);
    assert!((0..150).all(|n| text.contains(&format!("monthnumber{n}{}", n * 1000))));
}

#[test]
fn a_cell_longer_than_a_page_is_printed_whole() {
    let words: Vec<String> = (0..3000).map(|n| format!("word{n}")).collect();
    let markdown = format!("| a | b |\n|---|---|\n| {} | short |\n", words.join(" "));
    let (text, pages) = read(&printed(&markdown));
    let text = squeezed(&text);
    assert!(pages > 2 && words.iter().all(|word| text.contains(word.as_str())));
}

#[test]
fn a_table_with_more_columns_than_a_page_is_told_row_by_row() {
    let cells = |what: &str| (0..30).map(|n| format!("{what}{n}")).collect::<Vec<_>>();
    let row = |cells: Vec<String>| format!("| {} |\n", cells.join(" | "));
    let markdown = row(cells("head")) + &row(vec!["---".to_owned(); 30]) + &row(cells("cell"));
    let text = squeezed(&read(&printed(&markdown)).0);
    assert!((0..30).all(|n| text.contains(&format!("head{n}:cell{n}"))));
}

#[test]
fn a_row_with_more_cells_than_the_head_loses_none() {
    let text = read(&printed("| a | b |\n|---|---|\n| one | two | three | four |\n")).0;
    let text = squeezed(&text);
    assert!(["one", "two", "three", "four"].iter().all(|word| text.contains(word)), "{text}");
}

#[test]
fn a_word_longer_than_a_line_is_broken_and_not_lost() {
    let word: String = ('a'..='z').cycle().take(2000).collect();
    let text = squeezed(&read(&printed(&word)).0);
    assert!(text.contains(&word));
}

#[test]
fn what_no_font_has_is_counted() {
    let text = read(&printed("Hello 日本 world")).0;
    assert!(text.contains("2 in all"), "{text}");
    assert!(!read(&printed("Hello world, שלום, مرحبا 😀")).0.contains("appear"));
}

#[test]
fn definitions_of_links_and_html_stay_on_the_page() {
    let markdown = "See [a][x].\n\n[x]: https://example.com/x \"the title\"\n[x]: https://other.example\n\n<b>bold</b> <!-- a comment -->\n\n```rust\nfn main() {}\n```\n";
    let text = squeezed(&read(&printed(markdown)).0);
    for said in ["https://example.com/x", "thetitle", "https://other.example", "acomment", "rust"] {
        assert!(text.contains(said), "`{said}` is lost in {text}");
    }
}

#[test]
fn hostile_texts_are_printed_and_nothing_breaks() {
    let rtl = "\u{202e}abc\u{2066}def\u{2067} ghi";
    for markdown in [
        ">".repeat(5000) + " deep",
        "- ".repeat(3000) + "deep",
        "*".repeat(20_000),
        "[".repeat(20_000),
        "|".repeat(5000) + "\n" + &"|-".repeat(5000) + "\n",
        format!("{}\n{}\n", "|a".repeat(2000), "|-".repeat(2000)) + &"|b\n".repeat(50),
        rtl.repeat(500),
        "\u{0}\u{1}\u{7f}\u{85}\u{feff}\u{fffe}\u{10ffff}".to_owned(),
        "e\u{301}\u{301}\u{301}".repeat(500),
        "👩‍👩‍👧‍👦🏳️‍🌈".repeat(50),
        String::new(),
    ] {
        let bytes = printed(&markdown);
        assert!(bytes.starts_with(b"%PDF-"));
    }
}

#[test]
fn too_long_a_text_is_refused() {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let long = "a ".repeat(MARKDOWN_MAX / 2 + 1);
    let refused = runtime.block_on(Printer::default().pdf(paper(&long))).unwrap_err();
    assert_eq!(refused.to_string(), "this is too much for one document: at most 256 KiB of text");
}

/// Words with marks of Markdown between them. Words begin with a letter, for numbers of lists are counted anew.
fn markdown() -> impl Strategy<Value = (Vec<String>, String)> {
    let word = "[a-zA-Zäöüßéñçøłžα-ωа-я][a-zA-Z0-9äöüßéñçøłžα-ωа-я]{0,30}";
    let mark = prop_oneof![
        4 => Just(" "),
        2 => Just("\n"),
        2 => Just("\n\n"),
        1 => prop::sample::select(vec![
            "\n- ", "\n  - ", "\n1. ", "\n> ", "\n# ", "\n### ", " *", "* ", " **", "** ", " `", "` ",
            "\n\n    ", "\n```\n", " | ", " |\n| ", "\n|---|---|\n", "\n---\n", " [", "](", ") ", "]: ",
            " <", "> ", " ~~", "~~ ", "\\", "\t", "  \n", "\n***\n", "![", "\n[", "\"", " - [x] ",
        ]),
    ];
    prop::collection::vec((word, mark), 1..80).prop_map(|parts| {
        let text = parts.iter().flat_map(|(word, mark)| [word, *mark]).collect();
        (parts.into_iter().map(|(word, _)| word).collect(), text)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_word_of_a_text_is_in_the_document((words, markdown) in markdown()) {
        let (text, _) = read(&printed(&format!("Beginning\n\n{markdown}")));
        // The reader marks what looks like a heading with `#`, also where a line breaks a word.
        let text = squeezed(&text).replace('#', "");
        for word in words {
            prop_assert!(text.contains(&word), "`{}` of {:?} is lost in\n{}", word, markdown, text);
        }
    }

    #[test]
    fn any_text_at_all_becomes_a_document(markdown in "\\PC{0,300}|(?s).{0,200}") {
        prop_assert!(printed(&markdown).starts_with(b"%PDF-"));
    }
}

fn bar(label: &str, value: f64, text: &str) -> Bar {
    Bar { label: label.to_owned(), value, text: text.to_owned() }
}

fn pixels(bytes: &[u8]) -> image::RgbaImage {
    image::load_from_memory(bytes).unwrap().into_rgba8()
}

fn count(picture: &image::RgbaImage, colour: [u8; 3]) -> usize {
    picture.pixels().filter(|pixel| pixel.0[..3] == colour).count()
}

const GAIN: [u8; 3] = [0x00, 0x72, 0xb2];
const LOSS: [u8; 3] = [0xd5, 0x5e, 0x00];

#[test]
fn a_chart_draws_gains_losses_and_nothing() {
    let bars = vec![
        bar("Yearly savings", 124_800.0, "$124,800"),
        bar("Workshop", -10_000.0, "−$10,000"),
        bar("Consulting", -80_000.0, "−$80,000"),
        bar("Nothing at all", 0.0, "$0"),
    ];
    let note = Some("20 hours a week × $120 × 52 weeks. Estimates, not promises.".to_owned());
    let title = "Return on investment, first year".to_owned();
    let bytes = chart(Chart { title, bars, note }).unwrap();
    let picture = pixels(&bytes);
    let (gain, loss) = (count(&picture, GAIN), count(&picture, LOSS));
    assert!(picture.pixels().all(|pixel| pixel.0[3] == 255), "it must not let a dark page through");
    // Of the same height, so as their values: 124,800 to 90,000.
    let expected = loss * 1248 / 900;
    assert!(gain.abs_diff(expected) < gain / 50, "{gain} and {loss}");
}

#[test]
fn figures_that_are_none_and_texts_that_are_code_are_drawn_as_nothing_worse() {
    let bars = vec![
        bar("<script>alert(1)</script> & \"quotes\"", f64::NAN, "not a number"),
        bar("infinite", f64::INFINITY, "∞"),
        bar("tiny", 1e-300, "almost nothing"),
        bar("日本 \u{0}\u{fffe}", f64::MAX, "much"),
        bar("less", f64::MIN, "little"),
        bar(&"long label ".repeat(30), 5.0, &"long figure ".repeat(30)),
        bar("", 0.0, ""),
    ];
    let picture = chart(Chart { title: "]]> <x>".to_owned(), bars, note: None }).unwrap();
    assert!(count(&pixels(&picture), GAIN) > 0);
    let empty = Chart { title: String::new(), bars: Vec::new(), note: None };
    assert!(chart(empty).unwrap().starts_with(b"\x89PNG"));
    let bars = vec![bar("a", 1.0, "1"); BARS_MAX + 1];
    let many = chart(Chart { title: String::new(), bars, note: None }).unwrap_err();
    assert_eq!(many.to_string(), "this is too much for one chart: at most 40 bars");
}
