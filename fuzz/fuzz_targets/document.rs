//! Documents by their first byte: text, the inside of a Word document, or a whole archive; and the draft of a résumé
//! from whatever text comes out. PDF is read in a child process because its parser panics.
#![no_main]

use std::io::{Cursor, Write};

use anteroom::{
    artifacts::{
        extract::{self, Format},
        resume,
    },
    model::artifact::Extraction,
};
use libfuzzer_sys::fuzz_target;
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

fuzz_target!(|input: &[u8]| {
    let Some((kind, bytes)) = input.split_first() else { return };
    let extraction = match kind % 3 {
        0 => extract::read(Format::Text, bytes),
        1 => extract::read(Format::Docx, &packed(bytes)),
        _ => extract::read(Format::Docx, bytes),
    };
    if let Extraction::Text { text, .. } = extraction {
        resume::draft(&text);
    }
});

fn packed(xml: &[u8]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    archive.start_file("word/document.xml", options).expect("a name that fits");
    archive.write_all(xml).expect("memory does not fail");
    archive.finish().expect("memory does not fail").into_inner()
}
