//! How the text of a record is made small: hexadecimal is packed, then zstd squeezes the rest with a dictionary of
//! what sessions usually say.
//!
//! Pressed bytes are the dictionary's number, then a frame of zstd without its magic number. A dictionary that was
//! once used stays here for ever; a new one gets the next number. `benches/dictionary.rs` trains them.

use std::{cell::RefCell, fmt::Display, io, sync::LazyLock};

use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
    zstd_safe::{CParameter, get_frame_content_size},
};

use crate::store::Error;

/// Dictionaries by number, from 1.
const DICTIONARIES: &[&[u8]] = &[include_bytes!("press/1.dict")];

/// The number of the one that is used for writing.
const CURRENT: u8 = 1;

/// How long what is compressed stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stays {
    /// For as long as the session.
    Long,
    /// Until the next step writes it anew or takes it away.
    Briefly,
}

impl Stays {
    /// The level of zstd. Higher ones than that of what stays gain a few hundredths and cost several times as much; the
    /// other one takes a third of the time and makes a tenth more.
    const fn level(self) -> i32 {
        match self {
            Self::Long => 6,
            Self::Briefly => 1,
        }
    }
}

/// Largest text of a record, in bytes: refused when written, and no more is unpacked whatever a record claims.
pub(super) const TEXT_MAX: usize = 64 * 1024 * 1024;

/// What every frame of zstd begins with.
const MAGIC: [u8; 4] = [0x28, 0xB5, 0x2F, 0xFD];

/// Stands before packed hexadecimal and its length; no text in UTF-8 holds this byte.
const PACKED: u8 = 0xFF;

/// Shortest run of hexadecimal digits that is packed, and the longest that is packed as one.
const RUN: std::ops::RangeInclusive<usize> = 16..=254;

static PRESSING: LazyLock<[EncoderDictionary<'static>; 2]> = LazyLock::new(|| {
    let current = DICTIONARIES.get(usize::from(CURRENT) - 1).copied().unwrap_or_default();
    [Stays::Long, Stays::Briefly].map(|stays| EncoderDictionary::copy(current, stays.level()))
});

static UNPRESSING: LazyLock<Vec<DecoderDictionary<'static>>> =
    LazyLock::new(|| DICTIONARIES.iter().map(|bytes| DecoderDictionary::copy(bytes)).collect());

thread_local! {
    /// One thread writes, and its working memory is worth keeping.
    static PRESS: RefCell<[Option<Compressor<'static>>; 2]> = const { RefCell::new([None, None]) };

    /// The same of those who read, for the dictionary with that number.
    static UNPRESS: RefCell<Option<(u8, Decompressor<'static>)>> = const { RefCell::new(None) };
}

/// Makes a text small.
pub(super) fn compress(text: &[u8], stays: Stays) -> Result<Vec<u8>, Error> {
    if text.len() > TEXT_MAX {
        return Err(Error::unavailable(TooLong(text.len())));
    }
    let packed = pack(text);
    PRESS.with_borrow_mut(|press| {
        let [long, brief] = press;
        let [dictionary_long, dictionary_brief] = &*PRESSING;
        let (press, dictionary) = match stays {
            Stays::Long => (long, dictionary_long),
            Stays::Briefly => (brief, dictionary_brief),
        };
        let press = match press {
            Some(press) => press,
            None => press.insert(compressor(dictionary).map_err(Error::unavailable)?),
        };
        let mut pressed = press.compress(&packed).map_err(Error::unavailable)?;
        pressed.splice(..MAGIC.len(), [CURRENT]);
        Ok(pressed)
    })
}

fn compressor(dictionary: &'static EncoderDictionary<'_>) -> io::Result<Compressor<'static>> {
    let mut press = Compressor::with_prepared_dictionary(dictionary)?;
    // The dictionary's number stands before the frame, and every record is sealed or covered by the audit chain.
    press.set_parameter(CParameter::DictIdFlag(false))?;
    press.set_parameter(CParameter::ChecksumFlag(false))?;
    press.set_parameter(CParameter::ContentSizeFlag(true))?;
    Ok(press)
}

/// The text that was pressed; `what` names it in an error.
pub(super) fn decompress(pressed: &[u8], what: impl Display) -> Result<Vec<u8>, Error> {
    let Some((number, frame)) = pressed.split_first() else {
        return Err(Error::damaged(what, "it ends early"));
    };
    let Some(dictionary) = number.checked_sub(1).and_then(|at| UNPRESSING.get(usize::from(at)))
    else {
        return Err(Error::foreign(what, format_args!("dictionary {number}")));
    };
    let frame = [&MAGIC[..], frame].concat();
    let size = get_frame_content_size(&frame).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok());
    let Some(size) = size.filter(|size| *size <= TEXT_MAX) else {
        return Err(Error::damaged(what, "it does not say how long it is"));
    };
    let packed = UNPRESS.with_borrow_mut(|unpress| {
        let unpress = match unpress {
            Some((known, unpress)) if known == number => unpress,
            _ => {
                let made = Decompressor::with_prepared_dictionary(dictionary);
                &mut unpress.insert((*number, made.map_err(Error::unavailable)?)).1
            }
        };
        Ok(unpress.decompress(&frame, size))
    })?;
    let text = packed.ok().and_then(|packed| unpack(&packed));
    text.ok_or_else(|| Error::damaged(what, "it cannot be unpacked"))
}

