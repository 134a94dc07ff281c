//! Fingerprints, as `manifests/fingerprints.toml` has them, and what they find: every detection with its evidence.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use aho_corasick::{AhoCorasick, BuildError, MatchKind};
use serde::{Deserialize, Serialize};

use super::page::Page;
use crate::{net::fetch::Head, ports::search::text::plain};

/// The fingerprints in the box.
const SOURCE: &str = include_str!("../../../../../manifests/fingerprints.toml");

/// The fingerprints in the box, read at their first use.
static PRINTS: LazyLock<Result<Prints, BadPrints>> = LazyLock::new(|| Prints::read(SOURCE));

/// Most pieces of evidence for one technology.
const EVIDENCE_MAX: usize = 4;

/// Longest text of a piece of evidence, in characters.
const TEXT_MAX: usize = 120;

/// Shortest pattern, in bytes: anything shorter is found by chance.
const PATTERN_MIN: usize = 4;

/// Fingerprints that cannot be used; a test sees to it that those in the box can.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct BadPrints(pub String);

/// Technologies, and the traces by which they are found.
#[derive(Debug)]
pub struct Prints {
    technologies: Vec<Technology>,
    /// In the order of [`PLACES`].
    traces: Vec<Traces>,
}

/// A technology with its traces, as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Technology {
    /// What a result calls it.
    pub name: String,
    /// What it is for: `cms`, `analytics`.
    pub category: String,
    /// What it cannot be without.
    #[serde(default)]
    pub implies: Vec<String>,
    /// Fields of the head with a part of their value; an empty part fits any value.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Names of cookies; `*` at the end stands for any rest.
    #[serde(default)]
    cookies: Vec<String>,
    /// How `meta generator` begins.
    #[serde(default)]
    generator: Vec<String>,
    /// Parts of the addresses of scripts.
    #[serde(default)]
    script: Vec<String>,
    /// Parts of other addresses.
    #[serde(default)]
    link: Vec<String>,
    /// Parts of scripts within the page.
    #[serde(default)]
    inline: Vec<String>,
    /// Parts of tags, with their attributes in the order of their names.
    #[serde(default)]
    tag: Vec<String>,
    /// Parts of comments.
    #[serde(default)]
    comment: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    version: String,
    technology: Vec<Technology>,
}

/// A place within a page, its name in evidence, and how much of what surrounds a trace is shown.
struct Place {
    word: &'static str,
    of: fn(&Technology) -> &Vec<String>,
    text: fn(&Page) -> &String,
    shown: Shown,
}

#[derive(Clone, Copy)]
enum Shown {
    /// All of the piece, which begins with the trace.
    Start,
    /// The address, without what stands after `?` or `#`: it may name a person or a campaign.
    Address,
    /// The trace alone.
    Trace,
}

const PLACES: [Place; 6] = [
    Place {
        word: "meta generator",
        of: |t| &t.generator,
        text: |p| &p.generators,
        shown: Shown::Start,
    },
    Place {
        word: "script address",
        of: |t| &t.script,
        text: |p| &p.scripts,
        shown: Shown::Address,
    },
    Place {
        word: "address in the page",
        of: |t| &t.link,
        text: |p| &p.links,
        shown: Shown::Address,
    },
    Place {
        word: "script in the page",
        of: |t| &t.inline,
        text: |p| &p.inline,
        shown: Shown::Trace,
    },
    Place { word: "tag", of: |t| &t.tag, text: |p| &p.tags, shown: Shown::Trace },
    Place { word: "comment", of: |t| &t.comment, text: |p| &p.comments, shown: Shown::Trace },
];

/// The traces that are looked for in one place.
#[derive(Debug)]
struct Traces {
    automaton: AhoCorasick,
    /// Whose each is.
    owners: Vec<usize>,
}

/// A technology that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Detection {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub category: String,
    /// Where it shows; empty where it follows from another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evidence: Vec<Evidence>,
    /// What it follows from.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub implied_by: Vec<String>,
}

/// Where a technology shows.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Evidence {
    /// The place.
    #[serde(rename = "where")]
    pub place: String,
    /// What stands there.
    pub text: String,
}

