//! A model's streamed answer, cut into pieces by its first byte: an answer or an error, and the same as uncut.
#![no_main]

use anteroom::{
    ids::CountingIds,
    llm::{Completion, Error, openai::stream::Reader},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let Some((size, bytes)) = input.split_first() else { return };
    let cut = read(bytes.chunks(usize::from(*size) + 1));
    assert_eq!(cut, read([bytes]));
});

fn read<'a>(
    pieces: impl IntoIterator<Item = &'a [u8]>,
) -> (Result<Completion, Error>, String) {
    let mut heard = String::new();
    let mut ear = |words: &str| heard.push_str(words);
    let mut reader = Reader::default();
    let pushed = pieces.into_iter().try_for_each(|piece| reader.push(piece, &mut ear));
    let result = pushed.and_then(|()| reader.finish(&CountingIds::default(), &mut ear));
    (result, heard)
}
