//! How a command reaches the data: it opens it, or asks the bot that runs on it. The command does not care.

use std::{
    io::{ErrorKind, Write},
    path::{Path, PathBuf},
    pin::pin,
    time::Duration,
};

use anyhow::Context as _;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::{sync::mpsc, time::sleep};

use super::{
    admin_api::{
        self, AdminRequest, PAGE,
        listing::{Filter, Listed},
    },
    app::{self, Home},
    control, sentence,
};
use crate::{
    config::Settings,
    model::{audit::Sealed, session::Head},
    store,
};

/// How often, and how far apart, it is tried: a bot that starts holds the store a moment before it listens, and
/// another command lets go of it soon.
const TRIES: u32 = 20;
pub(super) const PAUSE: Duration = Duration::from_millis(100);

/// Pieces of an answer that may wait to be written.
const PIECES_MAX: usize = 4;

/// A way to the data.
#[derive(Debug)]
pub(super) enum DataAccess {
    /// No bot runs: the data is open in this process.
    Here(Box<Home>),
    /// A bot runs on this data directory, and is asked.
    There(PathBuf),
}

impl DataAccess {
    /// Finds the way; nothing is created where nothing is.
    pub(super) async fn find(settings: &Settings) -> anyhow::Result<Self> {
        let dir = &settings.data_dir;
        if settings.postgres.is_none() && !holds_data(dir)? {
            return Err(no_data(dir));
        }
        for last in (0..tries(settings)).rev() {
            if control::call(dir).await?.is_some() {
                return Ok(Self::There(dir.clone()));
            }
            match app::open_for_command(settings) {
                Ok(opened) => {
                    app::refuse_copied(&*opened.parts.store).await?;
                    return Ok(Self::Here(Box::new(Home::at_rest(settings, opened))));
                }
                Err(error) => match error.downcast_ref::<store::Error>() {
                    Some(store::Error::Busy { .. } | store::Error::Leased { .. }) if last > 0 => {}
                    Some(store::Error::Busy { dir, pid }) => {
                        return Err(sentence(format!(
                            "`{dir}` is in use by process {pid}, which doesn't answer commands. hint: stop it with \
                             Ctrl-C or `kill {pid}` (nothing is lost), then try again"
                        )));
                    }
                    _ => return Err(error),
                },
            }
            sleep(PAUSE).await;
        }
        Err(sentence(format!("`{}` is in use. hint: try again in a moment", dir.display())))
    }

    /// Asks for something short.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        request: AdminRequest,
    ) -> anyhow::Result<T> {
        self.ask_into(request, &mut std::io::sink()).await
    }

    /// Asks for something whose bytes go to `into`, piece by piece.
    pub(super) async fn ask_into<T: DeserializeOwned>(
        &self,
        request: AdminRequest,
        into: &mut dyn Write,
    ) -> anyhow::Result<T> {
        let value = match self {
            Self::Here(home) => here(home, request, into).await?,
            Self::There(dir) => match control::call(dir).await? {
                Some(call) => call.ask(request, into).await?,
                None => {
                    return Err(sentence("the bot has stopped in the meantime. hint: try again"));
                }
            },
        };
        serde_json::from_value(value).context("could not understand the bot's answer")
    }

    /// Calls `look` with every session at a glance, oldest first; holds no more than a page of them.
    pub(super) async fn each_head(&self, look: impl FnMut(Head)) -> anyhow::Result<()> {
        let (mut after, mut look) = (None, look);
        loop {
            let page: Vec<Head> = self.ask(AdminRequest::Sessions { after }).await?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.id);
            page.into_iter().for_each(&mut look);
        }
    }

    /// Calls `look` with each page of the conversations that are wanted, newest first, until there were `most`. Ends with the
    /// first failure of `look`.
    pub(super) async fn each_page(
        &self,
        mut wanted: Filter,
        most: usize,
        mut look: impl FnMut(Vec<Head>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut left = most;
        while left > 0 {
            wanted.limit = left.min(PAGE);
            let Listed { sessions, next } = self.ask(AdminRequest::List(wanted.clone())).await?;
            left = left.saturating_sub(sessions.len());
            look(sessions)?;
            if next.is_none() {
                break;
            }
            wanted.before = next;
        }
        Ok(())
    }

    /// Every audit record, in order, a page at a time: no more than that is held. Ends with the first failure of
    /// `look`.
    pub(super) async fn each_audit_page(
        &self,
        mut look: impl FnMut(Vec<Sealed>) -> anyhow::Result<()>,
    ) -> anyhow::Result<()> {
        let mut from = 0;
        loop {
            let page: Vec<Sealed> = match self {
                Self::Here(home) => home.engine.parts().store.audit(from, PAGE).await?,
                Self::There(_) => self.ask(AdminRequest::Audit { from }).await?,
            };
            let next = page.last().map_or(from, |last| last.index.saturating_add(1));
            // Numbers that do not grow are nobody's but a forger's: what comes next cannot be told.
            let is_last = page.len() < PAGE || next <= from;
            look(page)?;
            if is_last {
                return Ok(());
            }
            from = next;
        }
    }
}

