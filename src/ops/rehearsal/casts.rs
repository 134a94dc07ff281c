//! Who takes part in the conversations of a pass besides the script: nobody, a model that leads, or a source of contact
//! details.

use std::{path::Path, sync::Arc};

use super::{
    Habit,
    stand_in::{Manner, StandIn},
};
use crate::{
    engine::Error,
    flow::LoadedFlow,
    model::{
        contact::{Contact, Labelled, Name},
        flow::{Mode, Phase},
    },
    ops::stage::{Known, Props, Scene, Snapshot, Stage},
    ports::{contacts::Contacts, llm::Models},
    session::State,
    store::memory::MemoryStore,
};

/// The tool that asks the sources of contact details.
const CARDS: &str = "get_macos_contact_card";

/// Where expressions find what the sources have.
const CONTACT: &str = "participant.contact";

/// Who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cast {
    Script,
    Model(Manner),
    /// A source that has a card with everything on it.
    FullCard,
    /// A source that has a card with a name and nothing else.
    NameCard,
}

/// The conversations that are held alike.
#[derive(Debug, Clone)]
pub(super) struct Pass<'a> {
    pub(super) scene: Scene,
    pub(super) folder: &'a Path,
    pub(super) cast: Cast,
    /// Most conversations.
    pub(super) most: usize,
    pub(super) habit: Habit,
}

impl Cast {
    /// Those besides the script with which a flow goes otherwise.
    pub(super) fn others(flow: &LoadedFlow) -> Vec<Self> {
        let phases = &flow.flow.phase;
        let mut others = Vec::new();
        if phases.iter().any(|phase| phase.mode == Mode::Interview) {
            others.extend([Self::Model(Manner::Thorough), Self::Model(Manner::Brief)]);
        }
        let asks = phases.iter().flat_map(|phase| &phase.step).any(|step| step.tool == CARDS);
        if asks || flow.source.contains(CONTACT) {
            others.extend([Self::FullCard, Self::NameCard]);
        }
        others
    }

    /// How messages call it.
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Script => "",
            Self::Model(_) => "with a model",
            Self::FullCard => "with a full contact card",
            Self::NameCard => "with a contact card that has a name only",
        }
    }

    fn card(self) -> Option<Contact> {
        let name = Name { given: "Ada".to_owned(), family: "Byron".to_owned() };
        let labelled =
            |label: &str, value: &str| vec![Labelled { label: label.into(), value: value.into() }];
        match self {
            Self::Script | Self::Model(_) => None,
            Self::NameCard => Some(Contact { name, ..Contact::default() }),
            Self::FullCard => Some(Contact {
                name,
                email: labelled("work", "ada@example.org"),
                phone: labelled("mobile", "+44 20 7946 0018"),
                address: labelled("home", "12 St James's Square, London"),
                url: labelled("home", "https://example.org"),
                organization: Some("Example".to_owned()),
                job_title: Some("Analyst".to_owned()),
                time_zone: None,
            }),
        }
    }
}

impl Pass<'_> {
    /// Begins a conversation, or goes on from a snapshot of one; with the model, where one leads.
    pub(super) async fn begin(
        &self,
        from: Option<&Snapshot>,
    ) -> Result<(Stage, Option<Arc<StandIn>>), Error> {
        let store = Arc::new(from.map_or_else(MemoryStore::default, Snapshot::store));
        let sources = self.cast.card().map(|card| Box::new(Known(Some(card))) as _);
        let contacts = Contacts::new(sources.into_iter().collect());
        let mut scene = self.scene.clone();
        let model = match self.cast {
            Cast::Model(manner) => Some(Arc::new(StandIn {
                flow: Arc::clone(&scene.flow),
                store: Arc::clone(&store),
                manner,
            })),
            Cast::Script | Cast::FullCard | Cast::NameCard => None,
        };
        if let Some(model) = &model {
            let interview = Some(Arc::<StandIn>::clone(model) as _);
            scene.models = Models { interview, ..Models::default() };
        }
        let props = Props { contacts, store };
        let stage = match from {
            Some(snapshot) => Stage::resume(&scene, self.folder, props, snapshot)?,
            None => Stage::set_with(&scene, self.folder, props).await?,
        };
        Ok((stage, model))
    }

    /// The phase that a model leads now.
    pub(super) fn led<'p>(&'p self, state: &State) -> Option<&'p Phase> {
        let phase = self.scene.flow.phase(state.phase()?)?;
        let is_led = matches!(self.cast, Cast::Model(_))
            && phase.mode == Mode::Interview
            && state.model_turn.script_leads.as_ref() != Some(&phase.id);
        is_led.then_some(phase)
    }
}
