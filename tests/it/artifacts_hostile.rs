//! Files made to hurt: each is refused in words, within bounds of time and memory, and kills at most its reader.

use std::{
    fmt::Write as _,
    io::{Cursor, Write as _},
    os::unix::fs::symlink,
    sync::Arc,
    time::Instant,
};

use anteroom::{
    base::{
        clock::FixedClock,
        ids::{CountingIds, RandomIds, SessionId},
    },
    model::{artifact::Extraction, ui::Upload},
    ports::{
        artifacts::{
            Artifacts, Error, check,
            extract::{Extractor, Format, trouble},
            picture,
        },
        contacts::vcard,
    },
};
use chrono::DateTime;
use futures::{StreamExt as _, stream};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use crate::keys::AnyKeys;

const MIB: usize = 1024 * 1024;

fn asked(accept: &[&str]) -> Upload {
    Upload {
        upload_type: "resume".to_owned(),
        accept: accept.iter().map(|&extension| extension.to_owned()).collect(),
        max_bytes: 32 * MIB as u64,
        max_files: 1,
        required: true,
    }
}

/// A PDF of numbered objects, with a table of them as the format wants it.
#[derive(Default)]
struct Pdf {
    bytes: Vec<u8>,
    places: Vec<usize>,
}

impl Pdf {
    /// With a catalogue as its first object; the root of its pages is the second.
    fn new() -> Self {
        let mut pdf = Self { bytes: b"%PDF-1.7\n".to_vec(), places: Vec::new() };
        pdf.object("<</Type/Catalog/Pages 2 0 R>>");
        pdf
    }

    /// Adds an object and gives its number.
    fn object(&mut self, content: impl AsRef<[u8]>) -> usize {
        self.places.push(self.bytes.len());
        let number = self.places.len();
        self.bytes.extend(format!("{number} 0 obj\n").bytes());
        self.bytes.extend(content.as_ref());
        self.bytes.extend(b"\nendobj\n");
        number
    }

    fn stream(&mut self, dictionary: &str, content: &[u8]) -> usize {
        let head = format!("<</Length {}{dictionary}>>stream\n", content.len());
        self.object([head.as_bytes(), content, b"\nendstream"].concat())
    }

    fn finish(self) -> Vec<u8> {
        let Self { mut bytes, places } = self;
        let start = bytes.len();
        let mut table = format!("xref\n0 {}\n0000000000 65535 f \n", places.len() + 1);
        for place in &places {
            writeln!(table, "{place:010} 00000 n ").unwrap();
        }
        write!(
            table,
            "trailer<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF",
            places.len() + 1
        )
        .unwrap();
        bytes.extend(table.bytes());
        bytes
    }
}

/// One page with this program.
fn page(program: &[u8], resources: &str) -> Vec<u8> {
    let mut pdf = Pdf::new();
    pdf.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    pdf.object(format!(
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<<{resources}>>>>"
    ));
    pdf.stream("", program);
    pdf.object("<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>");
    pdf.stream(
        "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X 6 0 R>>>>",
        b"/X Do /X Do",
    );
    pdf.finish()
}

/// Deflate, twenty thousand times smaller than it becomes where it is made of one byte.
fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    archive.start_file("a", options).unwrap();
    archive.write_all(bytes).unwrap();
    let packed = archive.finish().unwrap().into_inner();
    let length = u32::from_le_bytes(packed[18..22].try_into().unwrap()) as usize;
    let start = 31 + usize::from(u16::from_le_bytes([packed[28], packed[29]]));
    // The envelope of zlib; its check sum is left out, as in many real files.
    [&[0x78, 0x9c], &packed[start..start + length]].concat()
}

fn numbered(range: std::ops::Range<u32>, each: impl Fn(u32) -> String) -> String {
    range.map(each).collect()
}

