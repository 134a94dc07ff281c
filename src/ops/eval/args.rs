//! Arguments of `anteroom eval`.

use std::path::PathBuf;

use clap::Args;

/// `eval`.
#[derive(Debug, Args)]
pub(crate) struct Eval {
    /// The flow's id, or a flow file.
    #[arg(value_name = "FLOW")]
    pub(super) flow: String,
    /// Directory with personas [default: the built-in ones].
    #[arg(long, value_name = "DIR")]
    pub(super) personas: Option<PathBuf>,
    /// Interview only this persona; may be repeated.
    #[arg(long, value_name = "ID")]
    pub(super) persona: Vec<String>,
    /// What leads the interviews: a service of the configuration (`interview`, or a name under `[llm.spare]`), the name of
    /// a model to use in place of that of `[llm.interview]`, or `script` for none [default: interview].
    #[arg(long, value_name = "MODEL")]
    pub(super) model: Option<String>,
    /// Ask a service of the configuration, or a model of the service of `[llm.interview]`, for its opinion of each
    /// interview. It decides nothing.
    #[arg(long, value_name = "MODEL")]
    pub(super) judge: Option<String>,
    /// Interviews of each persona.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(super) runs: u32,
    /// Interviews at one time.
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=32))]
    pub(super) parallel: u32,
    /// Set the threshold of a score, such as `words=80` or `valid=95%`; may be repeated.
    #[arg(long, value_name = "SCORE=VALUE")]
    pub(super) limit: Vec<String>,
    /// Compare with an earlier evaluation, written with `--json`.
    #[arg(long, value_name = "FILE")]
    pub(super) baseline: Option<PathBuf>,
    /// Also write the scores for CI.
    #[arg(
        long,
        value_name = "FILE",
        help = "Also write the scores as JUnit XML to this file, replacing it"
    )]
    pub(super) junit: Option<PathBuf>,
    /// Write a transcript of each interview to this directory.
    #[arg(long, value_name = "DIR")]
    pub(super) transcripts: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}