/// Lower-case hexadecimal as bytes; everything else as it is.
pub(super) fn pack(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.iter().take(*RUN.end()).take_while(|byte| nibble(**byte).is_some());
        // An even number of digits makes whole bytes.
        let run = digits.count() & !1;
        if RUN.contains(&run) {
            let (digits, after) = rest.split_at(run);
            packed.push(PACKED);
            packed.push(u8::try_from(run / 2).unwrap_or_default());
            packed.extend(
                digits.chunks_exact(2).filter_map(|pair| {
                    Some((nibble(*pair.first()?)? << 4) | nibble(*pair.last()?)?)
                }),
            );
            rest = after;
        } else {
            // No part of a run that is too short is long enough.
            let (plain, after) = rest.split_at(run.max(1));
            packed.extend_from_slice(plain);
            rest = after;
        }
    }
    packed
}

/// What [`pack`] packed; none if it never did.
fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::with_capacity(packed.len() * 2);
    let mut rest = packed;
    while let Some(at) = rest.iter().position(|byte| *byte == PACKED) {
        let (before, run) = rest.split_at(at);
        text.extend_from_slice(before);
        let length = usize::from(*run.get(1)?);
        let bytes = run.get(2..2 + length)?;
        text.extend_from_slice(crate::model::audit::hex(bytes).as_bytes());
        rest = run.get(2 + length..)?;
    }
    text.extend_from_slice(rest);
    Some(text)
}

const fn nibble(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// More text than a record may hold.
#[derive(Debug, thiserror::Error)]
#[error("a record of {0} bytes is too long, at most {TEXT_MAX} are stored")]
struct TooLong(usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pressed_comes_back() {
        let texts: [&[u8]; 6] = [
            b"",
            b"plain",
            "Z\u{fc}rich \u{5c65}".as_bytes(),
            b"ses_0123456789abcdef0123456789abcdef and 0123456789abcde",
            b"0123456789abcdef0",
            &[b'a'; 1_000],
        ];
        for text in texts {
            for stays in [Stays::Long, Stays::Briefly] {
                assert_eq!(decompress(&compress(text, stays).unwrap(), "it").unwrap(), text);
            }
        }
    }

    #[test]
    fn hexadecimal_costs_half() {
        let digits = b"f00dfeedf00dfeedf00dfeedf00dfeed";
        assert_eq!(pack(digits).len(), 2 + 16);
    }

    #[test]
    fn what_was_never_pressed_is_refused() {
        let pressed = compress(b"a text that is a little longer than that", Stays::Long).unwrap();
        let damaged = |bytes: &[u8]| decompress(bytes, "it").unwrap_err().to_string();
        insta::assert_snapshot!(damaged(&[]), @"it cannot be read: it is damaged (it ends early). hint: restore a backup with `anteroom restore`");
        insta::assert_snapshot!(damaged(&[CURRENT + 1]), @"it cannot be read: it needs dictionary 2, which this program lacks. hint: run the newer program");
        insta::assert_snapshot!(damaged(&pressed[..pressed.len() / 2]), @"it cannot be read: it is damaged (it cannot be unpacked). hint: restore a backup with `anteroom restore`");
        insta::assert_snapshot!(damaged(&[&[CURRENT], &[0xFF; 40][..]].concat()), @"it cannot be read: it is damaged (it does not say how long it is). hint: restore a backup with `anteroom restore`");
        assert_eq!(unpack(&[PACKED]), None);
        assert_eq!(unpack(&[PACKED, 4, 1, 2, 3]), None);
    }

    #[test]
    fn no_flipped_bit_unpacks_without_bounds_or_panics() {
        let text = "Which of these would you plant first? ".repeat(20);
        let pressed = compress(text.as_bytes(), Stays::Briefly).unwrap();
        for bit in 0..pressed.len() * 8 {
            let mut flipped = pressed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match decompress(&flipped, "it") {
                Ok(text) => assert!(text.len() <= TEXT_MAX),
                Err(error) => assert!(matches!(error, Error::Unreadable { .. }), "{error}"),
            }
        }
    }

    #[test]
    fn more_than_a_record_may_hold_is_refused_both_ways() {
        assert!(compress(&vec![b' '; TEXT_MAX + 1], Stays::Long).is_err());
        let bomb = zstd::bulk::compress(&vec![b' '; TEXT_MAX + 1], 1).unwrap();
        let bomb = [&[CURRENT], &bomb[MAGIC.len()..]].concat();
        assert!(decompress(&bomb, "it").is_err());
    }
}
