//! As much HTML as is needed to use our own pages without a browser: cards, forms, inputs.

/// One open question on a page.
#[derive(Debug, Clone, Default)]
pub(crate) struct Card {
    /// Names the question.
    pub(crate) wait: String,
    /// Everything that can be read on it.
    pub(crate) text: String,
    /// Ways to answer it.
    pub(crate) forms: Vec<Form>,
}

/// A form.
#[derive(Debug, Clone, Default)]
pub(crate) struct Form {
    /// Where it goes.
    pub(crate) action: String,
    /// What it is for: `choose`, `edit`, `upload`, …
    pub(crate) name: String,
    /// Its inputs with what they hold, in order.
    pub(crate) inputs: Vec<Input>,
    /// Its buttons: name, value, label.
    pub(crate) buttons: Vec<(String, String, String)>,
}

/// An input of any kind.
#[derive(Debug, Clone, Default)]
pub(crate) struct Input {
    /// Under which name it is sent.
    pub(crate) name: String,
    /// `hidden`, `text`, `checkbox`, `file`, `textarea`, …
    pub(crate) kind: String,
    /// What it holds.
    pub(crate) value: String,
    /// A box that is not ticked is not sent.
    pub(crate) ticked: bool,
}

impl Form {
    /// What a browser sends when the button with this label is pressed.
    pub(crate) fn pressed(&self, label: &str) -> Vec<(String, String)> {
        let button = self.buttons.iter().find(|(_, _, text)| text == label);
        let (name, value, _) = button.unwrap_or_else(|| panic!("no `{label}` in {self:?}"));
        let is_sent = |input: &&Input| match input.kind.as_str() {
            "file" => false,
            "checkbox" | "radio" => input.ticked,
            _ => true,
        };
        let inputs = self.inputs.iter().filter(is_sent);
        let mut fields: Vec<_> =
            inputs.map(|input| (input.name.clone(), input.value.clone())).collect();
        fields.push((name.clone(), value.clone()));
        fields
    }

    /// The first input whose name ends so.
    pub(crate) fn input(&mut self, end: &str) -> &mut Input {
        self.inputs.iter_mut().find(|input| input.name.ends_with(end)).unwrap()
    }
}

/// A piece of a page.
pub(crate) enum Token {
    Open { tag: String, attributes: Vec<(String, String)> },
    Close(String),
    Text(String),
}

/// Every form of a page, whatever it belongs to.
pub(crate) fn forms(page: &str) -> Vec<Form> {
    let mut forms = Vec::new();
    let mut reader = Reader::default();
    for token in tokens(page) {
        forms.extend(reader.take(&token));
    }
    forms
}

/// The form of the first page, with the button of this flow alone.
pub(crate) fn start_form(page: &str, flow: &str) -> Form {
    let mut form = forms(page).into_iter().find(|form| form.action == "/start").unwrap();
    form.buttons.retain(|(_, value, _)| value == flow);
    form
}

/// The questions of a page that can be answered on it.
pub(crate) fn open_cards(page: &str) -> Vec<Card> {
    let mut cards: Vec<Card> = Vec::new();
    let mut current: Option<Card> = None;
    let mut reader = Reader::default();
    for token in tokens(page) {
        let finished = reader.take(&token);
        if let Some(card) = &mut current {
            card.forms.extend(finished);
        }
        match (&token, &mut current) {
            (Token::Open { tag, attributes }, None) if tag == "article" => {
                let get = |name: &str| attribute(attributes, name).unwrap_or_default();
                if get("class").split(' ').any(|class| class == "open") {
                    current = Some(Card { wait: get("data-wait"), ..Card::default() });
                }
            }
            (Token::Close(tag), Some(_)) if tag == "article" => cards.extend(current.take()),
            (Token::Text(text), Some(card)) => {
                card.text.push_str(text);
                card.text.push(' ');
            }
            _ => {}
        }
    }
    cards.retain(|card| !card.forms.is_empty());
    cards
}

/// Everything that can be read on a page, without its scripts and styles.
pub(crate) fn text(page: &str) -> String {
    let texts = tokens(page).into_iter().filter_map(|token| match token {
        Token::Text(text) => Some(text),
        Token::Open { .. } | Token::Close(_) => None,
    });
    texts.collect::<Vec<_>>().join(" ")
}

