//! Case studies: a folder of Markdown files with front matter, read and indexed once at the start.
//!
//! ```text
//! +++
//! title    = "Subtitles overnight"
//! industry = "Media"
//! results  = ["40 hours a week saved", "subtitles on the day of shooting"]
//! +++
//! A production house subtitled by hand …
//! ```
//!
//! Between `+++` stands TOML, between `---` YAML. `title` and `industry` are required; `results` (one text or a list),
//! `client` and `year` may stand there, anything else is a mistake, since a misspelt key would be lost without a word. A
//! file that cannot be read stops the start with its name and what is wrong: a case study that is quietly missing would
//! be found by nobody.
//!
//! Passages are found by BM25 over the stems of English words. What no passage has in common with a question is not found.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    path::{Path, PathBuf},
};

use bm25::{Document, SearchEngine, SearchEngineBuilder, Tokenizer};
use rust_stemmers::{Algorithm, Stemmer};
use serde::{Deserialize, Serialize};
use unicode_segmentation::UnicodeSegmentation as _;

/// Most files of a folder.
pub const FILES_MAX: usize = 500;

/// Largest file, in bytes.
pub const BYTES_MAX: u64 = 256 * 1024;

/// Longest passage that is shown, in characters.
const PASSAGE_MAX: usize = 600;

/// Words that say nothing about what a text is about.
const STOP_WORDS: &[&str] = &[
    "a", "about", "all", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by", "can",
    "case", "did", "do", "does", "for", "from", "had", "has", "have", "how", "i", "if", "in",
    "into", "is", "it", "its", "more", "not", "of", "on", "or", "our", "so", "some", "such",
    "study", "that", "the", "their", "them", "there", "they", "this", "to", "was", "we", "were",
    "what", "when", "which", "who", "will", "with", "you", "your",
];

/// Why the folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder or a file cannot be read.
    #[error("the case studies in `{}` cannot be read: {why}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// Why.
        why: io::Error,
    },
    /// A file is not in the form that is asked for.
    #[error("the case study `{}` has a mistake: {problem}", .path.display())]
    Malformed {
        /// Which.
        path: PathBuf,
        /// What.
        problem: String,
    },
    /// There are more files than are read.
    #[error("there are more than {FILES_MAX} case studies in `{}`. hint: keep the best ones there", .0.display())]
    TooMany(PathBuf),
}

/// What stands at the head of a file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Front {
    title: String,
    industry: String,
    #[serde(default)]
    results: Results,
    #[serde(default)]
    client: Option<String>,
    #[serde(default)]
    year: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
enum Results {
    One(String),
    Several(Vec<String>),
}

impl Default for Results {
    fn default() -> Self {
        Self::Several(Vec::new())
    }
}

/// A case study that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Case {
    /// The file, by its name in the folder.
    pub file: String,
    /// Its title.
    pub title: String,
    /// The industry of the client.
    pub industry: String,
    /// What came of it, in the words of the file.
    pub results: Vec<String>,
    /// For whom, where the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// When, where the file says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<u16>,
    /// The passage that matched best, word by word.
    pub passage: String,
}

/// The case studies of a folder.
#[derive(Debug)]
pub struct Cases {
    all: Vec<Case>,
    /// The case of each passage, and its text.
    passages: Vec<(usize, String)>,
    index: SearchEngine<u32, u32, Words>,
}

