//! Mermaid becomes a picture. Call [`draw`] in a child process only: who writes the source may want it to take for ever.

use std::{sync::Arc, time::Duration};

use merman::{
    Engine, MermaidConfig, OperationControl, ParseOptions, RenderError, RenderOutput,
    RenderRequest, Renderer, SvgRequest,
    svg::{
        DeterministicTextMeasurer, MeasurementProfileId, SvgEnvironment, SvgPipeline,
        TextMeasurementPolicy, TextMeasurementProfile, TextMeasurementProfileIdentity, TextStyle,
    },
};
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    fonts::{Face, Fonts, SANS},
    raster,
};

/// What kind of picture a source describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DiagramKind {
    /// Boxes and arrows.
    Flowchart,
    /// Who says what to whom, in order.
    Sequence,
    /// What takes how long, after what.
    Gantt,
    /// Thoughts around a thought.
    Mindmap,
}

impl DiagramKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Flowchart, Self::Sequence, Self::Gantt, Self::Mindmap];

    /// What it is called in arguments: `flowchart`, `sequence`, `gantt`, `mindmap`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Flowchart => "flowchart",
            Self::Sequence => "sequence",
            Self::Gantt => "gantt",
            Self::Mindmap => "mindmap",
        }
    }

    /// The word that a source of it begins with.
    pub const fn keyword(self) -> &'static str {
        match self {
            Self::Sequence => "sequenceDiagram",
            Self::Flowchart | Self::Gantt | Self::Mindmap => self.name(),
        }
    }

    /// The kind of a source, by its first word.
    pub fn of(source: &str) -> Option<Self> {
        let mut lines = source.lines().map(str::trim);
        let first = lines.find(|line| !line.is_empty() && !line.starts_with("%%"))?;
        let end = first.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(first.len());
        match &first[..end] {
            "graph" => Some(Self::Flowchart),
            word => Self::ALL.into_iter().find(|kind| kind.keyword() == word),
        }
    }
}

/// Why a diagram was not drawn.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(tag = "error", content = "told", rename_all = "snake_case")]
pub enum DiagramError {
    /// The source is wrong: correct it.
    #[error("{}{message}", .line.map(|line| format!("line {line}: ")).unwrap_or_default())]
    Syntax {
        /// What is wrong, in words for whoever wrote it.
        message: String,
        /// Where, counted from one; `None` if that is not known.
        line: Option<usize>,
    },
    /// The source asks for what is not drawn here: simplify it.
    #[error("{0}")]
    Refused(String),
    /// It was not done in time: simplify it.
    #[error("the diagram takes too long to draw. hint: fewer nodes and arrows")]
    TookTooLong,
    /// A fault of ours; the reason is for the log.
    #[error("the diagram could not be drawn")]
    Failed(String),
}

impl DiagramError {
    pub(super) fn broken(why: &str) -> Self {
        Self::Failed(why.to_owned())
    }
}

/// Longest source, in bytes.
pub const SOURCE_MAX: usize = 8 * 1024;

/// Most lines with something on them, most arrows (one with words on it counts twice), and most `&` that multiply these.
const LINES_MAX: usize = 200;
const EDGES_MAX: usize = 150;
const JOINS_MAX: usize = 20;

/// Refuses what is not drawn, without a look at whether it is right.
pub(super) fn check(source: &str) -> Result<DiagramKind, DiagramError> {
    let refuse = |why: String| Err(DiagramError::Refused(why));
    if source.len() > SOURCE_MAX {
        return refuse(format!("the source is longer than {} KiB", SOURCE_MAX / 1024));
    }
    // What comes before a diagram sets up how it is drawn, down to addresses that it loads.
    if source.contains("%%{") || source.trim_start().starts_with("---") {
        return refuse("directives and front matter are not allowed".to_owned());
    }
    let Some(kind) = DiagramKind::of(source) else {
        return refuse(
            "the first line must be `flowchart TD`, `sequenceDiagram`, `gantt` or `mindmap`"
                .to_owned(),
        );
    };
    let lines = source.lines().flat_map(|line| line.split(';'));
    if lines.filter(|line| !line.trim().is_empty()).count() > LINES_MAX {
        return refuse(format!("there are more than {LINES_MAX} lines"));
    }
    let edges: usize =
        ["--", "==", "-.", "~~", ">>"].iter().map(|a| source.matches(a).count()).sum();
    if kind != DiagramKind::Gantt && edges > EDGES_MAX {
        return refuse(format!("there are more than {EDGES_MAX} arrows"));
    }
    if kind == DiagramKind::Flowchart && source.matches(" & ").count() > JOINS_MAX {
        return refuse(format!("there are more than {JOINS_MAX} `&`"));
    }
    Ok(kind)
}

/// Time for the layout, checked by the library now and then; the child's own limits are behind it.
const PATIENCE: Duration = Duration::from_secs(7);

/// Draws a source. May take long, or for ever.
pub(super) fn draw(source: &str) -> Result<Vec<u8>, DiagramError> {
    check(source)?;
    let svg = svg(source)?;
    raster::png(&svg).map_err(|error| DiagramError::Failed(error.to_string()))
}

