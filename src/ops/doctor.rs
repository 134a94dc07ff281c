//! `anteroom doctor`: what is missing before the bot can work, each with what to do about it.

mod model;
#[cfg(feature = "postgres")]
mod postgres;

use std::{process::ExitCode, sync::Arc, time::Duration};

use anyhow::Context as _;
use clap::Subcommand;
use serde_json::json;

use super::{
    admin_api::{self, answers::Waiting},
    app::{self, Wanted},
    bucket, control,
    shared_args::Json,
    term,
};
use crate::{
    base::{clock::SystemClock, ids::RandomIds},
    chat::doctor::{DoctorContext, Report},
    config::{Problem, Settings, render},
    flow::Library,
    gateway::{discord::doctor as discord, slack::doctor as slack},
    model::session::Platform,
    ports::llm::{
        Completion, Message, Models, Request, Silent,
        chat::{ToolChoice, ToolSpec},
        resilience::{RealPauses, ResilienceOptions},
    },
    store::unreadable::Unreadable,
};

/// Longest time for everything; each question has a limit of its own.
const LIMIT: Duration = Duration::from_mins(5);

/// `doctor`.
#[derive(Debug, Subcommand)]
pub(super) enum Doctor {
    /// Check everything that Slack needs.
    Slack {
        /// Ask Slack as well: tokens and scopes, channels (posts a test message and deletes it), people and groups. Also
        /// calls the model once, if one is configured.
        #[arg(long)]
        online: bool,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Check the configured models.
    Model {
        /// Ask each model as well: reachability, key, name, tools, streaming, several calls at once, schemas, images and
        /// PDFs. Costs a few thousand tokens.
        #[arg(long)]
        online: bool,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Check the bucket that files are kept in: write an object, read it, find it in a list and remove it.
    S3 {
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Check the database that `[postgres]` names, and its server: reachability, key, tables, and settings that can lose what
    /// was saved. Changes nothing.
    #[cfg(feature = "postgres")]
    Postgres {
        /// Output.
        #[command(flatten)]
        output: Json,
    },
    /// Check everything that Discord needs, and print the link that adds the bot to a server.
    Discord {
        /// Ask Discord as well, without changing anything: token, intents, servers, permissions in each channel, the
        /// bot's role, commands, remaining session starts. Also calls the model once, if one is configured.
        #[arg(long)]
        online: bool,
        /// Output.
        #[command(flatten)]
        output: Json,
    },
}

/// Looks at a platform.
pub(super) fn doctor(wanted: &Wanted, command: &Doctor) -> anyhow::Result<ExitCode> {
    let (about, name, online, output) = match *command {
        Doctor::Slack { online, output } => ("slack", "Slack", online, output),
        Doctor::Discord { online, output } => ("discord", "Discord", online, output),
        Doctor::Model { online, output } => return models(wanted, online, output),
        Doctor::S3 { output } => return files(wanted, output),
        #[cfg(feature = "postgres")]
        Doctor::Postgres { output } => return database(wanted, output),
    };
    // What is wrong with the configuration itself is told here, with its lines.
    let settings = wanted.configured()?;
    let mut report = Report::about(about);
    report.checked("configuration");
    let library = app::library_for(&settings, true)?;
    flows(&settings, &library, &mut report)?;
    data_dir(&settings, &mut report);
    let clock = SystemClock;
    let patient = DoctorContext { settings: &settings, library: &library, clock: &clock };
    let is_slack = matches!(command, Doctor::Slack { .. });
    if is_slack {
        slack::offline(&patient, &mut report);
    } else {
        discord::offline(&patient, &mut report);
    }
    let platform = if is_slack { Platform::Slack } else { Platform::Discord };
    app::block_on(async {
        deliveries(&settings, platform, &mut report).await;
        damage(&settings, &mut report).await;
        Ok(())
    })?;
    if online {
        let asked = app::block_on(async {
            let asking = async {
                if is_slack {
                    slack::online(&patient, &mut report).await;
                } else {
                    discord::online(&patient, &mut report).await;
                }
                model(&settings, &mut report).await;
                if settings.bucket.is_some() {
                    bucket::check(&settings, &mut report).await;
                }
            };
            tokio::time::timeout(LIMIT, asking).await.context("timed out")
        });
        asked?;
    }
    tell(name, &report, online, output)
}

/// Looks at the models alone.
fn models(wanted: &Wanted, online: bool, output: Json) -> anyhow::Result<ExitCode> {
    let settings = wanted.configured()?;
    let mut report = Report::about("model");
    report.checked("configuration");
    model::offline(&settings, &mut report);
    if online {
        app::block_on(async {
            let asking = model::online(&settings, &mut report);
            tokio::time::timeout(LIMIT, asking).await.context("timed out")
        })?;
    }
    tell("the models", &report, online, output)
}

/// Looks at the bucket alone.
fn files(wanted: &Wanted, output: Json) -> anyhow::Result<ExitCode> {
    let settings = wanted.configured()?;
    let mut report = Report::about("s3");
    report.checked("configuration");
    app::block_on(async {
        bucket::check(&settings, &mut report).await;
        Ok(())
    })?;
    tell("the bucket", &report, true, output)
}

/// Looks at the database alone.
#[cfg(feature = "postgres")]
fn database(wanted: &Wanted, output: Json) -> anyhow::Result<ExitCode> {
    let settings = wanted.configured()?;
    let mut report = Report::about("postgres");
    report.checked("configuration");
    app::block_on(async {
        postgres::look_at(&settings, &mut report).await;
        Ok(())
    })?;
    tell("PostgreSQL", &report, true, output)
}

fn tell(
    name: &str,
    report: &Report,
    online: bool,
    Json { json }: Json,
) -> anyhow::Result<ExitCode> {
    let Report { checked, problems, .. } = report;
    let fails = problems.iter().any(Problem::is_error);
    if json {
        term::json(&json!({ "ok": !fails, "checked": checked, "problems": problems }))?;
    } else {
        for what in checked {
            term::say(format!("checked: {what}"))?;
        }
        if !problems.is_empty() {
            term::tell(render(problems).trim_end());
        }
        if !fails {
            term::say(if online {
                format!("{name}: no problems found.")
            } else {
                format!("{name}: no problems found offline; run with `--online` to ask {name}.")
            })?;
        }
    }
    Ok(if fails { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Every flow can be run with this configuration: aliases, tools, how long things are kept.
fn flows(settings: &Settings, library: &Library, report: &mut Report) -> anyhow::Result<()> {
    let toolbox = app::toolbox(&app::tasks(settings)?)?;
    report.problems.extend(app::flow_problems(library, &toolbox, (settings, true)));
    for flow in library.iter() {
        let name = library.name(&flow.flow.id);
        let kept = &flow.flow.retention;
        for (what, period) in
            [("transcript", kept.transcript), ("uploads", kept.uploads), ("records", kept.records)]
        {
            if period.0.is_zero() {
                let problem = Problem::whole(
                    &name,
                    format!("`retention.{what}` is zero, so nothing is kept"),
                );
                report.problems.push(problem.hint("for example, `180d`"));
            }
        }
    }
    report.checked.push(format!("flows ({}), their aliases and retention", library.iter().count()));
    Ok(())
}

/// What the bot that runs on this configuration cannot deliver just now, and what ends that. Where none runs, nobody
/// knows: it is found out again at the next start.
async fn deliveries(settings: &Settings, platform: Platform, report: &mut Report) {
    let Ok(Some(call)) = control::call(&settings.data_dir).await else { return };
    let waiting = match call.ask(admin_api::AdminRequest::Outages, &mut std::io::sink()).await {
        Ok(value) => serde_json::from_value::<Vec<Waiting>>(value).unwrap_or_default(),
        // One of an older version.
        Err(error) => return tracing::debug!(%error, "the bot does not say what waits"),
    };
    for one in waiting.iter().filter(|one| one.platform == platform) {
        let count = match one.deliveries {
            1 => "1 delivery is waiting".to_owned(),
            n => format!("{n} deliveries are waiting"),
        };
        let since = one.since.format("%Y-%m-%d %H:%M UTC");
        let message = format!("{}; {count} since {since}", one.what);
        let problem = Problem::whole("deliveries", message).hint(one.remedy.as_str()).warning();
        report.problems.push(problem);
    }
    report.checked.push("deliveries of the running bot".to_owned());
}

/// What the bot that runs on this configuration can't read of what it keeps, as far as it knows.
async fn damage(settings: &Settings, report: &mut Report) {
    let Ok(Some(call)) = control::call(&settings.data_dir).await else { return };
    let damage = match call.ask(admin_api::AdminRequest::Damage, &mut std::io::sink()).await {
        Ok(value) => serde_json::from_value::<Vec<Unreadable>>(value).unwrap_or_default(),
        Err(error) => return tracing::debug!(%error, "the bot does not say what is damaged"),
    };
    for Unreadable { what, why } in &damage {
        let (why, hint) = why.split_once(". hint: ").unwrap_or((why, "run `anteroom scrub`"));
        let problem = Problem::whole("stored data", format!("could not read {what}: {why}"));
        report.problems.push(problem.hint(hint));
    }
    report.checked.push("stored data, as far as the running bot has read it".to_owned());
}

fn data_dir(settings: &Settings, report: &mut Report) {
    let dir = &settings.data_dir;
    let written = std::fs::create_dir_all(dir).and_then(|()| {
        // Its own name each time: a bot may run there.
        let probe = dir.join(format!(".doctor-{}", std::process::id()));
        std::fs::write(&probe, b"x")?;
        std::fs::remove_file(&probe)
    });
    if let Err(error) = written {
        let problem =
            Problem::whole("data", format!("can't write to `{}`: {error}", dir.display()));
        report.problems.push(problem.hint(
            "check its owner and permissions, or set another directory with `dir` under `[data]`",
        ));
    }
    report.checked.push(format!("data directory `{}`", dir.display()));
}

/// One call of a tool and back, as an interview makes hundreds.
async fn model(settings: &Settings, report: &mut Report) {
    let means = ResilienceOptions {
        clock: Arc::new(SystemClock),
        ids: Arc::new(RandomIds),
        pauses: Arc::new(RealPauses),
    };
    let model = match Models::open(&settings.llm, &means) {
        Ok(models) => models.interview,
        Err(error) => return wrong_model(&error.to_string(), report),
    };
    let Some(model) = model else {
        report.checked.push("no model configured; flows run from their scripts".to_owned());
        return;
    };
    let tool = ToolSpec {
        name: "report_colour".to_owned(),
        description: "Reports a colour.".to_owned(),
        parameters: json!({ "type": "object", "properties": { "colour": { "type": "string" } }, "required": ["colour"] }),
        strict: false,
    };
    let mut request = Request {
        messages: vec![Message::user("Call the tool `report_colour` with the colour green.")],
        tools: [tool].into(),
        choice: ToolChoice::Required,
        // Models that think need most of it for that.
        max_tokens: Some(2_000),
        ..Request::default()
    };
    let began = means.clock.now();
    let Completion { text, calls, opaque, .. } = match model.chat(&request, &mut Silent).await {
        Ok(completion) => completion,
        Err(error) => return wrong_model(&error.to_string(), report),
    };
    if !calls.iter().any(|call| call.name == "report_colour" && call.arguments().is_ok()) {
        return wrong_model(
            "it didn't call the tool it was told to call. hint: interviews need a model that supports tool calls",
            report,
        );
    }
    let results = calls
        .iter()
        .map(|call| Message::Tool { call: call.id.clone(), content: "{\"ok\":true}".to_owned() });
    let results: Vec<_> = results.collect();
    request.messages.push(Message::Assistant { text, calls, opaque });
    request.messages.extend(results);
    request.choice = ToolChoice::Auto;
    if let Err(error) = model.chat(&request, &mut Silent).await {
        return wrong_model(&error.to_string(), report);
    }
    let lasted = means.clock.now().signed_duration_since(began);
    report.checked.push(format!("model (one tool call, {} ms)", lasted.num_milliseconds()));
}

fn wrong_model(told: &str, report: &mut Report) {
    let (message, hint) = told.split_once(". hint: ").unwrap_or((told, "check `[llm.interview]`"));
    report.problems.push(Problem::whole("model", message).hint(hint));
}
