//! A chat platform with messages that can be edited, and with moods.

use std::{
    collections::VecDeque,
    fmt::Write as _,
    sync::{Arc, Mutex, MutexGuard},
};

use anteroom::{
    base::{
        clock::Clock,
        ids::{EffectId, WaitId},
    },
    chat::refusal::{Class, outcome},
    engine::Gateway,
    model::{
        effect::{Act, Delivery, Effect, Handout, Recipient, Rendering},
        posted::{Item, Posted, Reader, Removal},
        session::Platform,
        ui::{Control, Prompt},
        wait::{Wait, WaitStatus},
    },
    session::answer,
};
use async_trait::async_trait;

/// A message on the platform.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Message {
    /// Its name on the platform.
    pub(crate) id: String,
    /// The effect that posted it.
    pub(crate) effect: EffectId,
    /// Whom it is for.
    pub(crate) to: Recipient,
    /// What people read.
    pub(crate) text: String,
    /// The card that it is, with the revision shown.
    pub(crate) card: Option<(WaitId, u32)>,
    /// Its buttons work.
    pub(crate) open: bool,
    /// How often it was edited.
    pub(crate) edits: u32,
}

/// What goes wrong with one delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mood {
    /// The rate limit says: later. Nothing happened.
    Busy,
    /// It happened, and the answer was lost.
    LostAnswer,
    /// The gateway has a bug.
    Panics,
    /// It waits for its turn first.
    Waits,
    /// It takes almost two minutes.
    Slow,
    /// The participant reads nothing any more.
    Gone,
}

/// What the platform does with edits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Edits {
    /// It makes them.
    #[default]
    Made,
    /// The rate limit says: later.
    Busy,
    /// It never answers.
    Hang,
}

/// The platform and everything on it.
#[derive(Debug)]
pub(crate) struct FakePlatform {
    clock: Arc<dyn Clock>,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    messages: Vec<Message>,
    /// Messages that there ever were.
    numbers: usize,
    moods: VecDeque<Mood>,
    edits: Edits,
    banned: Vec<String>,
    refusals: Vec<(Option<Recipient>, Class)>,
    tried: usize,
    forgotten: Vec<EffectId>,
}

