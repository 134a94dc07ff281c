//! How the text of a record is made small: hexadecimal is packed, then zstd compresses the rest with a dictionary of
//! what sessions usually say.
//!
//! Compressed bytes are the dictionary's number, then a frame of zstd without its magic number. A dictionary that was
//! once used stays here for ever; a new one gets the next number. `benches/dictionary.rs` trains them.

use std::{cell::RefCell, fmt::Display, io, sync::LazyLock};

use zstd::{
    bulk::{Compressor, Decompressor},
    dict::{DecoderDictionary, EncoderDictionary},
    zstd_safe::{CParameter, get_frame_content_size},
};

use super::Error;

/// Dictionaries by number, from 1.
const DICTIONARIES: &[&[u8]] = &[include_bytes!("press/1.dict")];

/// The number of the one that is used for writing.
const CURRENT: u8 = 1;

/// How hard to compress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Level {
    /// For what stays as long as the session.
    High,
    /// For what the next step writes anew or takes away.
    Fast,
}

impl Level {
    /// The level of zstd. Higher ones than six gain a few hundredths and cost several times as much.
    const fn zstd(self) -> i32 {
        match self {
            Self::High => 6,
            Self::Fast => 1,
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

static ENCODERS: LazyLock<[EncoderDictionary<'static>; 2]> = LazyLock::new(|| {
    let current = DICTIONARIES.get(usize::from(CURRENT) - 1).copied().unwrap_or_default();
    [Level::High, Level::Fast].map(|level| EncoderDictionary::copy(current, level.zstd()))
});

static DECODERS: LazyLock<Vec<DecoderDictionary<'static>>> =
    LazyLock::new(|| DICTIONARIES.iter().map(|bytes| DecoderDictionary::copy(bytes)).collect());

thread_local! {
    /// One thread writes, and its working memory is worth keeping.
    static COMPRESSORS: RefCell<[Option<Compressor<'static>>; 2]> = const { RefCell::new([None, None]) };

    /// Working memory of a thread that reads, for the dictionary whose number stands beside it.
    static DECOMPRESSOR: RefCell<Option<(u8, Decompressor<'static>)>> = const { RefCell::new(None) };
}

/// Makes a text small.
pub(super) fn compress(text: &[u8], level: Level) -> Result<Vec<u8>, Error> {
    if text.len() > TEXT_MAX {
        return Err(Error::unavailable(TooLong(text.len())));
    }
    let packed = pack(text);
    COMPRESSORS.with_borrow_mut(|compressors| {
        let [high, fast] = compressors;
        let [dictionary_high, dictionary_fast] = &*ENCODERS;
        let (compressor, dictionary) = match level {
            Level::High => (high, dictionary_high),
            Level::Fast => (fast, dictionary_fast),
        };
        let compressor = match compressor {
            Some(compressor) => compressor,
            None => compressor.insert(make_compressor(dictionary).map_err(Error::unavailable)?),
        };
        let mut compressed = compressor.compress(&packed).map_err(Error::unavailable)?;
        compressed.splice(..MAGIC.len(), [CURRENT]);
        Ok(compressed)
    })
}

fn make_compressor(dictionary: &'static EncoderDictionary<'_>) -> io::Result<Compressor<'static>> {
    let mut compressor = Compressor::with_prepared_dictionary(dictionary)?;
    // The dictionary's number stands before the frame, and every record is sealed or covered by the audit chain.
    compressor.set_parameter(CParameter::DictIdFlag(false))?;
    compressor.set_parameter(CParameter::ChecksumFlag(false))?;
    compressor.set_parameter(CParameter::ContentSizeFlag(true))?;
    Ok(compressor)
}

/// The text that was compressed; `what` names it in an error.
pub(super) fn decompress(compressed: &[u8], what: impl Display) -> Result<Vec<u8>, Error> {
    let Some((number, frame)) = compressed.split_first() else {
        return Err(Error::damaged(what, "it ends early"));
    };
    let Some(dictionary) = number.checked_sub(1).and_then(|at| DECODERS.get(usize::from(at)))
    else {
        return Err(Error::foreign(what, format_args!("dictionary {number}")));
    };
    let frame = [&MAGIC[..], frame].concat();
    let size = get_frame_content_size(&frame).ok().flatten();
    let size = size.and_then(|size| usize::try_from(size).ok());
    let Some(size) = size.filter(|size| *size <= TEXT_MAX) else {
        return Err(Error::damaged(what, "it does not say how long it is"));
    };
    let packed = DECOMPRESSOR.with_borrow_mut(|decompressor| {
        let decompressor = match decompressor {
            Some((known, decompressor)) if known == number => decompressor,
            _ => {
                let made = Decompressor::with_prepared_dictionary(dictionary);
                &mut decompressor.insert((*number, made.map_err(Error::unavailable)?)).1
            }
        };
        Ok(decompressor.decompress(&frame, size))
    })?;
    let text = packed.ok().and_then(|packed| unpack(&packed));
    text.ok_or_else(|| Error::damaged(what, "it cannot be unpacked"))
}

/// Lower-case hexadecimal as bytes; everything else as it is.
pub(super) fn pack(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::with_capacity(text.len());
    // What lies before `at` and is not packed yet begins at `plain`.
    let (mut plain, mut at) = (0, 0);
    while let Some(rest) = text.get(at..)
        && let Some(last) = rest.get(*RUN.start() - 1)
    {
        if nibble(*last).is_none() {
            // No run that begins here or before that byte is long enough.
            at += RUN.start();
            continue;
        }
        let digits = rest.iter().take(*RUN.end()).take_while(|byte| nibble(**byte).is_some());
        let digits = digits.count();
        // An even number of digits makes whole bytes.
        let run = digits & !1;
        if !RUN.contains(&run) {
            // No part of a run that is too short is long enough, and after it comes no digit.
            at += digits + 1;
            continue;
        }
        packed.extend_from_slice(text.get(plain..at).unwrap_or_default());
        packed.push(PACKED);
        packed.push(u8::try_from(run / 2).unwrap_or_default());
        packed.extend(
            rest.get(..run)
                .unwrap_or_default()
                .chunks_exact(2)
                .filter_map(|pair| Some((nibble(*pair.first()?)? << 4) | nibble(*pair.last()?)?)),
        );
        at += run;
        plain = at;
    }
    packed.extend_from_slice(text.get(plain..).unwrap_or_default());
    packed
}

/// What [`pack`] packed; `None` if it never did.
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
    fn what_was_compressed_comes_back() {
        let texts: [&[u8]; 6] = [
            b"",
            b"plain",
            "Z\u{fc}rich \u{5c65}".as_bytes(),
            b"ses_0123456789abcdef0123456789abcdef and 0123456789abcde",
            b"0123456789abcdef0",
            &[b'a'; 1_000],
        ];
        for text in texts {
            for level in [Level::High, Level::Fast] {
                assert_eq!(decompress(&compress(text, level).unwrap(), "it").unwrap(), text);
            }
        }
    }

    #[test]
    fn hexadecimal_costs_half() {
        let digits = b"f00dfeedf00dfeedf00dfeedf00dfeed";
        assert_eq!(pack(digits).len(), 2 + 16);
    }

    #[test]
    fn hexadecimal_is_found_wherever_it_begins() {
        for before in 0..40 {
            for digits in 15..40 {
                let text = ["-".repeat(before), "f".repeat(digits), "-".to_owned()].concat();
                let packed = if digits < 16 { digits } else { 2 + digits / 2 + digits % 2 };
                assert_eq!(pack(text.as_bytes()).len(), before + packed + 1, "{text}");
            }
        }
    }

    #[test]
    fn what_was_never_compressed_is_refused() {
        let compressed =
            compress(b"a text that is a little longer than that", Level::High).unwrap();
        let damaged = |bytes: &[u8]| decompress(bytes, "it").unwrap_err().to_string();
        insta::assert_snapshot!(damaged(&[]), @"it cannot be read: it is damaged (it ends early). hint: restore a backup with `anteroom restore`");
        insta::assert_snapshot!(damaged(&[CURRENT + 1]), @"it cannot be read: it needs dictionary 2, which this program lacks. hint: run the newer program");
        insta::assert_snapshot!(damaged(&compressed[..compressed.len() / 2]), @"it cannot be read: it is damaged (it cannot be unpacked). hint: restore a backup with `anteroom restore`");
        insta::assert_snapshot!(damaged(&[&[CURRENT], &[0xFF; 40][..]].concat()), @"it cannot be read: it is damaged (it does not say how long it is). hint: restore a backup with `anteroom restore`");
        assert_eq!(unpack(&[PACKED]), None);
        assert_eq!(unpack(&[PACKED, 4, 1, 2, 3]), None);
    }

    #[test]
    fn no_flipped_bit_unpacks_without_bounds_or_panics() {
        let text = "Which of these would you plant first? ".repeat(20);
        let compressed = compress(text.as_bytes(), Level::Fast).unwrap();
        for bit in 0..compressed.len() * 8 {
            let mut flipped = compressed.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            match decompress(&flipped, "it") {
                Ok(text) => assert!(text.len() <= TEXT_MAX),
                Err(error) => assert!(matches!(error, Error::Unreadable { .. }), "{error}"),
            }
        }
    }

    #[test]
    fn more_than_a_record_may_hold_is_refused_both_ways() {
        assert!(compress(&vec![b' '; TEXT_MAX + 1], Level::High).is_err());
        let bomb = zstd::bulk::compress(&vec![b' '; TEXT_MAX + 1], 1).unwrap();
        let bomb = [&[CURRENT], &bomb[MAGIC.len()..]].concat();
        assert!(decompress(&bomb, "it").is_err());
    }
}
