//! A session as pages show it.

use std::sync::Arc;

use maud::{Markup, html};

use super::{
    activity::Activity,
    app::App,
    icons, limits,
    piece::{Cx, Fragment},
    render,
    timeline::{Timeline, Window},
};
use crate::{
    base::ids::SessionId,
    engine::{self, Look},
    flow::LoadedFlow,
    messages,
    model::transcript::{Audience, Recorded},
    session::{SessionView, State},
    store::Loaded,
};

/// A session as pages show it.
#[derive(Debug)]
pub struct View {
    /// With its events.
    pub loaded: Loaded,
    /// What they add up to.
    pub state: Arc<State>,
    /// What it runs.
    pub flow: Arc<LoadedFlow>,
    /// What the bot does just now.
    pub doing: Activity,
}

impl View {
    /// Loads it.
    pub(super) async fn load(app: &App, session: SessionId) -> Result<Self, engine::Error> {
        let draft = app.engine.draft(session);
        let look = app.engine.look(session).await?;
        let doing = Activity::of(app, &look, draft);
        let Look { loaded, view: SessionView { flow, state, .. } } = look;
        Ok(Self { loaded, state, flow, doing })
    }

    pub(super) fn timeline(&self, viewer: Audience) -> Timeline<'_> {
        Timeline::of(&self.loaded.events, &self.state, &self.flow, viewer)
    }

    /// What is shown where nothing else is asked for.
    pub fn latest(&self, viewer: Audience) -> Window {
        self.timeline(viewer).latest(limits::LOG_MAX)
    }

    /// The messages whose events are wanted as pieces of the page, oldest first.
    pub fn log(&self, cx: &Cx, is_wanted: impl Fn(&Recorded) -> bool) -> Vec<Fragment> {
        let messages = self.timeline(cx.viewer).messages(is_wanted);
        messages.iter().map(|message| render::message(message, &self.state, cx)).collect()
    }
}

/// Where live updates of a page come from.
pub(super) fn live_url(cx: &Cx, window: &Window) -> String {
    cx.url("live") + &window.query()
}

/// The way to the messages before the event `from`, if there are any.
pub(super) fn earlier_link(cx: &Cx, from: u64) -> Markup {
    html! {
        @if from > 0 {
            nav.pager aria-label=(messages::buttons::EARLIER) {
                a.button.quiet href={ (cx.home()) "?before=" (from) } rel="prev" { (icons::previous()) (messages::buttons::EARLIER) }
            }
        }
    }
}
