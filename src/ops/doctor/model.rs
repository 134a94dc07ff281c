//! `anteroom doctor model`: whether each configured model can do what an interview needs, with words for each failure.

use std::{sync::Arc, time::Duration};

use serde_json::{Value, json};

use crate::{
    base::{clock::SystemClock, ids::RandomIds},
    chat::doctor::Report,
    config::{
        Settings,
        llm::{Endpoint, Purpose},
        preset::{self, Profile},
    },
    ports::llm::{
        Completion, Embedder as _, Error, Message, Model as _, Request, Silent, Sink,
        chat::{Blob, Finish, Form, Part, ToolCall, ToolChoice, ToolSpec},
        openai::Client,
    },
};

/// Longest answer to a question of the doctor's; models that think need most of it for that.
const TOKENS: u32 = 4_000;

/// Longest time for one question.
const LIMIT: Duration = Duration::from_mins(2);

/// An image of four black points.
const IMAGE: &[u8] = include_bytes!("model.png");

/// A page that says "green".
const PDF: &str = "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
    3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 100]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>endobj\n\
    4 0 obj<</Length 38>>stream\nBT /F 24 Tf 20 40 Td (green) Tj ET    \nendstream endobj\n\
    5 0 obj<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n";

/// What is known without asking anybody.
pub(super) fn offline(settings: &Settings, report: &mut Report) {
    if settings.llm.0.is_empty() {
        report.checked("no model is configured; flows run from their scripts");
    }
    for (name, endpoint) in &settings.llm.0 {
        let service = &endpoint.service;
        let profile = Profile::of(service);
        report.checked(format!(
            "{name}: `{}` at {}, preset `{}`, answers of up to {} tokens and {} for thinking",
            service.model,
            service.base_url,
            preset::of(service).name,
            profile.max_tokens,
            profile.headroom
        ));
        if endpoint.price.is_none() {
            report.checked(format!(
                "{name}: no price under `[llm.price.\"{}\"]`; budgets in money work only if the provider tells what requests cost",
                service.model
            ));
        }
    }
}

/// Asks every model.
pub(super) async fn online(settings: &Settings, report: &mut Report) {
    for (name, endpoint) in &settings.llm.0 {
        match Client::new(name, endpoint, Arc::new(SystemClock), Arc::new(RandomIds)) {
            Ok(client) if name == Purpose::Embed.word() => embeds(name, &client, report).await,
            Ok(client) => {
                let window = settings.limits.window_tokens;
                Examined { name, endpoint, client, window, report: &mut *report }.talks().await;
            }
            Err(error) => failed(name, "can't be used", &error, report),
        }
    }
}

async fn embeds(name: &str, client: &Client, report: &mut Report) {
    match client.embed(&["green".to_owned(), "red".to_owned()]).await {
        Ok(embedded) => {
            let length = embedded.vectors.first().map_or(0, Vec::len);
            report.checked(format!("{name}: vectors of {length} numbers"));
        }
        Err(error) => failed(name, "gives no vectors", &error, report),
    }
}

fn failed(name: &str, what: &str, error: &Error, report: &mut Report) {
    let told = error.to_string();
    let (message, hint) = told.split_once(". hint: ").unwrap_or((&told, "see docs/models.md"));
    report.wrong(format!("{name} {what}: {message}"), hint);
}

/// A model that is asked.
struct Examined<'a> {
    name: &'a str,
    endpoint: &'a Endpoint,
    client: Client,
    /// Tokens from which on conversations are shortened.
    window: u64,
    report: &'a mut Report,
}

