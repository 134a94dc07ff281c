//! What the bot hands over: files that it made, and links.
//!
//! A file carries the id of its effect in its name, as a post does in its metadata: where an attempt may have happened, it
//! is looked for before it is sent again.

use reqwest::Url;

use super::{Delivered, Sender, Target, Undelivered};
use crate::{
    gateway::slack::{api::Failure, files::Upload, render, texts},
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
                let page = Url::parse(url);
                let page =
                    page.map_err(|_| Undelivered::Never("a link that is none".to_owned()))?;
                if let Some(last) = messages.last_mut() {
                    last.blocks.extend(texts::link(label, page));
                }
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
        let mut target = self.conversation().await?;
        if target.thread.is_none() {
            // A file is no root: nothing can be asked under it.
            let words = render::post(text);
            let Some(first) = words.first() else { return Err(Undelivered::Later) };
            let spot = self.post(&target, first, 0).await?;
            self.rooted(&target, &spot).await?;
            target = Target::new(spot.channel, Some(spot.message));
            self.send_file(&target, (file, ""), bytes).await?;
            return Ok(None);
        }
        self.send_file(&target, (file, text), bytes).await?;
        Ok(None)
    }

    async fn send_file(
        &self,
        target: &Target,
        (file, text): (&Artifact, &str),
        bytes: Vec<u8>,
    ) -> Delivered<()> {
        let id = self.effect.id;
        let name = named(&file.filename, &id.short());
        let channel = self.open(target).await?;
        if self.may_be_there() {
            let messages = self.lately(&channel, target.thread.as_deref()).await?;
            let mut files = messages.iter().filter_map(|found| found["files"].as_array()).flatten();
            if files.any(|file| file["name"] == name) {
                return Ok(());
            }
        }
        let words = render::post(text).into_iter().next().map(|message| message.text);
        let upload = Upload {
            name: &name,
            title: &file.filename,
            words: words.as_deref().unwrap_or_default(),
            bytes,
        };
        self.app.doubt(id);
        let place = (channel.as_str(), target.thread.as_deref());
        let sent = self.app.files.send(self.team(), place, upload).await;
        if !matches!(sent, Err(Failure::Unclear { .. })) {
            self.app.know(id);
        }
        Ok(sent?)
    }
}

/// `diagram.png` as `diagram-4f2a.png`.
fn named(filename: &str, id: &str) -> String {
    match filename.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}-{id}.{extension}"),
        None => format!("{filename}-{id}"),
    }
}
