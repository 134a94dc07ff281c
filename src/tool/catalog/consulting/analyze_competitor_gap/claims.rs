//! The statements of a model about sources: what it is sent, what it must answer, and the check of every statement.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::super::search_web::Source;
use crate::{
    ports::{
        llm::{
            Model, Silent,
            chat::{Completion, Finish, Form, Message, Request},
            json::extract_object,
            untrusted::{DOCUMENT, INPUT, fenced},
        },
        search::text::plain,
    },
    session::grounding::Sources,
    tool::{Meter, pipeline::validate::Checker},
};

const INSTRUCTIONS: &str = include_str!("../../../../../manifests/prompts/competitors.md");

/// Most complaints that are told; mending the first ones mends the rest.
const COMPLAINTS_MAX: usize = 8;

/// Longest wrong answer that is shown to the model once more, in characters.
const SHOWN_MAX: usize = 20_000;

/// Longest statement, in characters.
const CLAIM_MAX: usize = 400;

/// Longest estimate, in months.
const MONTHS_MAX: u32 = 120;

/// What a model is asked about.
#[derive(Debug)]
pub(super) struct Task<'a> {
    pub(super) industry: &'a str,
    /// What the person said of their own organisation.
    pub(super) state: &'a str,
    pub(super) sources: &'a [Source],
}

/// What a model said, as far as it stands.
#[derive(Debug, Clone, Default, Deserialize)]
pub(super) struct Claims {
    competitors: Vec<Claim>,
    signals: Vec<Claim>,
    comparison: Vec<Claim>,
    estimate: Option<Estimate>,
    unknown: Vec<String>,
    /// How many statements were left out.
    #[serde(skip)]
    left_out: usize,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Claim {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    who: Option<String>,
    #[serde(rename = "claim")]
    text: String,
    sources: Vec<usize>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
struct Estimate {
    months_low: u32,
    months_high: u32,
    basis: String,
    sources: Vec<usize>,
}

impl Claims {
    /// What is to be said about them.
    pub(super) fn note(&self) -> Option<&'static str> {
        (self.left_out > 0)
            .then_some("Statements that their sources did not support were left out.")
    }

    /// Adds them to a result.
    pub(super) fn tell(self, value: &mut Value) {
        let Self { competitors, signals, comparison, estimate, unknown, .. } = self;
        value["competitors"] = json!(competitors);
        value["signals"] = json!(signals);
        value["comparison"] = json!(comparison);
        if let Some(estimate) = estimate {
            value["estimate"] = json!(estimate);
        }
        value["unknown"] = json!(unknown);
    }

    fn lists(&mut self) -> [(&'static str, &mut Vec<Claim>); 3] {
        [
            ("competitors", &mut self.competitors),
            ("signals", &mut self.signals),
            ("comparison", &mut self.comparison),
        ]
    }
}

impl Task<'_> {
    /// Asks, and once more where something does not stand. The error is a word for the log.
    pub(super) async fn ask(
        &self,
        model: &dyn Model,
        meter: &Meter,
    ) -> Result<Claims, &'static str> {
        let mut messages =
            vec![Message::System(INSTRUCTIONS.trim_end().to_owned()), Message::user(self.told())];
        let first = self.round(model, meter, &messages).await?;
        let (complaints, shown) = match self.read(&first)? {
            Ok((claims, complaints)) if complaints.is_empty() => return Ok(claims),
            Ok((_, complaints)) => (complaints.join("\n"), first.text),
            Err(complaint) => (complaint, first.text),
        };
        let shown: String = shown.chars().take(SHOWN_MAX).collect();
        messages.push(Message::assistant(shown, Vec::new()));
        let note = format!("{complaints} Send the whole JSON object once more, and nothing else.");
        messages.push(Message::user(fenced("note", &note)));
        match self.read(&self.round(model, meter, &messages).await?)? {
            // What stands is told, what does not is left out by now.
            Ok((claims, _)) => Ok(claims),
            Err(_) => Err("wrong twice"),
        }
    }