impl Examined<'_> {
    async fn talks(mut self) {
        let Some(first) = self.calls().await else { return };
        self.goes_on(first).await;
        self.calls_twice().await;
        self.follows_a_schema().await;
        self.sees().await;
        self.reads().await;
        self.measures().await;
    }

    async fn ask(&self, request: &Request, sink: &mut dyn Sink) -> Result<Completion, Error> {
        let asked = tokio::time::timeout(LIMIT, self.client.chat(request, sink)).await;
        asked.unwrap_or(Err(Error::Timeout(crate::ports::llm::error::Stage::Whole)))
    }

    fn can(&mut self, what: &str) {
        let line = format!("{}: {what}", self.name);
        self.report.checked(line);
    }

    /// Reachability, key, name and tools, since no interview goes without them.
    async fn calls(&mut self) -> Option<Completion> {
        let answer = match self.ask(&colours("green", ToolChoice::Required), &mut Silent).await {
            Ok(answer) => answer,
            Err(error) => {
                failed(self.name, what_failed(&error), &error, self.report);
                return None;
            }
        };
        if !reported(&answer).contains(&"green".to_owned()) {
            let (what, hint) = match answer.finish {
                Finish::Length => (
                    "used up its answer before it called a tool",
                    "raise `max_tokens`, or lower `reasoning_effort`",
                ),
                _ => (
                    "didn't call the tool it was told to call",
                    "interviews need a model that supports tool calls; local servers need a switch for them (`--enable-auto-tool-choice` with vLLM, `--jinja` with llama.cpp)",
                ),
            };
            self.report.wrong(format!("{} {what}", self.name), hint);
            return None;
        }
        self.can("reached, key and model name taken, calls tools");
        self.counts(&answer);
        Some(answer)
    }

    /// Whether it tells what it costs.
    fn counts(&mut self, answer: &Completion) {
        let usage = answer.usage;
        if usage.input + usage.output == 0 {
            self.report.odd(
                format!("{} doesn't say how many tokens it used", self.name),
                "budgets in tokens and money can't work with it; set `usage_in_stream = true` under `dialect` if the service knows it",
            );
        } else if usage.cost_micros.is_none() {
            self.report.odd(
                format!("{} doesn't say what it costs", self.name),
                format!(
                    "add `[llm.price.\"{}\"]` for budgets in money",
                    self.endpoint.service.model
                ),
            );
        } else {
            self.can("tokens and money are counted");
        }
    }

    /// The result of a call, what is said beside it, and a stream of words.
    async fn goes_on(&mut self, first: Completion) {
        let mut request = colours("green", ToolChoice::Auto);
        let Completion { text, calls, opaque, .. } = first;
        let results: Vec<Message> = calls
            .iter()
            .map(|call| Message::Tool {
                call: call.id.clone(),
                content: "{\"ok\":true}".to_owned(),
            })
            .collect();
        request.messages.push(Message::Assistant { text, calls, opaque });
        request.messages.extend(results);
        request.messages.push(Message::user(
            "Thank you. Now write three short sentences about colours, without any tool.",
        ));
        let mut pieces = Pieces::default();
        match self.ask(&request, &mut pieces).await {
            Ok(_) if pieces.0 > 1 => self.can("takes results and words beside them, streams"),
            Ok(answer) if !answer.text.is_empty() => {
                self.can("takes results and words beside them, answers in one piece");
            }
            Ok(_) => self.report.odd(
                format!("{} said nothing after a call", self.name),
                "raise `max_tokens` if it thinks for long",
            ),
            Err(error) => {
                failed(self.name, "doesn't take the result of its call", &error, self.report);
            }
        }
    }

    async fn calls_twice(&mut self) {
        match self
            .ask(&colours("green, and once more with red", ToolChoice::Auto), &mut Silent)
            .await
        {
            Ok(answer) if reported(&answer).len() > 1 => self.can("makes several calls at once"),
            Ok(_) => self.can("makes one call at a time; interviews take longer, nothing is lost"),
            Err(error) => failed(self.name, "doesn't make two calls", &error, self.report),
        }
    }

    async fn follows_a_schema(&mut self) {
        let schema = json!({ "type": "object", "properties": { "colour": { "type": "string" } },
            "required": ["colour"], "additionalProperties": false });
        let mut request =
            said("Which colour is grass? Answer with the JSON object that you are told of.");
        request.form = Form::Json { name: "colour".to_owned(), schema };
        match self.ask(&request, &mut Silent).await {
            Ok(answer) => match serde_json::from_str::<Value>(answer.text.trim()) {
                Ok(value) if value["colour"].is_string() => self.can("follows a schema"),
                _ => self.report.odd(
                    format!("{} didn't follow a schema", self.name),
                    "documents are read less reliably; try `json = \"object\"` or `json = \"words\"` under `dialect`",
                ),
            },
            Err(error) => failed(self.name, "doesn't take a schema", &error, self.report),
        }
    }

    async fn sees(&mut self) {
        let image =
            Part::Image { media_type: "image/png".to_owned(), bytes: Blob(Arc::from(IMAGE)) };
        let needed = self.name == Purpose::Vision.word();
        self.takes(
            ("images", needed),
            vec![Part::Text("Describe this image in one word.".to_owned()), image],
        )
        .await;
    }

    async fn reads(&mut self) {
        let file = Part::File {
            name: "colour.pdf".to_owned(),
            media_type: "application/pdf".to_owned(),
            bytes: Blob(Arc::from(PDF.as_bytes())),
        };
        self.takes(
            ("PDFs", false),
            vec![Part::Text("Which word stands in this document?".to_owned()), file],
        )
        .await;
    }

    /// How much it reads and writes, as far as its service lists that, beside what is configured.
    async fn measures(&mut self) {
        let Ok(limits) = self.client.limits().await else { return };
        let told = [(limits.context, "reads"), (limits.output, "writes")];
        let told: Vec<String> = told
            .into_iter()
            .filter_map(|(tokens, does)| Some(format!("{does} up to {} tokens", tokens?)))
            .collect();
        if told.is_empty() {
            return self.can("its service doesn't list how much it reads and writes");
        }
        self.can(&told.join(" and "));
        let answer = u64::from(Profile::of(&self.endpoint.service).max_tokens);
        let is_interview = self.name == Purpose::Interview.word();
        let needed = self.window.saturating_add(answer);
        if let Some(context) = limits.context.filter(|context| is_interview && *context < needed) {
            self.report.odd(
                format!("{} reads fewer tokens than a conversation may have", self.name),
                format!(
                    "set `window_tokens` under `[limits]` to {} or less; conversations are shortened from {} on",
                    context.saturating_sub(answer),
                    self.window
                ),
            );
        }
        if limits.output.is_some_and(|output| output < answer) {
            self.report.odd(
                format!("{} writes fewer tokens than it may be asked for", self.name),
                "lower `max_tokens`, or leave it: the first refusal teaches the limit",
            );
        }
    }

    async fn takes(&mut self, (what, needed): (&str, bool), parts: Vec<Part>) {
        let request = Request {
            messages: vec![Message::User(parts)],
            max_tokens: Some(TOKENS),
            ..Request::default()
        };
        match self.ask(&request, &mut Silent).await {
            Ok(_) => self.can(&format!("takes {what}")),
            Err(error) if needed => {
                failed(self.name, &format!("takes no {what}"), &error, self.report);
            }
            Err(_) => self.can(&format!("takes no {what}; they are read without it")),
        }
    }
}

