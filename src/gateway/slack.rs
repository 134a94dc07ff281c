//! Slack: a recruiting team installs the app, invites a candidate, and the whole interview happens there.
//!
//! ```text
//! socket or http ─▶ parse ─▶ inbox ─▶ engine          (durable, then acknowledged)
//! outbox ─▶ send ─▶ render ─▶ api ─▶ Slack             (limited, timed, reconciled)
//! ```
//!
//! Every frame is kept as raw JSON and read by [`parse`]: the typed models of the client library lose answers.
//! A direct conversation's place has the person's user id as its channel, whatever id Slack gives the conversation
//! with the bot; everything of one interview stands in one thread.
//!
//! # For operators
//!
//! One workspace, over sockets; nothing needs to reach your machine:
//!
//! 1. Create the app "from a manifest" with `manifests/slack.socket.json` ([`manifest`] writes it).
//! 2. **Press "Reinstall to Workspace"** under "OAuth & Permissions": a manifest grants two scopes until then, and
//!    everything looks healthy meanwhile. Copy the bot's token, `xoxb-…`.
//! 3. Under "Basic Information", "App-Level Tokens", make a token with `connections:write`: `xapp-…`.
//! 4. In `config.toml`, with the tokens in the environment or in files, never in it:
//!
//!    ```toml
//!    [slack]
//!    bot_token_env = "SLACK_BOT_TOKEN"
//!    app_token_env = "SLACK_APP_TOKEN"
//!    staff_groups  = ["S0123456789"]
//!    [slack.channels]
//!    recruiting_approvals = "C0123456789"
//!    ```
//! 5. Invite the bot to each private channel, then `anteroom doctor slack --online` ([`doctor`]): it names what is
//!    missing and the page to mend it on.
//! 6. `anteroom run`, and `/onboard` in Slack.
//!
//! Behind a proxy, `HTTPS_PROXY` (`http://proxy.example:3128`) and `NO_PROXY` hold for sockets and calls alike.
//!
//! Over HTTP ([`connect`]) Slack's requests come to `listen`, 127.0.0.1:3000 unless told otherwise, through a proxy
//! that speaks TLS. Create the app from `manifests/slack.http.json` with your own name in place of
//! `bot.example.org`, and write `transport = "http"` and `signing_secret_env`. One path serves everything,
//! `/slack/events`; `/slack/interactivity` and `/slack/commands` do the same. `/healthz` answers there too. Limits: `docs/listeners.md`.
//!
//! Several workspaces install the app themselves at `/slack/install` ([`installations`]): `[slack.oauth]` takes the place of
//! the bot's token, with either transport. Tokens are kept sealed and renewed.
//!
//! When something is wrong: `/readyz` is red after a minute without a socket; `anteroom_slack_frames_total` says what
//! became of what Slack delivered (`not_taken` and `late` are not acknowledged, Slack delivers them again),
//! `anteroom_slack_reconnects_total` why sockets were replaced. Every process of an app counts against Slack's ten
//! sockets. A token that Slack refuses, and Socket Mode switched off, end the bot with words.

pub mod agent;
pub mod answer;
pub mod api;
pub mod app;
pub mod background;
mod blocks;
mod catch_up;
pub mod commands;
pub mod connect;
mod delivery;
pub mod doctor;
pub mod files;
pub mod handler;
pub mod home;
pub mod inbound;
pub mod installations;
mod inviter;
pub mod limits;
pub mod manifest;
pub mod parse;
pub mod people;
mod profile;
pub mod render;
pub mod send;
pub(crate) mod staff_thread;
pub mod texts;
pub mod tokens;
pub mod transcript;
mod update;