fn pdfs() -> Vec<(&'static str, Vec<u8>)> {
    let font = "/Font<</F 5 0 R>>";
    let mut many = Pdf::new();
    many.object("<</Type/Pages/Kids[]/Count 0>>");
    for _ in 0..300_000 {
        many.object("<</A[1 2(x)]>>");
    }
    let mut pages = Pdf::new();
    let kids = numbered(3..100_003, |n| format!("{n} 0 R "));
    pages.object(format!("<</Type/Pages/Kids[{kids}]/Count 100000>>"));
    for _ in 0..100_000 {
        pages.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 100003 0 R>>");
    }
    pages.stream("", b"BT ET");
    let mut circle = Pdf::new();
    circle.object("<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2/Parent 2 0 R>>");
    let mut own_length = Pdf::new();
    own_length.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    own_length.object("<</Type/Page/Parent 2 0 R/Contents 4 0 R>>");
    own_length.object("<</Length 4 0 R>>stream\nBT ET\nendstream");
    let mut packed = Pdf::new();
    packed.object("<</Type/Pages/Kids[3 0 R]/Count 1>>");
    packed.object("<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>");
    packed.stream("/Filter/FlateDecode", &deflated(&b"q ".repeat(16 * MIB)));
    let mut objects = Pdf::new();
    objects.object("<</Type/Pages/Kids[]/Count 0>>");
    let index = numbered(0..1_000_000, |n| format!("{} {} ", n + 10, n * 2));
    let body = format!("{index}{}", "1 ".repeat(1_000_000));
    let dictionary = format!("/Type/ObjStm/N 1000000/First {}/Filter/FlateDecode", index.len());
    objects.stream(&dictionary, &deflated(body.as_bytes()));
    let deep = 400_000;
    vec![
        ("300,000 objects", many.finish()),
        ("a million objects in one", objects.finish()),
        ("100,000 pages", pages.finish()),
        ("pages in a circle", circle.finish()),
        ("a length that is itself", own_length.finish()),
        ("a form that draws itself twice", page(b"/X Do", "/XObject<</X 6 0 R>>")),
        ("lists in lists", page(&b"[".repeat(deep), font)),
        ("tables in tables", [b"%PDF-1.7\n1 0 obj\n".to_vec(), b"<</A".repeat(deep)].concat()),
        ("brackets in brackets", [b"%PDF-1.7\n1 0 obj\n".to_vec(), b"(".repeat(deep)].concat()),
        ("states that are never restored", page(&b"q ".repeat(2 * MIB), font)),
        ("32 MB of states, packed", packed.finish()),
        ("letters beyond every page", page(&b"BT /F 1e38 Tf 1e38 1e38 Td (aaaaaaaa) Tj ET ".repeat(50_000), font)),
        ("numbers that are none", page(&b"BT /F nan Tf -99999999999999999999 1e999 Td (a) Tj ET ".repeat(10_000), font)),
        ("a table that follows itself", b"%PDF-1.7\nxref\n0 1\n0000000000 65535 f \ntrailer<</Size 1/Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF".to_vec()),
        ("four thousand million objects", b"%PDF-1.7\nxref\n0 4294967295\n0000000000 65535 f \ntrailer<</Size 4294967295/Root 1 0 R>>\nstartxref\n9\n%%EOF".to_vec()),
    ]
}

/// Each ends by itself or by its reader's limits: 10 s of processor, 512 MiB, 15 s on the wall.
#[tokio::test]
async fn a_hostile_pdf_ends_its_reader_at_most() {
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let read = |(what, bytes): (&'static str, Vec<u8>)| {
        let extractor = extractor.clone();
        async move {
            assert!(bytes.len() < 32 * MIB, "{what} is an upload that is taken: {}", bytes.len());
            let begun = Instant::now();
            let extraction = extractor.extract(Format::Pdf, bytes).await;
            (what, begun.elapsed(), extraction)
        }
    };
    // Some take all their time, so a few run together.
    let read: Vec<_> = stream::iter(pdfs()).map(read).buffer_unordered(4).collect().await;
    for (what, took, extraction) in read {
        match &extraction {
            Extraction::Text { text, .. } => assert!(text.len() < MIB, "{what}"),
            Extraction::NoText | Extraction::Locked | Extraction::Unreadable { .. } => {
                assert!(trouble("cv.pdf", &extraction).is_some(), "{what}");
            }
        }
        assert!(took.as_secs() < 25, "{what}: {took:?}");
    }
}

