//! Pictures of figures, handed over beside them. A picture that cannot be drawn leaves the figures as they are.

use crate::{
    model::effect::Handout,
    ports::{artifacts::check::Kind, documents::Chart},
    tool::{Handed, Outcome, ToolCx},
};
use serde_json::Value;

/// The figures with their picture, if there is one.
pub(super) async fn with_chart(
    cx: &ToolCx<'_>,
    value: Value,
    (filename, caption): (&str, &str),
    chart: Chart,
) -> Outcome {
    let drawn = match cx.services.printer.chart(chart).await {
        Ok(drawn) => cx.make(filename, Kind::Png, drawn).await.map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match drawn {
        Ok(file) => {
            let handed = Handed { what: Handout::File { file }, text: caption.to_owned() };
            Outcome::Made { value, handed: vec![handed] }
        }
        Err(error) => {
            tracing::warn!(error, "figures are handed over without a picture");
            Outcome::Immediate(value)
        }
    }
}
