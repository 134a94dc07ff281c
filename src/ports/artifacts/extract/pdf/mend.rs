//! A second try for a PDF whose table of objects cannot be used, as every viewer makes it: the objects are looked for in
//! the file itself, and a table of what was found is put behind it.
//!
//! Files come to that by honest ways: a mail server or a form that cut off the end or added bytes to it, a tool that
//! changed the text and not the offsets. `pdflatex` with compression switched off writes comments between the objects of
//! a stream, which the parser takes for the objects.

use std::{collections::BTreeMap, fmt::Write as _};

/// Most objects that are looked for; a document of a thousand pages has fewer.
const OBJECTS_MAX: usize = 200_000;

/// Longest number of an object, in digits.
const DIGITS_MAX: usize = 8;

/// A copy of the document with a table of the objects that are in it; `None` if it does not say which of them is the
/// root.
pub(super) fn mended(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut mended = without_comments(bytes);
    let objects = objects(&mended);
    let root = last_value(&mended, b"/Root")?;
    let mut trailer = format!("/Root {root}");
    if let Some(encrypt) = last_value(&mended, b"/Encrypt") {
        write!(trailer, " /Encrypt {encrypt}").ok()?;
        write!(trailer, " /ID {}", last_list(&mended, b"/ID")?).ok()?;
    }
    mended.push(b'\n');
    let start = mended.len();
    let size = objects.keys().next_back()? + 1;
    let mut table = "xref\n0 1\n0000000000 65535 f \n".to_owned();
    for (number, Object { at, generation }) in &objects {
        write!(table, "{number} 1\n{at:010} {generation:05} n \n").ok()?;
    }
    write!(table, "trailer\n<< /Size {size} {trailer} >>\nstartxref\n{start}\n%%EOF\n").ok()?;
    mended.extend(table.into_bytes());
    Some(mended)
}

/// Whether a document says which of its objects is the root, as each does at its end.
pub(super) fn names_root(bytes: &[u8]) -> bool {
    last_value(bytes, b"/Root").is_some()
}

struct Object {
    at: usize,
    generation: u16,
}

/// Where each object begins: `12 0 obj`, the last one of a number counts.
fn objects(bytes: &[u8]) -> BTreeMap<u32, Object> {
    let mut objects = BTreeMap::new();
    for end in places(bytes, b" obj") {
        let Some((generation, before)) = number_before(bytes, end) else { continue };
        let Some(space) = before.checked_sub(1).filter(|at| bytes[*at] == b' ') else { continue };
        let Some((number, at)) = number_before(bytes, space) else { continue };
        let is_alone = at == 0 || bytes[at - 1].is_ascii_whitespace();
        if let (Ok(generation), true) = (u16::try_from(generation), is_alone)
            && (objects.len() < OBJECTS_MAX || objects.contains_key(&number))
        {
            objects.insert(number, Object { at, generation });
        }
    }
    objects
}

/// The number that ends before `end`, and where it begins.
fn number_before(bytes: &[u8], end: usize) -> Option<(u32, usize)> {
    let digits = bytes[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let at = end - digits;
    let text = str::from_utf8(&bytes[at..end]).ok()?;
    (digits <= DIGITS_MAX).then(|| text.parse().ok())?.map(|number| (number, at))
}

/// The reference behind the last `key`: `12 0 R`.
fn last_value(bytes: &[u8], key: &[u8]) -> Option<String> {
    places(bytes, key).rev().find_map(|at| {
        let after = &bytes[at + key.len()..];
        let text = String::from_utf8_lossy(&after[..after.len().min(40)]).into_owned();
        let mut words = text.split_ascii_whitespace();
        let (number, generation) = (words.next()?, words.next()?);
        let is_reference = words.next().is_some_and(|word| word.starts_with('R'));
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        (is_reference && is_number(number) && is_number(generation))
            .then(|| format!("{number} {generation} R"))
    })
}

/// The list behind the last `key`, where it is written in hexadecimal.
fn last_list(bytes: &[u8], key: &[u8]) -> Option<String> {
    places(bytes, key).rev().find_map(|at| {
        let after = &bytes[at + key.len()..];
        let text = str::from_utf8(&after[..after.iter().take(200).position(|byte| *byte == b']')?]);
        let list = text.ok()?.trim_start();
        let fits = |c: char| c.is_ascii_hexdigit() || "<> \n\r".contains(c);
        let inner = list.strip_prefix('[').filter(|inner| inner.chars().all(fits))?;
        Some(format!("[{inner}]"))
    })
}

/// Blanks comments that look like the head of an object.
fn without_comments(bytes: &[u8]) -> Vec<u8> {
    let mut blanked = bytes.to_vec();
    for end in places(bytes, b" obj") {
        let from = end.saturating_sub(2 * DIGITS_MAX + 3);
        let begins = bytes[from..end].iter().rposition(|byte| *byte == b'%').map(|at| from + at);
        if let Some(begins) = begins
            && bytes[begins + 1..end].iter().all(|byte| byte.is_ascii_digit() || *byte == b' ')
        {
            blanked[begins..end + b" obj".len()].fill(b' ');
        }
    }
    blanked
}

fn places<'a>(bytes: &'a [u8], word: &'a [u8]) -> impl DoubleEndedIterator<Item = usize> + use<'a> {
    let last = bytes.len().saturating_sub(word.len());
    (0..=last).filter(move |at| bytes[*at..].starts_with(word))
}