fn archive(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        archive.start_file(name.as_str(), SimpleFileOptions::default()).unwrap();
        archive.write_all(content).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

#[tokio::test]
async fn a_hostile_word_document_ends_its_reader_at_most() {
    let extractor = Extractor::new(env!("CARGO_BIN_EXE_anteroom"));
    let part = |name: &str, content: Vec<u8>| (name.to_owned(), content);
    let body = |content: String| vec![part("word/document.xml", content.into_bytes())];
    let headers: Vec<_> =
        (0..3).map(|n| part(&format!("word/header{n}.xml"), b"<w:p/>".repeat(2 * MIB))).collect();
    let mut entries: Vec<_> =
        (0..60_000).map(|n| part(&format!("word/{n}.bin"), Vec::new())).collect();
    entries.extend(body("<w:t>Ada Byron is here</w:t>".to_owned()));
    let lol = (0..20).fold(String::from("<!ENTITY a0 'lol'>"), |all, n| {
        format!("{all}<!ENTITY a{} '&a{n};&a{n};'>", n + 1)
    });
    let mut lying = archive(&body("<w:t>Ada Byron is here</w:t>".repeat(600_000)));
    // The directory says that the part has ten bytes.
    let end = lying.windows(4).rposition(|window| window == b"PK\x01\x02").unwrap();
    lying[end + 24..end + 28].copy_from_slice(&10_u32.to_le_bytes());
    for (what, bytes) in [
        ("heads of 12 MB each", archive(&headers)),
        ("60,000 parts", archive(&entries)),
        ("entities in entities", archive(&body(format!("<!DOCTYPE d [{lol}]><w:t>&a20;</w:t>")))),
        ("an attribute of 15 MB", archive(&body(format!("<w:p a='{}'/>", "a".repeat(15 * MIB))))),
        (
            "a million attributes",
            archive(&body(format!(
                "<w:p {}/>",
                (0..1_000_000).fold(String::new(), |mut all, n| {
                    write!(all, "a{n}='' ").unwrap();
                    all
                })
            ))),
        ),
        ("a name of 15 MB", archive(&body(format!("<{}/>", "a".repeat(15 * MIB))))),
        ("a comment without end", archive(&body(format!("<!-- {}", "-".repeat(15 * MIB))))),
        ("a size that is a lie", lying),
    ] {
        let begun = Instant::now();
        let extraction = extractor.extract(Format::Docx, bytes).await;
        let long = matches!(&extraction, Extraction::Text { text, .. } if text.len() > MIB);
        assert!(!long, "{what}");
        assert!(begun.elapsed().as_secs() <= 20, "{what}");
    }
}

#[test]
fn a_file_that_is_two_things_is_taken_for_what_it_begins_with() {
    let pdf = b"%PDF-1.7\n".to_vec();
    let zip = archive(&[
        ("word/document.xml".to_owned(), b"x".to_vec()),
        ("[Content_Types].xml".to_owned(), Vec::new()),
    ]);
    let both = [pdf, zip].concat();
    let all = asked(&["pdf", "docx", "txt", "png"]);
    assert!(check::check(&all, "cv.pdf", &both).is_ok(), "read as a PDF, in a child");
    for name in ["cv.docx", "cv.txt", "cv.png", "cv.html", "cv.exe", "cv"] {
        check::check(&all, name, &both).unwrap_err();
    }
    let gif = b"GIF89a/*\x01\0\x01\0\0*/=1;alert(1)//<html><script>alert(1)</script>".to_vec();
    for name in ["me.gif", "me.js", "me.html", "me.txt"] {
        check::check(&all, name, &gif).unwrap_err();
    }
    // Where pictures are taken it is one, and made anew or refused.
    let taken = asked(&["gif"]);
    let checked = check::check(&taken, "me.gif", &gif).unwrap();
    if let Ok(kept) = picture::reencode(checked.kind, &checked.filename, &gif) {
        assert!(!kept.bytes.windows(6).any(|window| window == b"script"));
    }
}

/// A chunk with its check sum, to stand before the end of a picture.
fn chunk(name: [u8; 4], content: &[u8]) -> Vec<u8> {
    let body = [&name, content].concat();
    let crc = !body.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| {
            (crc >> 1) ^ (0xedb8_8320 & (crc & 1).wrapping_neg())
        })
    });
    let length = u32::try_from(content.len()).unwrap().to_be_bytes();
    [&length[..], &body, &crc.to_be_bytes()].concat()
}