    async fn round(
        &self,
        model: &dyn Model,
        meter: &Meter,
        messages: &[Message],
    ) -> Result<Completion, &'static str> {
        let form = Form::Json { name: "comparison".to_owned(), schema: schema() };
        // What sources say is no matter of taste.
        let temperature = Some(0.0);
        let request =
            Request { messages: messages.to_vec(), form, temperature, ..Request::default() };
        let answer = model.chat(&request, &mut Silent).await.map_err(|error| error.word())?;
        meter.add(answer.usage);
        Ok(answer)
    }

    fn told(&self) -> String {
        let mut told = format!(
            "Industry: {}\nThe person's own organisation: {}\n",
            fenced(INPUT, self.industry),
            fenced("participant", self.state)
        );
        for source in self.sources {
            let Source { number, title, url, snippet, published } = source;
            let date = published.as_deref().unwrap_or("unknown");
            let text = format!("{title}\n{url}\ndate: {date}\n{snippet}");
            told.extend(["Source ", &number.to_string(), ": ", &fenced(DOCUMENT, &text), "\n"]);
        }
        told
    }

    /// What an answer is good for: the statements that stand, with complaints about the others; or a complaint about all
    /// of it. The error is final.
    fn read(
        &self,
        answer: &Completion,
    ) -> Result<Result<(Claims, Vec<String>), String>, &'static str> {
        if answer.refusal.is_some() || answer.finish == Finish::Filtered {
            return Err("refused");
        }
        if answer.text.trim().is_empty() {
            return Err("empty_answer");
        }
        if answer.finish == Finish::Length {
            return Ok(Err("Your answer was cut off: it was too long. Be brief.".to_owned()));
        }
        let Ok(value) = extract_object(&answer.text) else {
            return Ok(Err("Your answer was no JSON object.".to_owned()));
        };
        let checker = Checker::compile(schema()).map_err(|_| "schema")?;
        let complaints = checker.check(&value);
        if !complaints.is_empty() {
            let told = complaints.iter().take(COMPLAINTS_MAX).map(|complaint| {
                let path = if complaint.path.is_empty() { "/" } else { &complaint.path };
                format!("`{path}`: expected {}.", complaint.expected)
            });
            return Ok(Err(told.collect::<Vec<_>>().join("\n")));
        }
        let Ok(mut claims) = serde_json::from_value::<Claims>(value) else {
            return Ok(Err("Your answer was of another form.".to_owned()));
        };
        let complaints = self.settle(&mut claims);
        Ok(Ok((claims, complaints)))
    }

    /// Leaves out what does not stand, and says why.
    fn settle(&self, claims: &mut Claims) -> Vec<String> {
        let mut complaints = Vec::new();
        for (name, list) in claims.lists() {
            let mut at = 0;
            list.retain_mut(|claim| {
                claim.sources.sort_unstable();
                claim.sources.dedup();
                claim.text = plain(&claim.text, CLAIM_MAX);
                claim.who = claim.who.as_ref().map(|who| plain(who, CLAIM_MAX));
                let why = self.against(&claim.text, claim.who.as_deref(), &claim.sources);
                if let Some(why) = &why {
                    complaints.push(format!("`/{name}/{at}`: {why}."));
                }
                at += 1;
                why.is_none()
            });
        }
        if let Some(estimate) = &mut claims.estimate {
            estimate.basis = plain(&estimate.basis, CLAIM_MAX);
            if let Some(why) = self.against_estimate(estimate) {
                complaints.push(format!("`/estimate`: {why}. Give null."));
                claims.estimate = None;
            }
        }
        let all: Vec<usize> = self.sources.iter().map(|source| source.number).collect();
        let known = self.known(&all);
        let mut at = 0;
        claims.unknown.retain_mut(|text| {
            *text = plain(text, CLAIM_MAX);
            let why = stray(&known, text);
            if let Some(what) = &why {
                complaints.push(format!("`/unknown/{at}`: `{what}` stands in no source."));
            }
            at += 1;
            why.is_none()
        });
        claims.left_out = complaints.len();
        complaints.truncate(COMPLAINTS_MAX);
        complaints
    }

    /// What speaks against a statement.
    fn against(&self, claim: &str, who: Option<&str>, sources: &[usize]) -> Option<String> {
        if let Some(why) = self.against_citations(sources) {
            return Some(why);
        }
        if let Some(who) = who
            && !who.is_empty()
            && !self.cited(sources).to_lowercase().contains(&who.to_lowercase())
        {
            return Some(format!("no cited source names `{who}`"));
        }
        let what = stray(&self.known(sources), claim);
        what.map(|what| format!("`{what}` stands in no cited source"))
    }

    fn against_estimate(&self, estimate: &Estimate) -> Option<String> {
        let Estimate { months_low, months_high, basis, sources } = estimate;
        if let Some(why) = self.against_citations(sources) {
            return Some(why);
        }
        if months_low > months_high || *months_high > MONTHS_MAX || *months_high == 0 {
            return Some("this is no span of months".to_owned());
        }
        if !self.sources.iter().any(|s| sources.contains(&s.number) && has_date(s)) {
            return Some("no cited source has a date that it could rest on".to_owned());
        }
        let mut known = self.known(sources);
        known.add_value(&json!([months_low, months_high]));
        let what = stray(&known, basis);
        what.map(|what| format!("`{what}` stands in no cited source"))
    }

    fn against_citations(&self, sources: &[usize]) -> Option<String> {
        if sources.is_empty() {
            return Some("it cites no source".to_owned());
        }
        let unknown = sources.iter().find(|at| !self.sources.iter().any(|s| s.number == **at));
        unknown.map(|at| format!("there is no source {at}"))
    }

    /// What figures and quotations may rest on: the cited sources, and what the person said.
    fn known(&self, sources: &[usize]) -> Sources {
        let mut known = Sources::default();
        known.add_text(self.state);
        known.add_text(self.industry);
        for source in self.sources.iter().filter(|source| sources.contains(&source.number)) {
            let Source { title, url, snippet, published, .. } = source;
            for text in [title, url, snippet].into_iter().chain(published) {
                known.add_text(text);
            }
        }
        known
    }

    /// What the cited sources say.
    fn cited(&self, sources: &[usize]) -> String {
        let cited = self.sources.iter().filter(|source| sources.contains(&source.number));
        let cited =
            cited.map(|source| format!("{} {} {}", source.title, source.snippet, source.url));
        cited.collect::<Vec<_>>().join(" ")
    }
}

