//! Vectors that are kept for a while: a text that is compared again costs nothing.

use std::{collections::HashMap, fmt, sync::Arc, time::Duration};

use async_trait::async_trait;
use moka::sync::Cache;
use sha2::{Digest as _, Sha256};
use tokio::time::Instant;

use super::{Embedded, Embedder, Error};
use crate::model::usage::Usage;

/// How long a vector is kept. What is left of a person's words after an erasure is gone by then.
pub const KEPT: Duration = Duration::from_mins(15);

/// Most memory that vectors take, in bytes; the least used go first.
const BYTES_MAX: u64 = 16 * 1024 * 1024;

/// What a vector takes besides its numbers, in bytes.
const BYTES_MORE: usize = 128;

/// SHA-256 of a text.
type Key = [u8; 32];

/// An embedder that remembers; itself an [`Embedder`]. Keeps digests and vectors, never the texts.
pub struct EmbeddingCache {
    embedder: Arc<dyn Embedder>,
    vectors: Cache<Key, Arc<Placed>>,
}

/// Where a text lies in a space.
#[derive(Debug)]
struct Placed {
    at: Instant,
    space: String,
    vector: Vec<f32>,
}

impl fmt::Debug for EmbeddingCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What lies near what says something about people.
        f.debug_struct("Kept").field("embedder", &self.embedder).finish_non_exhaustive()
    }
}

impl EmbeddingCache {
    /// An embedder in front of another one.
    pub fn new(embedder: Arc<dyn Embedder>) -> Self {
        let weight = |_: &Key, placed: &Arc<Placed>| {
            u32::try_from(placed.vector.len() * size_of::<f32>() + BYTES_MORE).unwrap_or(u32::MAX)
        };
        let vectors =
            Cache::builder().max_capacity(BYTES_MAX).weigher(weight).time_to_live(KEPT).build();
        Self { embedder, vectors }
    }

    fn fresh(&self, key: &Key) -> Option<Arc<Placed>> {
        // The cache's own clock only frees memory; this one is what tests can move.
        self.vectors.get(key).filter(|placed| placed.at.elapsed() < KEPT)
    }

    /// Asks for texts, and keeps what comes.
    async fn ask(
        &self,
        texts: Vec<String>,
        known: &mut HashMap<Key, Arc<Placed>>,
    ) -> Result<Usage, Error> {
        let Embedded { vectors, space, usage } = self.embedder.embed(&texts).await?;
        for (text, vector) in texts.iter().zip(vectors) {
            let placed = Arc::new(Placed { at: Instant::now(), space: space.clone(), vector });
            self.vectors.insert(digest(text), Arc::clone(&placed));
            known.insert(digest(text), placed);
        }
        Ok(usage)
    }
}

#[async_trait]
impl Embedder for EmbeddingCache {
    async fn embed(&self, texts: &[String]) -> Result<Embedded, Error> {
        let keys: Vec<Key> = texts.iter().map(|text| digest(text)).collect();
        let mut known: HashMap<Key, Arc<Placed>> =
            keys.iter().filter_map(|key| Some((*key, self.fresh(key)?))).collect();
        let mut usage = Usage::default();
        let mut missing: Vec<String> = Vec::new();
        for (text, key) in texts.iter().zip(&keys) {
            if !known.contains_key(key) && !missing.contains(text) {
                missing.push(text.clone());
            }
        }
        if !missing.is_empty() {
            usage += self.ask(missing, &mut known).await?;
        }
        if !is_one_space(&known) {
            // Another service answered for what was missing: vectors of two spaces do not mix.
            let mut all = texts.to_vec();
            all.sort_unstable();
            all.dedup();
            usage += self.ask(all, &mut known).await?;
        }
        let first = known.values().next().ok_or(Error::Invalid("there is no text"))?;
        let space = first.space.clone();
        let vectors: Option<Vec<_>> =
            keys.iter().map(|key| Some(known.get(key)?.vector.clone())).collect();
        let vectors = vectors.ok_or(Error::BadAnswer(super::error::Fault::Vectors))?;
        Ok(Embedded { vectors, space, usage })
    }
}

fn is_one_space(known: &HashMap<Key, Arc<Placed>>) -> bool {
    let mut spaces = known.values().map(|placed| &placed.space);
    let first = spaces.next();
    spaces.all(|space| Some(space) == first)
}

fn digest(text: &str) -> Key {
    Sha256::digest(text.as_bytes()).into()
}
