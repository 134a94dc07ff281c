//! The rules for blocks and views: what Slack refuses, and the words in which it does.
//!
//! How Slack counts characters is not documented; here a character is a UTF-16 unit, which is the stricter reading.

use std::collections::BTreeSet;

use serde_json::Value;

/// Where blocks stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Surface {
    Message,
    Modal,
    Home,
}

/// Characters of all `markdown` blocks of a message.
const MARKDOWN_MAX: usize = 12_000;

/// Characters of all blocks of a message.
const BLOCKS_MAX: usize = 13_200;

/// Bytes of a view.
const VIEW_MAX: usize = 250_000;

/// What is wrong with some blocks.
pub(crate) fn problems(blocks: &Value, surface: Surface) -> Vec<String> {
    let mut rules = Rules::new(surface);
    rules.blocks(blocks, "/blocks");
    rules.problems
}

/// Whether the words of a message's blocks are too many.
pub(crate) fn too_long(blocks: &Value) -> bool {
    words(blocks) > BLOCKS_MAX
}

/// What is wrong with a view: an error's name and its messages.
pub(crate) fn view_problems(view: &Value) -> Option<(&'static str, Vec<String>)> {
    let surface = match view["type"].as_str() {
        Some("modal") => Surface::Modal,
        Some("home") => Surface::Home,
        _ => return Some(("invalid_arguments", vec![said("unsupported type", "/view/type")])),
    };
    if view.to_string().len() > VIEW_MAX {
        return Some(("view_too_large", Vec::new()));
    }
    let mut rules = Rules::new(surface);
    let keys = match surface {
        Surface::Modal => {
            "type title blocks close submit private_metadata callback_id clear_on_close notify_on_close \
             external_id submit_disabled"
        }
        _ => "type blocks private_metadata callback_id external_id",
    };
    rules.only(view, "/view", keys);
    rules.blocks(&view["blocks"], "/view/blocks");
    if surface == Surface::Modal {
        rules.plain(&view["title"], "/view/title", 24);
        for name in ["submit", "close"] {
            if !view[name].is_null() {
                rules.plain(&view[name], &format!("/view/{name}"), 24);
            }
        }
        if rules.has_inputs && view["submit"].is_null() {
            rules.say("missing required field: submit", "/view");
        }
    }
    rules.short(view, "/view", "private_metadata", 3000);
    rules.short(view, "/view", "callback_id", 255);
    rules.short(view, "/view", "external_id", 255);
    (!rules.problems.is_empty()).then_some(("invalid_arguments", rules.problems))
}

/// Length of a text.
pub(crate) fn length(text: &str) -> usize {
    text.encode_utf16().count()
}

fn words(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(words).sum(),
        Value::Object(map) => map
            .iter()
            .map(|(name, value)| match (name.as_str(), value) {
                ("text" | "title" | "description" | "alt_text", Value::String(text)) => {
                    length(text)
                }
                _ => words(value),
            })
            .sum(),
        _ => 0,
    }
}

fn said(what: &str, pointer: &str) -> String {
    format!("[ERROR] {what} [json-pointer:{pointer}]")
}

struct Rules {
    surface: Surface,
    problems: Vec<String>,
    block_ids: BTreeSet<String>,
    markdown: usize,
    tables: usize,
    has_inputs: bool,
}

impl Rules {
    fn new(surface: Surface) -> Self {
        Self {
            surface,
            problems: Vec::new(),
            block_ids: BTreeSet::new(),
            markdown: 0,
            tables: 0,
            has_inputs: false,
        }
    }

    fn say(&mut self, what: &str, pointer: &str) {
        self.problems.push(said(what, pointer));
    }

    fn only(&mut self, value: &Value, at: &str, keys: &str) {
        let known: BTreeSet<&str> = keys.split_whitespace().collect();
        for name in value.as_object().into_iter().flatten().map(|(name, _)| name) {
            if !known.contains(name.as_str()) {
                self.say(&format!("invalid additional property: {name}"), at);
            }
        }
    }

    fn short(&mut self, value: &Value, at: &str, name: &str, most: usize) {
        match &value[name] {
            Value::Null => {}
            Value::String(text) if length(text) <= most => {}
            Value::String(_) => self.say(
                &format!("must be less than {} characters", most + 1),
                &format!("{at}/{name}"),
            ),
            _ => self.say("expected a string", &format!("{at}/{name}")),
        }
    }

