//! What the bot hands over: files that it made, and links.
//!
//! A file carries the id of its effect in its name, as a post does in its metadata: where an attempt may have happened, it
//! is looked for before it is sent again.

use chrono::TimeDelta;
use reqwest::Url;

use super::{Delivered, Sender, Target, Undelivered};
use crate::{
    gateway::slack::{api::Failure, files::Upload, render, texts},
    messages,
    model::{artifact::Artifact, effect::Handout, posted::Item},
    ports::artifacts::blobs,
};

/// How long after an upload that was not answered Slack surely shows it, if it came: it shares files by and by.
const SHOWN_AFTER: TimeDelta = TimeDelta::seconds(15);

impl Sender<'_> {
    pub(super) async fn hand_over(&self, what: &Handout, text: &str) -> Delivered<Option<String>> {
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
        let mut target = self.conversation().await?;
        if target.thread.is_none() {
            // A file is no root: nothing can be asked under it.
            let said = render::post(text);
            let Some(first) = said.first() else { return Err(Undelivered::Later) };
            let spot = self.post(&target, first, 0).await?;
            self.rooted(&target, &spot).await?;
            target = Target::new(spot.channel, Some(spot.message));
            self.send_file(&target, (file, ""), bytes).await?;
            return Ok(None);
        }
        // The first attempt of what began the conversation has said it.
        let was_said = self.may_be_there && {
            let root = Target::new(target.channel.clone(), None);
            self.look_for(&root, &self.delivery(0)).await?.is_some()
        };
        let text = if was_said { "" } else { text };
        self.send_file(&target, (file, text), bytes).await?;
        Ok(None)
    }

    async fn send_file(
        &self,
        target: &Target,
        (file, text): (&Artifact, &str),
        bytes: Vec<u8>,
    ) -> Delivered<()> {
        let name = self.effect.file_name(&file.filename);
        let channel = self.open(target).await?;
        if self.may_be_there {
            let messages = self.lately(&channel, target.thread.as_deref()).await?;
            let mut files = messages.iter().filter_map(|found| found["files"].as_array()).flatten();
            if let Some(found) = files.find(|file| file["name"] == name) {
                self.left(Item::File { id: found["id"].as_str().unwrap_or_default().to_owned() });
                return Ok(());
            }
        }
        let said = render::post(text).into_iter().next().map(|message| message.text);
        let upload = Upload {
            name: &name,
            title: &file.filename,
            words: said.as_deref().unwrap_or_default(),
            bytes,
        };
        let was_doubted = self.app.possible_duplicates.begin(self.effect.id);
        let place = (channel.as_str(), target.thread.as_deref());
        self.tried(target);
        let sent = self.app.files.send(self.team(), place, upload).await;
        self.ended(was_doubted, sent.as_ref().err());
        match sent {
            Err(Failure::Unclear { .. }) => {
                let after = SHOWN_AFTER.max(self.effect.exponential_backoff());
                Err(Undelivered::Unclear { after })
            }
            sent => {
                self.left(Item::File { id: sent? });
                Ok(())
            }
        }
    }
}