/// Puts forms together from tokens.
#[derive(Default)]
struct Reader {
    form: Option<Form>,
    button: Option<(String, String, String)>,
    /// The name of a button that shows a picture alone.
    spoken: String,
    area: bool,
}

impl Reader {
    /// The form that this token ends.
    fn take(&mut self, token: &Token) -> Option<Form> {
        match token {
            Token::Open { tag, attributes } => self.open(tag, attributes),
            Token::Text(text) => {
                if let Some((_, _, label)) = &mut self.button {
                    label.push_str(text);
                }
                if let (true, Some(form)) = (self.area, &mut self.form)
                    && let Some(area) = form.inputs.last_mut()
                {
                    area.value.push_str(text);
                }
            }
            Token::Close(tag) => match tag.as_str() {
                "textarea" => self.area = false,
                "button" => {
                    if let (Some((name, value, label)), Some(form)) =
                        (self.button.take(), &mut self.form)
                    {
                        let label = if label.is_empty() { &self.spoken } else { label.trim() };
                        form.buttons.push((name, value, label.to_owned()));
                    }
                }
                "form" => return self.form.take(),
                _ => {}
            },
        }
        None
    }

    fn open(&mut self, tag: &str, attributes: &[(String, String)]) {
        let get = |name: &str| attribute(attributes, name).unwrap_or_default();
        if tag == "form" {
            self.form =
                Some(Form { action: get("action"), name: get("data-form"), ..Form::default() });
        }
        let Some(form) = &mut self.form else { return };
        match tag {
            "button" => {
                self.spoken = get("aria-label");
                self.button = Some((get("name"), get("value"), String::new()));
            }
            "input" | "textarea" => {
                let kind = if tag == "textarea" { "textarea".to_owned() } else { get("type") };
                let ticked = attribute(attributes, "checked").is_some();
                self.area = tag == "textarea";
                form.inputs.push(Input { name: get("name"), kind, value: get("value"), ticked });
            }
            "select" => {
                let kind = "select".to_owned();
                form.inputs.push(Input { name: get("name"), kind, ..Input::default() });
            }
            "option" if attribute(attributes, "selected").is_some() => {
                if let Some(select) = form.inputs.last_mut() {
                    select.value = get("value");
                }
            }
            _ => {}
        }
    }
}

pub(crate) fn attribute(attributes: &[(String, String)], name: &str) -> Option<String> {
    attributes.iter().find(|(key, _)| key == name).map(|(_, value)| value.clone())
}

pub(crate) fn tokens(page: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let mut rest = page;
    while let Some(start) = rest.find('<') {
        let text = unescape(rest[..start].trim());
        if !text.is_empty() {
            tokens.push(Token::Text(text));
        }
        let inside = &rest[start + 1..];
        let end = end_of_tag(inside);
        let (tag, after) = (&inside[..end], inside.get(end + 1..).unwrap_or_default());
        match tag.strip_prefix('/') {
            Some(name) => tokens.push(Token::Close(name.trim().to_lowercase())),
            None if tag.starts_with('!') => {}
            None => tokens.push(opened(tag)),
        }
        rest = after;
    }
    tokens
}

/// Where the tag ends: the first `>` outside of quotes.
fn end_of_tag(inside: &str) -> usize {
    let mut quoted = false;
    for (position, character) in inside.char_indices() {
        match character {
            '"' => quoted = !quoted,
            '>' if !quoted => return position,
            _ => {}
        }
    }
    inside.len()
}

fn opened(tag: &str) -> Token {
    let (name, mut rest) = tag.split_once(char::is_whitespace).unwrap_or((tag, ""));
    let mut attributes = Vec::new();
    loop {
        rest = rest.trim_start();
        let end = rest.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(rest.len());
        if end == 0 {
            break;
        }
        let key = rest[..end].to_lowercase();
        rest = &rest[end..];
        match rest.strip_prefix("=\"") {
            Some(quoted) => {
                let (value, after) = quoted.split_once('"').unwrap_or((quoted, ""));
                attributes.push((key, unescape(value)));
                rest = after;
            }
            None => attributes.push((key, String::new())),
        }
    }
    Token::Open { tag: name.to_lowercase(), attributes }
}

fn unescape(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&amp;", "&")
}
