//! What the bot hands over: files that it made, and links.

use super::{
    deliver::{Delivered, Sender, Undelivered},
    post::File,
};
use crate::{
    gateway::discord::{render, texts},
    model::{artifact::Artifact, effect::Handout},
};

/// What is said where a file went by the flow's retention before it could be handed over.
const GONE: &str = "That file is not kept any more.";

impl Sender<'_> {
    pub(super) async fn hand(&self, what: &Handout, text: &str) -> Delivered<Option<String>> {
        match what {
            Handout::File { file } => self.hand_file(file, text).await,
            Handout::Link { label, url } => {
                let mut messages = render::post(text);
                // Words and buttons do not go into one message: what stands in no notification stands by itself.
                messages.push(texts::link(label, url).unwrap_or_else(|| texts::words(url.clone())));
                self.post_all(&messages).await
            }
        }
    }

    async fn hand_file(&self, file: &Artifact, text: &str) -> Delivered<Option<String>> {
        let engine = self.app.engine().ok_or(Undelivered::Later)?;
        let kept = engine.parts().artifacts.read(self.effect.session, file).await;
        let Some(bytes) = kept.map_err(|_| Undelivered::Later)? else {
            return self.post_all(&texts::plain(GONE)).await;
        };
        let words = render::post(text).into_iter().next();
        // What it is called is said: a message that was sent is found again by its words.
        let words = words.unwrap_or_else(|| texts::words(file.filename.clone()));
        let file = File { name: &file.filename, bytes: &bytes };
        Ok(self.post_to_room(&words, 0, Some(file)).await?.map(|spot| spot.name()))
    }
}
