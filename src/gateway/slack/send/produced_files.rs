//! Files that the bot made, handed over.
//!
//! A file carries the id of its effect in its name, as a post does in its metadata: where an attempt may have happened, it
//! is looked for before it is sent again.

use chrono::TimeDelta;

use super::{Delivered, Sender, Target, Undelivered};
use crate::{
    chat::courier::Courier as _,
    gateway::slack::{api::Failure, files::Upload, render},
    model::{artifact::Artifact, effect::Effect, posted::Item},
};

/// How long after an upload that was not answered Slack surely shows it, if it came: it shares files by and by.
const SHOWN_AFTER: TimeDelta = TimeDelta::seconds(15);

const _: () = assert!(SHOWN_AFTER.num_seconds() <= Effect::SHORT_PAUSE_MAX.num_seconds());

impl Sender<'_> {
    /// Sends a file with words beside it, unless it is there already.
    pub(super) async fn send_file(
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
                self.leave_behind(Item::File {
                    id: found["id"].as_str().unwrap_or_default().to_owned(),
                });
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
                self.leave_behind(Item::File { id: sent? });
                Ok(())
            }
        }
    }
}