impl Prints {
    /// The fingerprints in the box.
    pub fn shipped() -> Result<&'static Self, BadPrints> {
        PRINTS.as_ref().map_err(Clone::clone)
    }

    /// Reads fingerprints. What implies itself, or something unknown, or is found by chance is a mistake.
    pub fn read(source: &str) -> Result<Self, BadPrints> {
        let Written { version, technology: technologies } =
            toml_edit::de::from_str(source).map_err(|error| BadPrints(error.to_string()))?;
        if version.is_empty() {
            return Err(BadPrints("there is no version".to_owned()));
        }
        let names: BTreeSet<&str> = technologies.iter().map(|t| t.name.as_str()).collect();
        if names.len() < technologies.len() {
            return Err(BadPrints("two technologies have one name".to_owned()));
        }
        for technology in &technologies {
            technology.check(&names)?;
        }
        let traces = PLACES.iter().map(|place| Traces::of(place, &technologies));
        let traces = traces.collect::<Result<_, _>>();
        let traces = traces.map_err(|error| BadPrints(error.to_string()))?;
        Ok(Self { technologies, traces })
    }

    /// The technologies that are known.
    pub fn technologies(&self) -> &[Technology] {
        &self.technologies
    }

    /// What is behind a page, in the order of the file.
    pub(super) fn found(&self, head: &Head, page: &Page) -> Vec<Detection> {
        let mut evidence: BTreeMap<usize, BTreeSet<Evidence>> = BTreeMap::new();
        let mut add = |owner: usize, place: String, text: &str| {
            let all = evidence.entry(owner).or_default();
            if all.len() < EVIDENCE_MAX {
                all.insert(Evidence { place, text: plain(text, TEXT_MAX) });
            }
        };
        for (owner, technology) in self.technologies.iter().enumerate() {
            for (name, value) in technology.headers(head) {
                add(owner, format!("header {name}"), value);
            }
            for cookie in technology.cookies(head) {
                add(owner, "cookie".to_owned(), cookie);
            }
        }
        for (place, traces) in PLACES.iter().zip(&self.traces) {
            let text = (place.text)(page);
            for trace in traces.automaton.find_overlapping_iter(text) {
                if let Some(shown) = place.shown.of(text, trace.range()) {
                    let owner = traces.owners[trace.pattern().as_usize()];
                    add(owner, place.word.to_owned(), shown);
                }
            }
        }
        self.with_implied(&evidence)
    }

    fn with_implied(&self, evidence: &BTreeMap<usize, BTreeSet<Evidence>>) -> Vec<Detection> {
        let position = |name: &String| self.technologies.iter().position(|t| t.name == *name);
        let mut implied: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
        let mut open: Vec<usize> = evidence.keys().copied().collect();
        let mut known: BTreeSet<usize> = open.iter().copied().collect();
        while let Some(from) = open.pop() {
            for to in self.technologies[from].implies.iter().filter_map(position) {
                implied.entry(to).or_default().insert(from);
                if known.insert(to) {
                    open.push(to);
                }
            }
        }
        let detection = |at: usize| {
            let Technology { name, category, .. } = &self.technologies[at];
            let evidence: Vec<Evidence> =
                evidence.get(&at).into_iter().flatten().cloned().collect();
            let from = implied.get(&at).filter(|_| evidence.is_empty()).into_iter().flatten();
            let implied_by = from.map(|from| self.technologies[*from].name.clone()).collect();
            Detection { name: name.clone(), category: category.clone(), evidence, implied_by }
        };
        known.into_iter().map(detection).collect()
    }
}

impl Technology {
    fn check(&self, names: &BTreeSet<&str>) -> Result<(), BadPrints> {
        let complain = |why: String| Err(BadPrints(format!("`{}` {why}", self.name)));
        if let Some(unknown) = self.implies.iter().find(|name| !names.contains(name.as_str())) {
            return complain(format!("implies `{unknown}`, which is not there"));
        }
        if self.implies.contains(&self.name) {
            return complain("implies itself".to_owned());
        }
        let traces = PLACES.iter().flat_map(|place| (place.of)(self));
        if let Some(short) = traces.clone().find(|trace| trace.len() < PATTERN_MIN) {
            return complain(format!("is found by chance: `{short}`"));
        }
        let headers = self.headers.keys().all(|name| *name == name.to_ascii_lowercase());
        if !headers {
            return complain("has a header that is not in small letters".to_owned());
        }
        Ok(())
    }

    fn headers<'a>(&'a self, head: &'a Head) -> impl Iterator<Item = (&'a str, &'a str)> {
        self.headers.iter().flat_map(move |(name, part)| {
            let part = part.to_ascii_lowercase();
            let fitting =
                head.all(name).filter(move |value| value.to_ascii_lowercase().contains(&part));
            fitting.map(|value| (name.as_str(), value))
        })
    }

    fn cookies<'a>(&'a self, head: &'a Head) -> impl Iterator<Item = &'a str> {
        let fits = |cookie: &&String| {
            self.cookies.iter().any(|wanted| match wanted.strip_suffix('*') {
                Some(start) => cookie.starts_with(start),
                None => *cookie == wanted,
            })
        };
        head.cookies.iter().filter(fits).map(String::as_str)
    }
}