    /// A list of so many; its members with their places.
    fn list<'a>(&mut self, value: &'a Value, at: &str, most: usize) -> Vec<(&'a Value, String)> {
        let Some(list) = value.as_array() else {
            self.say("must provide an array", at);
            return Vec::new();
        };
        if list.is_empty() {
            self.say("no fewer than 1 items allowed", at);
        }
        if list.len() > most {
            self.say(&format!("no more than {most} items allowed"), at);
        }
        list.iter().enumerate().map(|(n, item)| (item, format!("{at}/{n}"))).collect()
    }

    fn plain(&mut self, value: &Value, at: &str, most: usize) {
        if value["type"] != "plain_text" {
            self.say("must be a plain_text object", at);
        }
        self.text(value, at, most);
    }

    fn text(&mut self, value: &Value, at: &str, most: usize) {
        match value["type"].as_str() {
            Some("plain_text") => self.only(value, at, "type text emoji"),
            Some("mrkdwn") => self.only(value, at, "type text verbatim"),
            _ => return self.say("must be a text object", at),
        }
        match value["text"].as_str() {
            None => self.say("missing required field: text", at),
            Some("") => self.say("must be more than 0 characters", &format!("{at}/text")),
            Some(text) if length(text) > most => {
                self.say(
                    &format!("must be less than {} characters", most + 1),
                    &format!("{at}/text"),
                );
            }
            Some(_) => {}
        }
    }

    fn blocks(&mut self, blocks: &Value, at: &str) {
        let most = if self.surface == Surface::Message { 50 } else { 100 };
        let Some(list) = blocks.as_array() else { return self.say("must provide an array", at) };
        if list.len() > most {
            self.say(&format!("no more than {most} items allowed"), at);
        }
        if list.is_empty() && self.surface != Surface::Home && self.surface != Surface::Message {
            self.say("no fewer than 1 items allowed", at);
        }
        for (n, block) in list.iter().enumerate() {
            let at = format!("{at}/{n}");
            self.short(block, &at, "block_id", 255);
            if let Some(id) = block["block_id"].as_str()
                && !self.block_ids.insert(id.to_owned())
            {
                self.say(&format!("`block_id` already exists: {id}"), &at);
            }
            self.block(block, &at);
        }
        if self.markdown > MARKDOWN_MAX {
            self.say(
                &format!("markdown must be less than {} characters in all", MARKDOWN_MAX + 1),
                at,
            );
        }
        if self.tables > 1 {
            self.say("only one table allowed", at);
        }
    }

    fn block(&mut self, block: &Value, at: &str) {
        match block["type"].as_str().unwrap_or_default() {
            "section" => self.section(block, at),
            "header" => {
                self.only(block, at, "type block_id text level");
                self.plain(&block["text"], &format!("{at}/text"), 150);
            }
            "divider" => self.only(block, at, "type block_id"),
            "context" => {
                self.only(block, at, "type block_id elements");
                for (element, at) in self.list(&block["elements"], &format!("{at}/elements"), 10) {
                    match element["type"].as_str() {
                        Some("image") => self.image(element, &at),
                        _ => self.text(element, &at, 3000),
                    }
                }
            }
            "actions" => {
                self.only(block, at, "type block_id elements");
                let elements = self.list(&block["elements"], &format!("{at}/elements"), 25);
                self.elements(elements, IN_ACTIONS);
            }
            "context_actions" => {
                self.only(block, at, "type block_id elements");
                let elements = self.list(&block["elements"], &format!("{at}/elements"), 5);
                self.elements(elements, "feedback_buttons icon_button");
            }
            "input" => self.input(block, at),
            "image" => {
                self.only(block, at, "type block_id image_url slack_file alt_text title");
                self.image(block, at);
            }
            "markdown" => {
                self.only(block, at, "type block_id text");
                let text = block["text"].as_str().unwrap_or_default();
                if text.is_empty() {
                    self.say("must be more than 0 characters", &format!("{at}/text"));
                }
                self.markdown += length(text);
            }
            "table" => {
                self.tables += 1;
                for (row, at) in self.list(&block["rows"], &format!("{at}/rows"), 100) {
                    self.list(row, &at, 20);
                }
            }
            "rich_text" => {
                drop(self.list(&block["elements"], &format!("{at}/elements"), usize::MAX));
            }
            "plan" | "task_card" | "video" | "file" | "card" | "carousel" | "data_table"
            | "container" | "data_visualization" => {}
            "alert" if self.surface == Surface::Modal => {}
            kind => self.say(&format!("unsupported type: {kind}"), &format!("{at}/type")),
        }
    }

    fn section(&mut self, block: &Value, at: &str) {
        self.only(block, at, "type block_id text fields accessory expand");
        if block["text"].is_null() && block["fields"].is_null() {
            self.say("missing required field: text or fields", at);
        }
        if !block["text"].is_null() {
            self.text(&block["text"], &format!("{at}/text"), 3000);
        }
        if !block["fields"].is_null() {
            for (field, at) in self.list(&block["fields"], &format!("{at}/fields"), 10) {
                self.text(field, &at, 2000);
            }
        }
        if !block["accessory"].is_null() {
            let accessory = (&block["accessory"], format!("{at}/accessory"));
            self.elements(vec![accessory], &format!("{IN_ACTIONS} image"));
        }
    }

    fn input(&mut self, block: &Value, at: &str) {
        self.only(block, at, "type block_id label element hint optional dispatch_action");
        self.has_inputs = true;
        self.plain(&block["label"], &format!("{at}/label"), 2000);
        if !block["hint"].is_null() {
            self.plain(&block["hint"], &format!("{at}/hint"), 2000);
        }
        if block["element"]["type"] == "file_input" && self.surface != Surface::Modal {
            self.say("file_input is for modals only", &format!("{at}/element"));
        }
        self.elements(vec![(&block["element"], format!("{at}/element"))], IN_INPUT);
    }

    fn image(&mut self, image: &Value, at: &str) {
        self.short(image, at, "image_url", 3000);
        self.short(image, at, "alt_text", 2000);
        if image["alt_text"].as_str().is_none_or(str::is_empty) {
            self.say("missing required field: alt_text", at);
        }
        if image["image_url"].is_null() && image["slack_file"].is_null() {
            self.say("missing required field: image_url or slack_file", at);
        }
        if !image["title"].is_null() {
            self.plain(&image["title"], &format!("{at}/title"), 2000);
        }
    }

    fn elements(&mut self, elements: Vec<(&Value, String)>, allowed: &str) {
        let mut ids = BTreeSet::new();
        for (element, at) in elements {
            let kind = element["type"].as_str().unwrap_or_default();
            if !allowed.split_whitespace().any(|known| known == kind) {
                self.say(&format!("unsupported type: {kind}"), &format!("{at}/type"));
                continue;
            }
            self.short(element, &at, "action_id", 255);
            if let Some(id) = element["action_id"].as_str()
                && !ids.insert(id.to_owned())
            {
                self.say(&format!("`action_id` already exists: {id}"), &at);
            }
            self.element(element, kind, &at);
        }
    }

    #[expect(clippy::too_many_lines, reason = "a list of kinds")]
    fn element(&mut self, element: &Value, kind: &str, at: &str) {
        if !element["confirm"].is_null() {
            self.confirm(&element["confirm"], &format!("{at}/confirm"));
        }
        if !element["placeholder"].is_null() {
            self.plain(&element["placeholder"], &format!("{at}/placeholder"), 150);
        }
        match kind {
            "button" => self.button(element, at),
            "image" => self.image(element, at),
            "overflow" => {
                self.only(element, at, "type action_id options confirm");
                self.options(element, at, 5, "text value url description");
            }
            "checkboxes" => {
                self.only(element, at, "type action_id options initial_options confirm focus_on_load");
                self.options(element, at, 10, "text value description");
            }
            "radio_buttons" => {
                self.only(element, at, "type action_id options initial_option confirm focus_on_load");
                self.options(element, at, 10, "text value description");
            }
            "static_select" | "multi_static_select" => {
                self.only(
                    element,
                    at,
                    "type action_id options option_groups initial_option initial_options confirm \
                     focus_on_load placeholder max_selected_items",
                );
                self.select(element, at);
            }
            "plain_text_input" => self.text_input(element, at),
            "email_text_input" | "url_text_input" => {
                self.only(element, at, "type action_id initial_value dispatch_action_config focus_on_load placeholder");
            }
            "number_input" => self.only(
                element,
                at,
                "type action_id is_decimal_allowed initial_value min_value max_value dispatch_action_config \
                 focus_on_load placeholder",
            ),
            "datepicker" => {
                self.only(element, at, "type action_id initial_date confirm focus_on_load placeholder");
            }
            "timepicker" => {
                self.only(element, at, "type action_id initial_time confirm focus_on_load placeholder timezone");
            }
            "file_input" => {
                self.only(element, at, "type action_id filetypes max_files");
                if !element["max_files"].is_null() && !(1..=10).contains(&element["max_files"].as_u64().unwrap_or(0)) {
                    self.say("must be between 1 and 10", &format!("{at}/max_files"));
                }
            }
            "feedback_buttons" => {
                for name in ["positive_button", "negative_button"] {
                    let at = format!("{at}/{name}");
                    self.plain(&element[name]["text"], &format!("{at}/text"), 75);
                    self.short(&element[name], &at, "value", 2000);
                }
            }
            _ => {}
        }
    }

    fn button(&mut self, button: &Value, at: &str) {
        self.only(button, at, "type action_id text value url style confirm accessibility_label");
        self.plain(&button["text"], &format!("{at}/text"), 75);
        self.short(button, at, "value", 2000);
        self.short(button, at, "url", 3000);
        self.short(button, at, "accessibility_label", 75);
        if !matches!(button["style"].as_str(), None | Some("primary" | "danger")) {
            self.say("must be primary or danger", &format!("{at}/style"));
        }
    }

    fn text_input(&mut self, input: &Value, at: &str) {
        self.only(
            input,
            at,
            "type action_id initial_value multiline min_length max_length dispatch_action_config focus_on_load \
             placeholder",
        );
        let (least, most) = (
            input["min_length"].as_u64().unwrap_or(0),
            input["max_length"].as_u64().unwrap_or(3000),
        );
        if most > 3000 || least > 3000 || most < 1 || least > most {
            self.say("must be between 0 and 3000", &format!("{at}/max_length"));
        }
        let initial = input["initial_value"].as_str().map_or(0, length);
        if u64::try_from(initial).unwrap() > most {
            self.say("must not be longer than max_length", &format!("{at}/initial_value"));
        }
    }

    fn confirm(&mut self, confirm: &Value, at: &str) {
        self.only(confirm, at, "title text confirm deny style");
        self.plain(&confirm["title"], &format!("{at}/title"), 100);
        self.text(&confirm["text"], &format!("{at}/text"), 300);
        self.plain(&confirm["confirm"], &format!("{at}/confirm"), 30);
        self.plain(&confirm["deny"], &format!("{at}/deny"), 30);
    }

    fn select(&mut self, select: &Value, at: &str) {
        if select["option_groups"].is_null() {
            return self.options(select, at, 100, "text value description");
        }
        if !select["options"].is_null() {
            self.say("options and option_groups exclude one another", at);
        }
        for (group, at) in self.list(&select["option_groups"], &format!("{at}/option_groups"), 100)
        {
            self.plain(&group["label"], &format!("{at}/label"), 75);
            self.options(group, &at, 100, "text value description");
        }
    }

    fn options(&mut self, element: &Value, at: &str, most: usize, keys: &str) {
        let mut known = Vec::new();
        let mut values = BTreeSet::new();
        for (option, at) in self.list(&element["options"], &format!("{at}/options"), most) {
            self.only(option, &at, keys);
            self.text(&option["text"], &format!("{at}/text"), 75);
            if !option["description"].is_null() {
                self.text(&option["description"], &format!("{at}/description"), 75);
            }
            match option["value"].as_str() {
                None => self.say("missing required field: value", &at),
                Some(value) if !values.insert(value.to_owned()) => {
                    self.say(&format!("value already exists: {value}"), &at);
                }
                Some(_) => self.short(option, &at, "value", 75),
            }
            known.push(option);
        }
        let initial = match (&element["initial_option"], element["initial_options"].as_array()) {
            (Value::Null, None) => Vec::new(),
            (Value::Null, Some(list)) => {
                if list.is_empty() {
                    self.say("no fewer than 1 items allowed", &format!("{at}/initial_options"));
                }
                list.iter().collect()
            }
            (one, _) => vec![one],
        };
        for option in initial {
            if !known.contains(&option) {
                self.say("must match one of the options exactly", &format!("{at}/initial_option"));
            }
        }
    }
}

const IN_ACTIONS: &str = "button checkboxes radio_buttons overflow static_select multi_static_select users_select \
    multi_users_select conversations_select channels_select external_select datepicker timepicker datetimepicker";

const IN_INPUT: &str = "plain_text_input email_text_input url_text_input number_input checkboxes radio_buttons \
    static_select multi_static_select users_select multi_users_select conversations_select channels_select \
    external_select datepicker timepicker datetimepicker file_input rich_text_input";