fn svg(source: &str) -> Result<String, DiagramError> {
    let engine = Engine::new().with_site_config(MermaidConfig::from_value(look()));
    let renderer = Renderer::new().with_engine(engine).with_parse_options(ParseOptions::strict());
    let request = SvgRequest {
        environment: SvgEnvironment::default().with_text_measurement_policy(measured()?),
        pipeline: Some(SvgPipeline::resvg_safe()),
        ..SvgRequest::default()
    };
    let control = OperationControl::new().with_deadline(PATIENCE);
    match renderer.render(RenderRequest::svg(source, control, request)) {
        Ok(RenderOutput::Svg(Some(svg))) => Ok(thin_lines(svg.svg())),
        Ok(_) => Err(DiagramError::Refused("there is no diagram in it".to_owned())),
        Err(error) => Err(told(source, error)),
    }
}

/// Light boxes with dark letters; words in the pictures are text, never HTML.
fn look() -> serde_json::Value {
    json!({
        "theme": "base",
        "look": "classic",
        "htmlLabels": false,
        "fontFamily": SANS,
        "securityLevel": "strict",
        "maxEdges": EDGES_MAX,
        "maxTextSize": SOURCE_MAX,
        // Days stand beside one another without touching.
        "gantt": { "useWidth": 1200, "fontSize": 13, "sectionFontSize": 13, "barHeight": 26, "leftPadding": 140 },
        "themeVariables": {
            "fontFamily": SANS,
            "primaryColor": "#e3eefb",
            "primaryBorderColor": "#0072b2",
            "primaryTextColor": "#1d1c1d",
            "lineColor": "#4a4a50",
            "useGradient": false,
        },
    })
}

/// Words are as wide as in the font that they are drawn in.
fn measured() -> Result<TextMeasurementPolicy, DiagramError> {
    let failed = |error: &dyn std::fmt::Display| DiagramError::Failed(error.to_string());
    let fonts = Fonts::get().map_err(|error| failed(&error))?;
    let width = move |text: &str, style: &TextStyle| {
        f64::from(fonts.width(text, face(style))) * style.font_size
    };
    let measurer = DeterministicTextMeasurer::default().with_width_callback(width);
    let id = MeasurementProfileId::new("built-in").map_err(|error| failed(&error))?;
    let identity = TextMeasurementProfileIdentity::new(id, "1").map_err(|error| failed(&error))?;
    Ok(TextMeasurementPolicy::uniform(TextMeasurementProfile::new(identity, Arc::clone(&measurer))))
}

fn face(style: &TextStyle) -> Face {
    let weight = style.font_weight.as_deref().unwrap_or_default();
    let is_bold =
        weight.starts_with("bold") || weight.parse::<u16>().is_ok_and(|weight| weight >= 600);
    if is_bold { Face::Bold } else { Face::Regular }
}

/// Lines of a mind map get thinner with each step and after some have less than no width, which a browser passes
/// over and others do not draw.
fn thin_lines(svg: &str) -> String {
    let mut parts = svg.split("stroke-width:-");
    let mut thin = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        thin.push_str("stroke-width:1.5");
        thin.push_str(part.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.'));
    }
    thin
}

fn told(source: &str, error: RenderError) -> DiagramError {
    match error {
        RenderError::Parse(diagnostic) => {
            let line = diagnostic.terminal_diagnostic_details().span.map(|span| {
                let before = source.get(..span.start).unwrap_or(source);
                before.matches('\n').count() + 1
            });
            DiagramError::Syntax { message: diagnostic.terminal_safe_message(), line }
        }
        RenderError::NoDiagram => DiagramError::Refused("there is no diagram in it".to_owned()),
        RenderError::Cancelled(_) => DiagramError::TookTooLong,
        RenderError::ResourceLimitExceeded(_) => {
            DiagramError::Refused("the diagram is too large. hint: fewer nodes".to_owned())
        }
        error => DiagramError::Failed(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_less_than_no_width_are_thin() {
        let svg = "a{stroke-width:2}b{stroke-width:-1;}c{stroke-width:-10.5}d";
        let thin = "a{stroke-width:2}b{stroke-width:1.5;}c{stroke-width:1.5}d";
        assert_eq!(thin_lines(svg), thin);
    }

    #[test]
    fn a_kind_is_known_by_its_first_word() {
        for (source, kind) in [
            ("graph LR\n a --> b", Some(DiagramKind::Flowchart)),
            ("\n  %% a remark\n flowchart TD", Some(DiagramKind::Flowchart)),
            ("sequenceDiagram", Some(DiagramKind::Sequence)),
            ("gantt;", Some(DiagramKind::Gantt)),
            ("mindmap\n  root", Some(DiagramKind::Mindmap)),
            ("mindmaps", None),
            ("pie", None),
            ("```mermaid", None),
            ("", None),
        ] {
            assert_eq!(DiagramKind::of(source), kind, "{source}");
        }
    }
}
