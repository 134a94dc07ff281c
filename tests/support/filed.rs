//! A flow that asks for a résumé and a name, and ends with a summary for the team.

use serde_json::Value;

/// The flow with `start`, a draft that is put up for review, and the channel of the summary.
pub(crate) fn flow(start: &str, draft: &Value, channel: &str) -> String {
    let data: Vec<String> = draft
        .as_object()
        .unwrap()
        .iter()
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    FLOW.replace("START", start).replace("DRAFT", &data.join(", ")).replace("CHANNEL", channel)
}

const FLOW: &str = r#"
format = 1
id = "filed"
version = "1.0.0"
title = "A file and a name"
START
[data.pet]
schema_inline = '{"type":"object","title":"Your name","required":["name"],"properties":{"name":{"type":"string","title":"Name"},"story":{"type":"string","title":"Story"}}}'
review = true

[[phase]]
id = "one"
title = "One"
mode = "script"
uploads = { accept = ["txt"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "named"
  title = "A name"
  done = { reviewed = "pet" }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  [phase.step.args]
  uploadType = "resume"
  prompt = "A file, please."

  [[phase.step]]
  id = "name"
  tool = "submit_for_validation"
  [phase.step.args]
  dataType = "pet"
  message = "Your name?"
  data = { DRAFT }

  [[phase.effect]]
  do = "post_summary"
  channel = "CHANNEL"
  include = ["pet"]
"#;