#[test]
fn a_small_picture_that_becomes_large_is_made_anew_or_refused() {
    let start = |width: u32, height: u32, depth: u8, colour: u8| {
        let size = [width.to_be_bytes(), height.to_be_bytes()].concat();
        let head = chunk(*b"IHDR", &[&size[..], &[depth, colour, 0, 0, 0]].concat());
        [&b"\x89PNG\r\n\x1a\n"[..], &head].concat()
    };
    let rest = [chunk(*b"IDAT", &deflated(&[0; 72])), chunk(*b"IEND", b"")].concat();
    let small = |between: &[u8]| [&start(8, 8, 8, 0), between, &rest].concat();
    let claims = |start: Vec<u8>| [start, rest.clone()].concat();
    let text = [&b"a\0\0"[..], &deflated(&vec![b'a'; 16 * MIB])].concat();
    let mut gif = b"GIF89a\xff\xff\xff\xff\0\0\0".to_vec();
    gif.extend(b",\0\0\0\0\xff\xff\xff\xff\0\x02\x02\x4c\x01\0;");
    let mut moving = b"GIF89a\x01\0\x01\0\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    moving.extend(b",\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0".repeat(300_000));
    let jpeg = |height: u8, width: u8| {
        [
            &b"\xff\xd8\xff\xc0\0\x0b\x08"[..],
            &[height, 0xff, width, 0xff],
            b"\x01\x01\x11\0\xff\xda\0\x08\x01\x01\0\0\x3f\0",
            &[0; 64],
        ]
        .concat()
    };
    for (name, bytes) in [
        ("small.png", small(&[])),
        ("text.png", small(&chunk(*b"zTXt", &text))),
        ("colours.png", small(&chunk(*b"iCCP", &text))),
        ("wide.png", claims(start(8192, 8192, 16, 6))),
        ("hollow.png", claims(start(8192, 8192, 8, 0))),
        ("claimed.png", claims(start(0x7fff_ffff, 0x7fff_ffff, 16, 6))),
        ("claimed.gif", gif),
        ("moving.gif", moving),
        ("claimed.jpg", jpeg(0xff, 0xff)),
        ("long.jpg", jpeg(0x1f, 0x1f)),
        (
            "claimed.webp",
            b"RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0\x2f\xff\xff\xff\x0f\0\0\0\0\0\0\0\0".to_vec(),
        ),
    ] {
        let asked = asked(&["png", "gif", "jpg", "webp"]);
        let checked = check::check(&asked, name, &bytes).unwrap();
        let begun = Instant::now();
        let made = picture::reencode(checked.kind, name, &bytes).map(|made| made.bytes.len());
        match made {
            Ok(size) => assert!(size < 32 * MIB, "{name}"),
            Err(refused) => {
                assert!(refused.to_string().starts_with(&format!("*{name}*")), "{refused}");
                // It is refused for its head, before there is memory for its pixels.
                if name == "wide.png" {
                    assert!(refused.to_string().contains("too many pixels"), "{refused}");
                }
            }
        }
        assert!(begun.elapsed().as_secs() < 30, "{name}");
    }
}