impl FakePlatform {
    pub(crate) fn new(clock: Arc<dyn Clock>) -> Self {
        Self { clock, inner: Mutex::default() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    /// What goes wrong with the next deliveries, one each.
    pub(crate) fn will(&self, moods: impl IntoIterator<Item = Mood>) {
        self.inner().moods.extend(moods);
    }

    /// What happens to edits from now on.
    pub(crate) fn edits(&self, edits: Edits) {
        self.inner().edits = edits;
    }

    /// Whether a delivery edits what stands there.
    fn is_edit(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> bool {
        let is_shown = shown.is_some_and(|(_, renderings)| !renderings.is_empty());
        let is_line = matches!(effect.act, Act::Progress { .. })
            && self.inner().messages.iter().any(|message| message.id == "progress");
        is_shown || is_line
    }

    /// Every message, oldest first.
    pub(crate) fn messages(&self) -> Vec<Message> {
        self.inner().messages.clone()
    }

    /// The channel behind `alias` does not exist.
    pub(crate) fn ban(&self, alias: &str) {
        self.inner().banned.push(alias.to_owned());
    }

    /// Refuses everything for `to`, or everything at all, until [`Self::mend`].
    pub(crate) fn refuse(&self, to: Option<Recipient>, class: Class) {
        self.inner().refusals.push((to, class));
    }

    /// Refuses nothing any more.
    pub(crate) fn mend(&self) {
        self.inner().refusals.clear();
    }

    /// Deliveries that were asked for so far.
    pub(crate) fn tried(&self) -> usize {
        self.inner().tried
    }

    /// Effects that have left for good.
    pub(crate) fn forgotten(&self) -> Vec<EffectId> {
        self.inner().forgotten.clone()
    }

    /// Takes a message away, as an admin does.
    pub(crate) fn delete(&self, id: &str) {
        self.inner().messages.retain(|message| message.id != id);
    }
}

/// What is handed over, as it looks.
fn handed(what: &Handout) -> String {
    match what {
        Handout::File { file } => format!("[{}]", file.filename),
        Handout::Link { label, url } => format!("[{label}] -> {url}"),
    }
}

impl Inner {
    /// Posts, edits, and answers with the message's name. A repeat of an effect changes nothing.
    fn happen(&mut self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Option<String> {
        let known = self.messages.iter().find(|message| message.effect == effect.id);
        if let Some(known) = known {
            return Some(known.id.clone());
        }
        let (text, card, open) = match (&effect.act, shown) {
            (Act::Show { .. }, Some((wait, _))) => {
                let open = wait.status.is_pending();
                (drawn(wait), Some((wait.id, wait.revision)), open)
            }
            (Act::Post { text, .. }, _) => (text.common_mark(), None, false),
            (Act::Progress { text }, _) => return self.progress(effect, &text.to_string()),
            (Act::Export { closing }, _) => {
                let words = closing.as_ref().map(|words| format!("{}\n", words.common_mark()));
                (words.unwrap_or_default() + "[a copy of everything]", None, false)
            }
            (Act::Hand { what, text }, _) => {
                (format!("{}\n{}", text.common_mark(), handed(what)), None, false)
            }
            (Act::Relay { name, text }, _) => (format!("{name}: {text}"), None, false),
            (Act::Receipt { .. }, _) => ("[the receipt]".to_owned(), None, false),
            (Act::Remove { what }, _) => {
                self.remove(what);
                return None;
            }
            (
                Act::Show { .. } | Act::Fetch { .. } | Act::Webhook { .. } | Act::AddRoles { .. },
                _,
            ) => return None,
        };
        if let Some((_, renderings)) = shown.filter(|(_, renderings)| !renderings.is_empty()) {
            for message in &mut self.messages {
                if renderings.iter().any(|rendering| rendering.message == message.id) {
                    message.text.clone_from(&text);
                    message.open = open;
                    message.card = card;
                    message.edits += 1;
                }
            }
            return renderings.first().map(|rendering| rendering.message.clone());
        }
        self.numbers += 1;
        let id = format!("m{}", self.numbers);
        let to = effect.to.clone();
        let effect = effect.id;
        self.messages.push(Message { id: id.clone(), effect, to, text, card, open, edits: 0 });
        Some(id)
    }

    /// Takes away what an erasure names.
    fn remove(&mut self, what: &Removal) {
        let is_it = |message: &Message| match what {
            Removal::Thing { posted, .. } => matches!(
                &posted.item,
                Item::Message { at } | Item::Head { at } if *at == message.id
            ),
            Removal::Trace { effect, .. } => *effect == message.effect,
        };
        self.messages.retain(|message| !is_it(message));
    }

    /// One line, edited in place.
    fn progress(&mut self, effect: &Effect, text: &str) -> Option<String> {
        let is_line = |message: &&mut Message| message.id == "progress" && message.to == effect.to;
        match self.messages.iter_mut().find(is_line) {
            Some(line) => {
                text.clone_into(&mut line.text);
                line.edits += 1;
            }
            None => self.messages.push(Message {
                id: "progress".to_owned(),
                effect: effect.id,
                to: effect.to.clone(),
                text: text.to_owned(),
                card: None,
                open: false,
                edits: 0,
            }),
        }
        None
    }
}

#[async_trait]
impl Gateway for FakePlatform {
    fn platform(&self) -> Platform {
        Platform::Web
    }

    fn forget(&self, effect: EffectId) {
        self.inner().forgotten.push(effect);
    }

    async fn deliver(&self, effect: &Effect, shown: Option<(&Wait, &[Rendering])>) -> Delivery {
        let now = self.clock.now();
        let not_before = now + chrono::TimeDelta::seconds(5);
        if self.inner().moods.pop_front_if(|mood| *mood == Mood::Waits).is_some() {
            tokio::task::yield_now().await;
        }
        let edits = self.inner().edits;
        if edits != Edits::Made && self.is_edit(effect, shown) {
            if edits == Edits::Hang {
                std::future::pending::<()>().await;
            }
            return Delivery::Later { not_before };
        }
        let is_slow = self.inner().moods.front() == Some(&Mood::Slow);
        if is_slow {
            tokio::time::sleep(std::time::Duration::from_secs(110)).await;
        }
        let mut inner = self.inner();
        inner.tried += 1;
        let refusal =
            |(to, _): &&(Option<Recipient>, Class)| to.as_ref().is_none_or(|to| *to == effect.to);
        if let Some((_, class)) = inner.refusals.iter().find(refusal) {
            return outcome(*class, "the platform said no", effect, now);
        }
        if matches!(&effect.to, Recipient::Channel { alias } if inner.banned.contains(alias)) {
            return Delivery::failed("no such channel".to_owned());
        }
        let mood = inner.moods.pop_front();
        match mood {
            Some(Mood::Busy) => return Delivery::Later { not_before },
            Some(Mood::Panics) => {
                drop(inner);
                panic!("a bug in the gateway");
            }
            Some(Mood::Gone) => {
                let (reason, out_of_reach) = ("they left".to_owned(), Some("they left".to_owned()));
                return Delivery::Failed { reason, out_of_reach };
            }
            Some(Mood::LostAnswer | Mood::Waits | Mood::Slow) | None => {}
        }
        if matches!(effect.act, Act::AddRoles { .. }) {
            return Delivery::NotApplicable;
        }
        let message = inner.happen(effect, shown);
        #[expect(clippy::single_match_else, reason = "moods are told apart alike everywhere here")]
        match mood {
            Some(Mood::LostAnswer) => Delivery::Retry { not_before },
            _ => {
                let reader = match &effect.to {
                    Recipient::Channel { alias } => Reader::Staff(alias.clone()),
                    Recipient::Person { .. } => Reader::Staff(String::new()),
                    Recipient::Participant | Recipient::Webhook { .. } => Reader::Participant,
                };
                let left = message.clone().map(|at| Posted { item: Item::Message { at }, reader });
                let is_last = matches!(effect.act, Act::Remove { .. } | Act::Receipt { .. });
                let posted = left.into_iter().filter(|_| !is_last).collect();
                Delivery::Delivered { message, posted }
            }
        }
    }
}

/// A card as people read it.
fn drawn(wait: &Wait) -> String {
    let mut text = String::new();
    if let Some(title) = &wait.prompt.title {
        _ = writeln!(text, "# {title}");
    }
    if !wait.prompt.body.is_empty() {
        _ = writeln!(text, "{}", wait.prompt.body.common_mark().trim());
    }
    let end = match &wait.status {
        WaitStatus::Pending => controls(&wait.prompt),
        WaitStatus::Answered { reply, by_name, .. }
        | WaitStatus::Applied { reply, by_name, .. } => {
            format!("✓ {by_name}: {}", answer::describe(&wait.prompt.control, reply))
        }
        WaitStatus::Expired { .. } => "✗ expired".to_owned(),
        WaitStatus::Cancelled { reason, .. } => format!("✗ {reason}"),
        WaitStatus::Superseded { .. } => "✗ asked again below".to_owned(),
    };
    text + &end
}

fn controls(prompt: &Prompt) -> String {
    let buttons = |labels: &[&str]| {
        labels.iter().map(|label| format!("[{label}]")).collect::<Vec<_>>().join(" ")
    };
    match &prompt.control {
        Control::Choose(choose) => {
            let mut labels: Vec<&str> =
                choose.choices.iter().map(|choice| choice.label.as_str()).collect();
            if !choose.required {
                labels.push("Skip");
            }
            buttons(&labels)
        }
        Control::Form(form) => {
            let fields: Vec<&str> = form.fields.iter().map(|field| field.label.as_str()).collect();
            format!("({}) [{}]", fields.join(" | "), form.submit)
        }
        Control::Review(review) => {
            let mut text = String::new();
            for field in review.groups.iter().flat_map(|group| &group.fields) {
                if !field.value.is_null() {
                    _ = writeln!(text, "{}: {}", field.label, field.value);
                }
            }
            let labels: &[&str] = if review.skippable {
                &["Looks right", "Edit", "Start over", "Skip"]
            } else {
                &["Looks right", "Edit", "Start over"]
            };
            text + &buttons(labels)
        }
        Control::Upload(upload) => {
            let skip = if upload.required { "" } else { " [Skip]" };
            format!("[Upload {}]{skip}", upload.accept.join(", "))
        }
        Control::Ask(ask) => if ask.required { "[…]" } else { "[…] [Skip]" }.to_owned(),
        Control::Decide(decide) => {
            let mut text = String::new();
            for (label, value) in &decide.facts {
                _ = writeln!(text, "{label}: {value}");
            }
            let mut labels = vec![decide.approve.as_str(), decide.deny.as_str()];
            labels.extend(decide.deny_and_tell.as_deref());
            text.push_str(&buttons(&labels));
            text
        }
        Control::Confirm(confirm) => buttons(&[&confirm.yes, &confirm.no]),
    }
}