/// Counts pieces of words.
#[derive(Debug, Default)]
struct Pieces(u32);

impl Sink for Pieces {
    fn words(&mut self, _words: &str) {
        self.0 += 1;
    }

    fn restart(&mut self) -> bool {
        self.0 = 0;
        true
    }
}

/// What a failure of the first question is about.
fn what_failed(error: &Error) -> &'static str {
    match (error, error.told().and_then(|told| told.status)) {
        (_, Some(401 | 403)) => "doesn't take the key",
        (_, Some(404)) => "doesn't know the model, or isn't at this address",
        (Error::Timeout(_), _) | (Error::Transient { .. }, None) => "can't be reached",
        (Error::Exhausted(_), _) => "has no money left",
        (Error::RateLimited { .. }, _) => "asks for fewer requests",
        _ => "doesn't take a request with a tool",
    }
}

fn said(text: &str) -> Request {
    Request { messages: vec![Message::user(text)], max_tokens: Some(TOKENS), ..Request::default() }
}

fn colours(which: &str, choice: ToolChoice) -> Request {
    let tool = ToolSpec {
        name: "report_colour".to_owned(),
        description: "Reports a colour.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"] }),
        strict: false,
    };
    let text = format!("Call the tool `report_colour` with the colour {which}.");
    Request { tools: [tool].into(), choice, ..said(&text) }
}

/// The colours that were reported.
fn reported(answer: &Completion) -> Vec<String> {
    let colour = |call: &ToolCall| {
        let arguments = call.arguments().ok().filter(|_| call.name == "report_colour")?;
        arguments.get("colour")?.as_str().map(str::to_lowercase)
    };
    answer.calls.iter().filter_map(colour).collect()
}