#[test]
fn a_hostile_contact_card_gives_little_or_nothing_soon() {
    let card = |inside: &str| format!("BEGIN:VCARD\nVERSION:4.0\nFN:Ada\n{inside}\nEND:VCARD\n");
    let folded = card(&format!("NOTE:{}", "a\n ".repeat(MIB)));
    let soft = card(&format!("NOTE;ENCODING=QUOTED-PRINTABLE:{}", "=\n".repeat(MIB)));
    let photo = format!(
        "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nEMAIL:a@b.org\nPHOTO;ENCODING=b:{}\nEND:VCARD\n",
        "QUFB".repeat(10 * MIB / 4)
    );
    let nested = "BEGIN:VCARD\nFN:Ada\n".repeat(100_000);
    let many = card("").repeat(50_000);
    let emails = card(&"EMAIL:a@b.org\n".repeat(100_000));
    let parameters = card(&format!("EMAIL;{}:a@b.org", "TYPE=home;".repeat(200_000)));
    let parts = card(&format!("N:{}", ";".repeat(MIB)));
    let charset = [&b"BEGIN:VCARD\nVERSION:2.1\nN;CHARSET=KLINGON;ENCODING=QUOTED-PRINTABLE:=FF=FE=00=D8;\xff\xfe\xc0\x80\nFN:"[..], &[0xed, 0xa0, 0x80], b"\nEND:VCARD"].concat();
    let utf16 = [&[0xff, 0xfe][..], &[0x00, 0xd8].repeat(MIB)].concat();
    for (what, file) in [
        ("folded a million times", folded.into_bytes()),
        ("soft line ends", soft.into_bytes()),
        ("a photo of 10 MB", photo.into_bytes()),
        ("cards in cards", nested.into_bytes()),
        ("50,000 cards", many.into_bytes()),
        ("100,000 addresses", emails.into_bytes()),
        ("200,000 types", parameters.into_bytes()),
        ("a million names", parts.into_bytes()),
        ("a charset that is none", charset),
        ("half characters", utf16),
    ] {
        let begun = Instant::now();
        let cards = vcard::read(&file);
        let took = begun.elapsed();
        assert!(cards.len() <= 1_000, "{what}");
        for card in &cards {
            assert!(serde_json::to_vec(card).unwrap().len() < 64 * 1024, "{what}: {card:.200?}");
        }
        assert!(took.as_secs() < 20, "{what}: {took:?}");
    }
}

fn open(folder: &std::path::Path) -> Result<Artifacts, anteroom::ports::artifacts::blobs::Error> {
    let clock = Arc::new(FixedClock::new(DateTime::UNIX_EPOCH));
    let ids = Arc::new(CountingIds::default());
    Artifacts::new(folder, Arc::new(AnyKeys), clock, ids, Extractor::new("/bin/false"))
}

/// A link in the data directory leads no reading, writing or erasing out of it.
#[tokio::test]
async fn links_in_the_data_directory_lead_nowhere() {
    let (data, elsewhere) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let precious = elsewhere.path().join("precious");
    std::fs::write(&precious, b"keep me").unwrap();
    let artifacts = open(data.path()).unwrap();
    let asked = asked(&["txt"]);
    let keep = |session| artifacts.keep(session, &asked, "a.txt", b"from Ada".to_vec());

    let session = SessionId::mint(&RandomIds);
    let kept = keep(session).await.unwrap();
    let folder = data.path().join(format!("artifacts/{session}"));
    let file = std::fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    std::fs::remove_file(&file).unwrap();
    symlink(&precious, &file).unwrap();
    artifacts.read(session, &kept).await.unwrap_err();
    assert!(matches!(keep(session).await, Err(Error::Blobs(_))));

    let linked = SessionId::mint(&RandomIds);
    symlink(elsewhere.path(), data.path().join(format!("artifacts/{linked}"))).unwrap();
    assert!(matches!(keep(linked).await, Err(Error::Blobs(_))));

    for session in [session, linked] {
        artifacts.erase(session).await.unwrap();
    }
    assert_eq!(
        std::fs::read_dir(data.path().join("artifacts")).unwrap().count(),
        0,
        "the links are gone"
    );
    let left: Vec<_> =
        std::fs::read_dir(elsewhere.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left, std::slice::from_ref(&precious));
    assert_eq!(std::fs::read(&precious).unwrap(), b"keep me");

    symlink(&precious, data.path().join("flows/abc")).unwrap();
    artifacts.pinned_flow("abc").await.unwrap_err();
    artifacts.pin_flow("abc", "format = 1").await.unwrap_err();

    std::fs::remove_dir(data.path().join("artifacts")).unwrap();
    symlink(elsewhere.path(), data.path().join("artifacts")).unwrap();
    let told = open(data.path()).unwrap_err();
    assert!(std::error::Error::source(&told).unwrap().to_string().contains("is a link"));
}
