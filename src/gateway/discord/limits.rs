//! What Discord takes; each constant with its unit and where it is said. "Characters" are UTF-16 units: Discord counts
//! either those or code points and does not say which, and there are never fewer of these.
//!
//! Sources: "docs" is discord/discord-api-docs, "spec" is Discord's own `OpenAPI` document, "#n" an issue of the docs'
//! repository, "twilight" is `twilight-validate`. Where they differ, the smaller number stands here.

use std::time::Duration;

use crate::model::effect::Effect;

/// Components of one message, children included (docs, components/reference).
pub(crate) const MESSAGE_COMPONENTS: usize = 40;

/// Text over all text displays of a message, in characters (spec; #8562).
pub const MESSAGE_TEXT: usize = 4_000;

/// Text over all text displays of a message, in bytes of UTF-8, with [`TEXT_OVERHEAD`] for each display. Beyond it
/// Discord answers 500 (#8554).
pub(crate) const MESSAGE_TEXT_BYTES: usize = 10_170;

/// What each text display counts beside its bytes (#8554).
pub(crate) const TEXT_OVERHEAD: usize = 12;

/// One text display, in characters (twilight; the spec takes 4,000).
pub(crate) const TEXT_DISPLAY: usize = 2_000;

/// Words of a message without components, in characters, for a bot (docs, resources/message).
pub(crate) const CONTENT: usize = 2_000;

/// Buttons in a row (docs, components/reference).
pub(crate) const ROW_BUTTONS: usize = 5;

/// Label of a button, in characters (docs, components/reference).
pub(crate) const BUTTON_LABEL: usize = 80;

/// Address behind a button, in characters (docs, components/reference).
pub(crate) const BUTTON_URL: usize = 512;

/// What a picture is for those who do not see it, in characters (docs, components/reference).
pub(crate) const ALT_TEXT: usize = 1_024;

/// Options of a menu (docs, components/reference).
pub(crate) const SELECT_OPTIONS: usize = 25;

/// Label, value and description of an option, in characters each (docs, components/reference).
pub(crate) const OPTION_TEXT: usize = 100;

/// Words in an empty menu, in characters (docs, components/reference).
pub(crate) const SELECT_PLACEHOLDER: usize = 150;

/// Components at the top of a form (docs, interactions/receiving-and-responding; the spec says 40).
pub(crate) const MODAL_COMPONENTS: usize = 5;

/// Title of a form, in characters (docs, interactions/receiving-and-responding).
pub(crate) const MODAL_TITLE: usize = 45;

/// Label of an input, in characters (docs, components/reference).
pub(crate) const LABEL: usize = 45;

/// Small print of an input, in characters (docs, components/reference).
pub(crate) const LABEL_DESCRIPTION: usize = 100;

/// What may be typed into a text input, in characters (docs, components/reference).
pub(crate) const INPUT_TEXT: usize = 4_000;

/// Words in an empty text input, in characters (docs, components/reference).
pub(crate) const INPUT_PLACEHOLDER: usize = 100;

/// Fewest options of radio buttons (docs, components/reference).
pub(crate) const RADIO_MIN: usize = 2;

/// Most options of radio buttons or checkboxes (docs, components/reference).
pub const TICKS: usize = 10;

/// Files of one file input (docs, components/reference).
pub(crate) const FILE_INPUT_FILES: u32 = 10;

/// Kinds that a file input may be bound to (docs, components/reference).
pub(crate) const FILE_TYPES: usize = 10;

/// One file, in bytes, where neither the person nor the server pays for more; an interaction says what holds for whom
/// (docs, reference).
pub(crate) const FILE_BYTES: u64 = 10 * 1024 * 1024;

/// Name under which a message is sent once only, in characters (docs, resources/message).
pub(crate) const NONCE: usize = 25;

/// Name of a thread, in characters (docs, resources/channel).
pub(crate) const THREAD_NAME: usize = 100;

/// Reason in the audit log, in characters before they are encoded (docs, resources/audit-log).
pub(crate) const AUDIT_REASON: usize = 512;

/// Until an interaction must be answered first (docs, interactions/receiving-and-responding).
pub(crate) const FIRST_ANSWER: Duration = Duration::from_secs(3);

/// An interaction that is older than this when it comes is not answered any more, only kept; ours.
pub const LATE: Duration = Duration::from_millis(2_500);

/// Until a connection for a file stands; ours.
pub(crate) const FILE_CONNECT: Duration = Duration::from_secs(5);

/// Longest silence while a file comes; ours.
pub(crate) const FILE_SILENCE: Duration = Duration::from_secs(15);

/// Longest time for a file; ours.
pub(crate) const FILE_TOTAL: Duration = Effect::FILE_MAX;

/// Choices are buttons up to this many, a menu beyond; ours: more are hard to scan on a phone.
pub(crate) const BUTTONS_MAX: usize = 6;

/// Menus under one question; ours.
pub(crate) const MENUS_MAX: usize = 4;

/// Choices that menus under a question, or in a form, show; more are named by typing.
pub(crate) const MENU_CHOICES: usize = MENUS_MAX * SELECT_OPTIONS;

/// Longest display of one value on a card, in characters; ours. The form shows it whole.
pub(crate) const VALUE_SHOWN: usize = 400;

/// Longest quotation of an answer in a line, in characters; ours.
pub(crate) const QUOTE: usize = 160;

/// Conversations that are read when a new session of the gateway begins, for what was written before; ours.
pub(crate) const CATCH_UP_SESSIONS: usize = 200;

/// Messages that are read of each, at most: a page of Discord's.
pub(crate) const CATCH_UP_MESSAGES: u8 = 100;

/// Calls in a second over all routes, unless Discord has granted more (docs, topics/rate-limits).
pub(crate) const CALLS_PER_SECOND: u32 = 50;

/// How long it is the bot's turn before it is shown that it is writing; ours.
pub(crate) const TYPING_AFTER: Duration = Duration::from_millis(100);

/// How often that is shown again: Discord takes it away after ten seconds (docs, resources/channel).
pub(crate) const TYPING_AGAIN: Duration = Duration::from_secs(8);

/// How long the model is at work before it can be stopped by a button; ours.
pub(crate) const STOP_AFTER: Duration = Duration::from_secs(4);

/// How long it is shown without news of the session; ours.
pub(crate) const TYPING_MAX: Duration = Duration::from_mins(2);

/// Sessions of which it is shown at one time; ours.
pub(crate) const TYPING_SESSIONS: usize = 1_000;

/// Looks at one time; ours.
pub(crate) const TYPING_AT_ONCE: usize = 8;