impl Cases {
    /// Reads a folder: every `*.md` file right in it, by name. Waits for the disk; for the start only.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |why| Error::Unreadable { path, why }
        };
        let mut files = BTreeSet::new();
        for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
            let path = entry.map_err(unreadable(folder))?.path();
            if path.extension().is_some_and(|extension| extension == "md") && path.is_file() {
                files.insert(path);
            }
            if files.len() > FILES_MAX {
                return Err(Error::TooMany(folder.to_owned()));
            }
        }
        let mut read = Vec::new();
        for path in files {
            let malformed = |problem: String| Error::Malformed { path: path.clone(), problem };
            if fs::metadata(&path).map_err(unreadable(&path))?.len() > BYTES_MAX {
                return Err(malformed(format!("it is larger than {BYTES_MAX} bytes")));
            }
            let bytes = fs::read(&path).map_err(unreadable(&path))?;
            let text =
                String::from_utf8(bytes).map_err(|_| malformed("it is not UTF-8".to_owned()))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            read.push(parse(name, &text).map_err(malformed)?);
        }
        Ok(Self::index(read))
    }

    fn index(read: Vec<(Case, Vec<String>)>) -> Self {
        let (mut cases, mut passages) = (Vec::new(), Vec::new());
        let mut documents = Vec::new();
        for (case, texts) in read {
            let at = cases.len();
            for text in texts {
                // Each passage is found by the title and the results too, in whichever case they matter.
                let contents =
                    format!("{} {} {} {text}", case.title, case.industry, case.results.join(" "));
                documents.push(Document::new(
                    u32::try_from(passages.len()).unwrap_or(u32::MAX),
                    contents,
                ));
                passages.push((at, text));
            }
            cases.push(case);
        }
        let index =
            SearchEngineBuilder::<u32, u32, Words>::with_tokenizer_and_documents(Words, documents)
                .build();
        Self { all: cases, passages, index }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// The industries, each once.
    pub fn industries(&self) -> BTreeSet<&str> {
        self.all.iter().map(|case| case.industry.as_str()).collect()
    }

    /// The cases that have words in common with a question, best first, each with its best passage. Equal questions have
    /// equal answers. An industry is meant where the words of one of the two names stand in the other.
    pub fn search(&self, query: &str, industry: Option<&str>, most: usize) -> Vec<Case> {
        let mut best: BTreeMap<usize, (f32, usize)> = BTreeMap::new();
        let mut found: Vec<(f32, usize)> = self
            .index
            .search(query, None)
            .into_iter()
            .filter_map(|hit| Some((hit.score, usize::try_from(hit.document.id).ok()?)))
            .collect();
        // Those with one score come in an order that changes from run to run.
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        for (score, passage) in found {
            let Some((case, _)) = self.passages.get(passage) else { continue };
            if industry.is_none_or(|wanted| is_of(&self.all[*case].industry, wanted)) {
                best.entry(*case).or_insert((score, passage));
            }
        }
        let mut ranked: Vec<(usize, (f32, usize))> = best.into_iter().collect();
        ranked.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        let shown = ranked.into_iter().take(most).map(|(case, (_, passage))| {
            let passage = self.passages.get(passage).map(|(_, text)| cut(text)).unwrap_or_default();
            Case { passage, ..self.all[case].clone() }
        });
        shown.collect()
    }
}

/// A file's head, and the passages of its body.
fn parse(file: String, text: &str) -> Result<(Case, Vec<String>), String> {
    let text = text.trim_start_matches('\u{feff}').replace("\r\n", "\n");
    let fence = ["+++", "---"].into_iter().find(|fence| text.starts_with(&format!("{fence}\n")));
    let Some(fence) = fence else {
        return Err("it does not begin with `+++` or `---`".to_owned());
    };
    let Some((head, body)) = text[fence.len() + 1..].split_once(&format!("\n{fence}\n")) else {
        return Err(format!("its head does not end with `{fence}` and a body"));
    };
    let front: Front = if fence == "+++" {
        toml_edit::de::from_str(head).map_err(|error| error.message().to_owned())?
    } else {
        serde_saphyr::from_str(head).map_err(|error| error.to_string())?
    };
    let Front { title, industry, results, client, year } = front;
    let results = match results {
        Results::One(text) => vec![text],
        Results::Several(texts) => texts,
    };
    if title.trim().is_empty() || industry.trim().is_empty() {
        return Err("`title` and `industry` must say something".to_owned());
    }
    let lines: Vec<&str> = body.lines().collect();
    let passages: Vec<String> = lines
        .split(|line| line.trim().is_empty() || is_heading(line))
        .map(|lines| lines.join("\n").trim().to_owned())
        .filter(|passage| !passage.is_empty())
        .collect();
    if passages.is_empty() {
        return Err("it has no text".to_owned());
    }
    Ok((Case { file, title, industry, results, client, year, passage: String::new() }, passages))
}

/// `## Result`; `#1 of its kind` is text.
fn is_heading(line: &str) -> bool {
    let rest = line.trim_start().trim_start_matches('#');
    rest.len() < line.trim_start().len() && (rest.is_empty() || rest.starts_with([' ', '\t']))
}

fn is_of(industry: &str, wanted: &str) -> bool {
    let within = |some: &str, all: &str| {
        let (words, all) = (Words.tokenize(some), stems(all, &[]));
        // A name may be nothing but a small word: `IT`.
        let words = if words.is_empty() { stems(some, &[]) } else { words };
        !words.is_empty() && words.iter().all(|word| all.contains(word))
    };
    within(wanted, industry) || within(industry, wanted)
}

/// A passage that is not too long, cut between words.
fn cut(text: &str) -> String {
    let mut shown: String = text.chars().take(PASSAGE_MAX).collect();
    if shown.len() < text.len() {
        shown.truncate(shown.rfind(char::is_whitespace).unwrap_or(shown.len()));
        shown.push('…');
    }
    shown
}

/// Stems of the words that say what a text is about.
#[derive(Debug, Clone, Copy, Default)]
struct Words;

impl Tokenizer for Words {
    fn tokenize(&self, text: &str) -> Vec<String> {
        stems(text, STOP_WORDS)
    }
}

/// The stems of the words of a text but some.
fn stems(text: &str, but: &[&str]) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    let small = text.to_lowercase();
    let words = small.unicode_words().filter(|word| !but.contains(word));
    words.map(|word| stemmer.stem(word).into_owned()).collect()
}