/// The first figure or quotation that rests on nothing.
fn stray(known: &Sources, text: &str) -> Option<String> {
    known.doubts_in_plain(text).into_iter().next().map(|doubt| doubt.what)
}

/// Whether a source says when.
fn has_date(source: &Source) -> bool {
    let is_year = |digits: &str| {
        digits.len() == 4 && digits.parse().is_ok_and(|year: u32| (1990..2100).contains(&year))
    };
    let has_year = |text: &str| text.split(|c: char| !c.is_ascii_digit()).any(is_year);
    source.published.is_some() || has_year(&source.title) || has_year(&source.snippet)
}

/// JSON Schema of the answer.
fn schema() -> Value {
    let text = json!({ "type": "string", "minLength": 1 });
    let sources = json!({ "type": "array", "items": { "type": "integer" } });
    let claims = |extra: bool| {
        let mut item = json!({
            "type": "object",
            "properties": { "claim": text, "sources": sources },
            "required": ["claim", "sources"],
            "additionalProperties": false
        });
        if extra {
            item["properties"]["who"] = text.clone();
            item["required"] = json!(["claim", "sources", "who"]);
        }
        json!({ "type": "array", "items": item, "maxItems": 12 })
    };
    let months = json!({ "type": "integer", "minimum": 0 });
    json!({
        "type": "object",
        "properties": {
            "competitors": claims(true),
            "signals": claims(false),
            "comparison": claims(false),
            "estimate": {
                "type": ["object", "null"],
                "properties": {
                    "months_low": months, "months_high": months, "basis": text, "sources": sources
                },
                "required": ["months_low", "months_high", "basis", "sources"],
                "additionalProperties": false
            },
            "unknown": { "type": "array", "items": text, "maxItems": 8 }
        },
        "required": ["competitors", "signals", "comparison", "estimate", "unknown"],
        "additionalProperties": false
    })
}