impl Traces {
    fn of(place: &Place, technologies: &[Technology]) -> Result<Self, BuildError> {
        let (mut patterns, mut owners) = (Vec::new(), Vec::new());
        for (owner, technology) in technologies.iter().enumerate() {
            for pattern in (place.of)(technology) {
                patterns.push(pattern.as_bytes());
                owners.push(owner);
            }
        }
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::Standard).ascii_case_insensitive(true);
        Ok(Self { automaton: builder.build(patterns)?, owners })
    }
}

impl Shown {
    /// What is shown of a trace; `None` if it does not count there.
    fn of(self, text: &str, trace: std::ops::Range<usize>) -> Option<&str> {
        // Looked for only where a piece is short: a script of a megabyte may hold a hundred thousand traces.
        let piece = || {
            let start = text[..trace.start].rfind('\n').map_or(0, |at| at + 1);
            let end = text[trace.end..].find('\n').map_or(text.len(), |at| trace.end + at);
            (start, end)
        };
        match self {
            Self::Trace => Some(&text[trace]),
            Self::Start => {
                let (start, end) = piece();
                (trace.start == start).then(|| &text[start..end])
            }
            Self::Address => {
                let (start, end) = piece();
                let address = &text[start..end];
                let bare = address.split(['?', '#']).next().unwrap_or_default();
                // Behind `?` anybody can write anything.
                (trace.start < start + bare.len()).then_some(bare)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprints_in_the_box_can_be_used() {
        let prints = Prints::shipped().unwrap();
        assert!(prints.technologies().len() >= 60, "only {}", prints.technologies().len());
        let untraced: Vec<&str> = prints
            .technologies()
            .iter()
            .filter(|technology| {
                PLACES.iter().all(|place| (place.of)(technology).is_empty())
                    && technology.headers.is_empty()
                    && technology.cookies.is_empty()
                    && !prints.technologies().iter().any(|t| t.implies.contains(&technology.name))
            })
            .map(|technology| technology.name.as_str())
            .collect();
        assert!(untraced.is_empty(), "never found: {untraced:?}");
    }

    #[test]
    fn mistakes_in_fingerprints_are_told() {
        let read = |rest: &str| {
            let source = format!(
                "version = \"1\"\n[[technology]]\nname = \"A\"\ncategory = \"cms\"\n{rest}"
            );
            Prints::read(&source).map(|_| ()).unwrap_err().0
        };
        assert!(read("implies = [\"B\"]").contains("implies `B`"));
        assert!(read("implies = [\"A\"]").contains("itself"));
        assert!(read("tag = [\"abc\"]").contains("by chance"));
        assert!(read("headers = { Server = \"\" }").contains("small letters"));
        assert!(read("colour = 1").contains("colour"));
        assert!(read("[[technology]]\nname = \"A\"\ncategory = \"x\"").contains("one name"));
    }

    #[test]
    fn a_trace_counts_where_it_belongs() {
        let source = "version = \"1\"\n[[technology]]\nname = \"A\"\ncategory = \"x\"\nimplies = [\"B\"]\n\
            generator = [\"Made\"]\nscript = [\"cdn.a.example/\"]\ncookies = [\"a_*\", \"exact\"]\n\
            headers = { server = \"cool\" }\n\
            [[technology]]\nname = \"B\"\ncategory = \"y\"\n";
        let prints = Prints::read(source).unwrap();
        let found = |head: &Head, html: &str| {
            let found = prints.found(head, &Page::read(html));
            let evidence = found.first().map(|first| first.evidence.clone()).unwrap_or_default();
            (found.len(), evidence.iter().map(|e| format!("{}: {}", e.place, e.text)).collect())
        };
        let none = Head::default();
        let said = |place: &str| (2, vec![place.to_owned()]);
        let nothing: (usize, Vec<String>) = (0, Vec::new());
        assert_eq!(
            found(&none, "<meta name=generator content='MADE 2'>"),
            said("meta generator: MADE 2")
        );
        assert_eq!(found(&none, "<meta name=generator content='Un-made'>"), nothing);
        assert_eq!(
            found(&none, "<script src='//cdn.a.example/a.js?id=ada'></script>"),
            said("script address: //cdn.a.example/a.js")
        );
        assert_eq!(found(&none, "<script src='/a.js?from=cdn.a.example/'></script>"), nothing);
        assert_eq!(found(&none, "<a href='//cdn.a.example/'>"), nothing);
        let head = Head {
            cookies: vec!["a_b".to_owned(), "exactly".to_owned()],
            fields: vec![("server".to_owned(), "Very COOL".to_owned())],
        };
        let (count, evidence): (usize, Vec<String>) = found(&head, "");
        assert_eq!((count, evidence.len()), (2, 2), "{evidence:?}");
    }
}
