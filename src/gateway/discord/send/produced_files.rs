//! What the bot hands over: files that it made, and links.
//!
//! A file carries the id of its effect in its name: where an attempt may have happened that Discord remembers no more, it
//! is looked for by that before it is sent again.

use super::{
    post::File,
    sender::{Delivered, Sender, Undelivered},
};
use crate::{
    gateway::discord::{render, texts},
    messages,
    model::{artifact::Artifact, effect::Handout},
    ports::artifacts::blobs,
};

impl Sender<'_> {
    pub(super) async fn hand_over(&self, what: &Handout, text: &str) -> Delivered<Option<String>> {
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
        let engine = self.app.engine();
        let kept = engine.parts().artifacts.read(self.effect.session, file).await;
        let kept = kept.map_err(|error| match error {
            // It stays so however often it is tried.
            blobs::Error::Damaged { .. } => Undelivered::Never(error.to_string()),
            _ => Undelivered::Later,
        })?;
        let Some(bytes) = kept else {
            return self.post_all(&texts::plain(messages::notices::FILE_GONE)).await;
        };
        let said = render::post(text).into_iter().next();
        let said = said.unwrap_or_else(|| texts::words(file.filename.clone()));
        let name = self.effect.file_name(&file.filename);
        let file = File { name: &name, bytes: &bytes };
        Ok(self.post_to_room(&said, 0, Some(file)).await?.map(|spot| spot.name()))
    }
}