/// How often the data is tried: a bot that was killed holds its lease in a database until that ends.
pub(super) fn tries(settings: &Settings) -> u32 {
    let lease = settings.postgres.as_ref().map_or(Duration::ZERO, |database| database.lease);
    let more = lease.as_millis() / PAUSE.as_millis();
    TRIES.saturating_add(u32::try_from(more).unwrap_or(u32::MAX))
}

/// Whether `dir` is a data directory: a folder of another kind is not made one by looking at it.
pub(super) fn holds_data(dir: &Path) -> anyhow::Result<bool> {
    // A bot may answer that has made no store yet, and a restore that has not finished has words of its own.
    for name in ["store", control::NAME, app::RESTORE_SITE] {
        match std::fs::metadata(dir.join(name)) {
            Ok(_) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                return Err(anyhow::Error::new(error).context(format!(
                    "could not open `{}`. hint: run this command as the same user as the bot, or give this user access",
                    dir.display()
                )));
            }
            _ => {}
        }
    }
    Ok(false)
}

/// For a directory in which nothing is.
pub(super) fn no_data(dir: &Path) -> anyhow::Error {
    sentence(format!(
        "there is no data in `{}`. hint: choose the data directory with `--data DIR`",
        dir.display()
    ))
}

/// Carries a request out in this process.
async fn here(home: &Home, request: AdminRequest, into: &mut dyn Write) -> anyhow::Result<Value> {
    let (pieces, mut coming) = mpsc::channel::<Vec<u8>>(PIECES_MAX);
    let mut work = pin!(admin_api::carry_out(home, request, pieces));
    loop {
        tokio::select! {
            biased;
            Some(piece) = coming.recv() => into.write_all(&piece)?,
            done = &mut work => {
                while let Ok(piece) = coming.try_recv() {
                    into.write_all(&piece)?;
                }
                return done;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        config::Environment,
        engine::{Inbound, InboundKind},
        model::{
            effect::Act,
            session::{PersonId, Place, Platform},
        },
        session::{Command, Responder},
    };

    const FLOW: &str = r#"
format = 1
id = "told"
version = "1.0.0"
title = "Told"

[[phase]]
id = "one"
title = "One"
mode = "script"

  [[phase.step]]
  id = "colour"
  tool = "get_user_option"
  args = { prompt = "Which?", options = [ { id = "red", label = "Red" }, { id = "blue", label = "Blue" } ] }

  [[phase.effect]]
  do = "webhook"
  on = "stopped"
  url_from = "hook"
  include = []
"#;

    /// The next bot sends what was queued meanwhile: to the receiver of the tenant, who alone was sent something before.
    #[tokio::test]
    async fn an_erasure_while_no_bot_runs_is_told_to_the_tenants_own_web_hook() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("told.toml"), FLOW).unwrap();
        let config = "[flows]\nenabled = [\"told\"]\n[tenant.acme]\n";
        let mut settings = Settings::parse("config.toml", config, &Environment::default()).unwrap();
        settings.flows.dir = Some(dir.path().to_owned());
        settings.data_dir = dir.path().join("data");
        std::fs::create_dir(&settings.data_dir).unwrap();
        let opened = app::open_for_command(&settings).unwrap();
        let Home { engine, .. } = Home::at_rest(&settings, opened);

        let person = PersonId { workspace: "acme".to_owned(), ..PersonId::web("ada") };
        let from = Responder::without_rights(person, "Ada".to_owned());
        let place = Place {
            platform: Platform::Web,
            workspace: "acme".to_owned(),
            channel: "room".to_owned(),
            thread: None,
        };
        let session = engine.start("told", &from, place, "start").await.unwrap();
        let what = InboundKind::Command(Command::Stop);
        engine.receive(Inbound { key: "stop".to_owned(), session, from, what }).await.unwrap();
        let is_told = async {
            while engine.view(session).await.unwrap().outside().is_empty() {
                sleep(PAUSE).await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), is_told).await.unwrap();
        engine.order_erasure(session, "operator").await.unwrap();
        let left = engine.parts().store.outbox(session).await.unwrap();
        let mut hooks = left.iter().filter(|effect| matches!(effect.act, Act::Webhook { .. }));
        let farewell = hooks.next().unwrap();
        assert_eq!((farewell.place.workspace.as_str(), hooks.next()), ("acme", None));
    }
}
