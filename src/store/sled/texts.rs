//! What the records hold, for those who measure and train: nothing in the program reads it.

use super::{
    SledStore, audit_chain, keys, read,
    record_codec::Belongings,
    waits::Pointer,
    write_batch::{Reader, is_first},
};
use crate::store::{Error, compression};

impl SledStore {
    /// The text of every record as it was before it was compressed, one for each: the samples that a dictionary is
    /// trained on (`benches/dictionary.rs`). Holds personal data, where the sessions do.
    pub fn texts(&self) -> Result<Vec<Vec<u8>>, Error> {
        self.shared.read_settled(|reader| {
            let mut texts = Vec::new();
            for key in reader.keys(&[])? {
                if is_first(&key) {
                    texts
                        .extend(texts_of(reader, &key)?.iter().map(|text| compression::pack(text)));
                }
            }
            Ok(texts)
        })
    }
}

fn texts_of(reader: Reader<'_>, at: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
    let family = at.first().copied().unwrap_or_default();
    let starred = [keys::AUDIT, keys::FRAME, keys::HEAD, keys::OUTBOX, keys::WAIT];
    if !starred.contains(&family) {
        return Ok(Vec::new());
    }
    let Some(record) = reader.record(at, "record")? else { return Ok(Vec::new()) };
    let body = &record.body;
    let (slot, clear) = match family {
        keys::AUDIT => {
            let index = keys::index_of(at).unwrap_or_default();
            return audit_chain::texts(reader.key_store, index, &record);
        }
        keys::FRAME => (keys::slot_of(at), Belongings::decode(body).map(|(_, clear)| clear)),
        keys::OUTBOX => (keys::slot_of(at), Some(0)),
        keys::HEAD => (read::slot_of(&record), Some(read::SLOT)),
        _ if body.len() <= Pointer::LENGTH => return Ok(Vec::new()),
        _ => (read::slot_of(&record), Some(Pointer::LENGTH)),
    };
    let (Some(slot), Some(clear)) = (slot, clear) else { return Ok(Vec::new()) };
    let key = reader.key(slot, "record")?;
    // Where a wait was shown is bound to nothing in clear.
    let bound = if family == keys::WAIT { 0 } else { clear };
    Ok(vec![Reader::text(&key, at, &record, (bound, clear), "record")?])
}
