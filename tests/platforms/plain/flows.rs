//! What the stories are about: a short talk that a script leads, and one about pets that a model leads.

/// Choices, a file, words.
pub(crate) const TALK: &str = r#"
format = 1
id = "short"
version = "1.0.0"
title = "A short talk"

[pace]
remind_after = ["24h", "72h"]
expire_after = "14d"

[approvals.override]
channel = "recruiting_approvals"

[handoff]
channel = "recruiting_desk"

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"},"kind":{"type":"string"}}}'
review = true

[[phase]]
id = "one"
title = "One"
mode = "script"
tools = ["get_user_option", "get_user_upload"]
uploads = { accept = ["txt", "md", "pdf"], max_mb = 1, max_files = 1 }

  [[phase.objective]]
  id = "coloured"
  title = "A colour"
  done = { answered = { step = "colour" } }

  [[phase.objective]]
  id = "filed"
  title = "A file"
  skip = "participant"
  done = { uploaded = "other" }

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which colour?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.step]]
  id = "file"
  tool = "get_user_upload"
  args = { uploadType = "other", prompt = "A file, please.", acceptedFormats = ["txt", "md", "pdf"] }

[[phase]]
id = "two"
title = "Two"
mode = "script"
tools = ["request_user_input", "get_user_option", "submit_for_validation"]

  [[phase.objective]]
  id = "worded"
  title = "A word"
  done = { answered = { step = "word" } }

  [[phase.step]]
  id = "word"
  tool = "request_user_input"
  args = { prompt = "A word, please." }

  [[phase.step]]
  id = "drinks"
  tool = "get_user_option"
  args = { prompt = "What do you drink?", allowMultiple = true, options = [ { id = "tea", label = "Tea" }, { id = "milk", label = "Milk" } ] }

  [[phase.step]]
  id = "review"
  tool = "submit_for_validation"
  save = "pet"
  args = { dataType = "pet", message = "Is that your pet?", data = { name = "Rax" } }
"#;

/// The model leads, and asks the team whether a part may be left out.
pub(crate) const PETS: &str = r#"
format = 1
id = "pets"
version = "1.0.0"
title = "About pets"

[approvals.override]
channel = "recruiting_approvals"
expires = "7d"

[handoff]
channel = "recruiting_desk"

[data.pet]
schema_inline = '{"type":"object","required":["name"],"properties":{"name":{"type":"string"}}}'
review = true

[[phase]]
id = "pets"
title = "Pets"
mode = "interview"
prompt = "Talk about pets."
tools = ["get_user_option", "request_user_input", "submit_for_validation", "next_phase"]

  [[phase.objective]]
  id = "pet"
  title = "A pet"
  done = { reviewed = "pet" }

[[phase]]
id = "end"
title = "Goodbye"
mode = "interview"
prompt = "Say goodbye."
tools = ["request_user_input"]

  [[phase.objective]]
  id = "said"
  title = "Last words"
  required = false
  done = { talked = 1 }
"#;
