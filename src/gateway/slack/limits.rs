//! What Slack takes; each constant with its unit and where it is said. "Characters" are UTF-16 units after `& < >` are
//! escaped: how Slack counts is not documented, and this is the most careful reading.
//!
//! Sources: "models" is Slack's own SDK for Python (`slack_sdk.models`), "types" is Slack's `@slack/types`, "docs" is
//! docs.slack.dev. Where they differ, the smaller number stands here.

use std::time::Duration;

use chrono::TimeDelta;

use crate::model::effect::Effect;

/// Blocks of one message (docs, block-kit/blocks).
pub(crate) const MESSAGE_BLOCKS: usize = 50;

/// Blocks of one form or Home (docs, block-kit/blocks).
pub(crate) const VIEW_BLOCKS: usize = 100;

/// The whole of a message's blocks, in characters of all their texts. Slack refuses at about 13,200
/// (`msg_blocks_too_long`, bolt-js #2509) and says so nowhere; labels and options are counted here too.
pub const MESSAGE_TOTAL: usize = 12_000;

/// A message's own `text`, in characters: beyond it Slack advises to split (models, chat.postMessage).
pub const MESSAGE_TEXT: usize = 4_000;

/// What our own views stay below, in bytes: room for what Slack adds.
pub(crate) const VIEW_BYTES_OURS: usize = 200_000;

/// Text of a section, in characters (types, `SectionBlock`); any text object has this end.
pub(crate) const SECTION: usize = 3_000;

/// Fields of a section (models, `SectionBlock`).
pub(crate) const SECTION_FIELDS: usize = 10;

/// Text of a header, in characters (models, `HeaderBlock`).
pub(crate) const HEADER: usize = 150;

/// Elements of a context (models, `ContextBlock`).
pub(crate) const CONTEXT_ELEMENTS: usize = 10;

/// Elements of a row of actions (models, `ActionsBlock`).
pub(crate) const ACTIONS_ELEMENTS: usize = 25;

/// Label and hint of an input, in characters each (models, `InputBlock`).
pub(crate) const INPUT_LABEL: usize = 2_000;

/// Any id of ours: `block_id`, `action_id`, `callback_id`, `external_id`, in characters (models).
pub const ID: usize = 255;

/// Text and description of an option, in characters each (models, `Option`).
pub(crate) const OPTION_TEXT: usize = 75;

/// Options of a select, or of one of its groups (models, `StaticSelectElement`, `OptionGroup`).
pub(crate) const SELECT_OPTIONS: usize = 100;

/// Groups of options of a select (models, `StaticSelectElement`).
pub(crate) const SELECT_GROUPS: usize = 100;

/// Label of a group of options, in characters (models, `OptionGroup`).
pub(crate) const GROUP_LABEL: usize = 75;

/// Options of checkboxes or radio buttons (models, `CheckboxesElement`).
pub const TICKS: usize = 10;

/// Text of a button, in characters (models, `ButtonElement`).
pub(crate) const BUTTON_TEXT: usize = 75;

/// What a screen reader says for a button, in characters (models, `ButtonElement`).
pub(crate) const BUTTON_LABEL: usize = 75;

/// Heading of a confirmation, in characters (models, `ConfirmObject`).
pub(crate) const CONFIRM_TITLE: usize = 100;

/// Text of a confirmation, in characters (models, `ConfirmObject`).
pub(crate) const CONFIRM_TEXT: usize = 300;

/// Either button of a confirmation, in characters (models, `ConfirmObject`).
pub(crate) const CONFIRM_BUTTON: usize = 30;

/// Words in an empty input, in characters (models, `PlainTextInputElement`).
pub(crate) const PLACEHOLDER: usize = 150;

/// What may be typed into a text input, in characters (models, `PlainTextInputElement`).
pub(crate) const INPUT_TEXT: usize = 3_000;

/// Files of one file input (docs, file-input-element).
pub(crate) const FILE_INPUT_FILES: u32 = 10;

/// One file of a file input, in bytes (docs, file-input-element). A file dropped into the thread may be larger.
pub(crate) const FILE_INPUT_BYTES: u64 = 10 * 1024 * 1024;

/// Title and buttons of a form, in characters each (types, `ModalView`).
pub(crate) const VIEW_TITLE: usize = 24;

/// Choices are buttons up to this many, a menu beyond; ours: more are hard to scan on a phone.
pub(crate) const BUTTONS_MAX: usize = 5;

/// What our own messages stay below, in characters of all their texts: room for a line that says how it ended.
pub(crate) const MESSAGE_TOTAL_OURS: usize = 11_000;

/// Longest display of one value on a card, in characters; ours. The form shows it whole.
pub(crate) const VALUE_SHOWN: usize = 600;

/// Longest reason why an answer has not helped, in characters; ours.
pub(crate) const REASON: usize = 2_000;

/// Longest quotation of an answer in a line, in characters; ours.
pub(crate) const QUOTE: usize = 160;

/// Longest label of an input, in characters; ours, far below [`INPUT_LABEL`], so that many inputs fit one form.
pub(crate) const LABEL_SHOWN: usize = 200;

/// People and groups that are remembered, at most.
pub(crate) const PEOPLE_KEPT: u64 = 10_000;

/// How long what is known of people and groups counts as known.
pub(crate) const PEOPLE_FRESH: Duration = Duration::from_mins(5);

/// How often the groups of the lists are asked for, so that they stay known.
pub(crate) const GROUPS_REFRESHED: Duration = Duration::from_mins(4);

/// Longest check of what somebody may do, at a click: Slack waits three seconds for an acknowledgement.
pub(crate) const CLICK_CHECK: Duration = Duration::from_millis(1500);

/// Longest time for a connection to the host of a file.
pub(crate) const FILE_CONNECT: Duration = Duration::from_secs(5);

/// Longest silence while a file comes.
pub(crate) const FILE_SILENCE: Duration = Duration::from_secs(15);

/// Longest time for one file.
pub(crate) const FILE_TOTAL: Duration = Effect::FILE_MAX;

/// Redirects that are followed for a file, all of them within Slack.
pub(crate) const FILE_REDIRECTS: usize = 3;

/// Sessions that wait to be looked at, at most.
pub(crate) const AGENDA_MAX: usize = 10_000;

/// Sessions of which something that was shown or read is remembered, in each way.
pub(crate) const SESSIONS_KEPT: u64 = 10_000;

/// Sessions that are looked at, at one time.
pub(crate) const LOOKS_AT_ONCE: usize = 8;

/// Shortest time between the beginnings of two looks: what is shown must not cost what the work costs.
pub(crate) const LOOK_PAUSE: Duration = Duration::from_millis(20);

/// Characters of a session's title.
pub(crate) const SESSION_TITLE: usize = 200;

/// Messages that are shown in turn while the bot works.
pub(crate) const LOADING_MESSAGES: usize = 10;

/// Changes of a session that come close together are shown as one.
pub(crate) const STATUS_PACE: Duration = Duration::from_millis(100);

/// How long the bot is at work until it says that this takes longer than usual; ours.
pub(crate) const STATUS_LATE: Duration = Duration::from_secs(10);

/// How often a status is said again: Slack takes one away to which nothing is added for two minutes (docs,
/// assistant.threads.setStatus).
pub(crate) const STATUS_RENEWED: Duration = Duration::from_secs(100);

/// How long a status is said again without a word of the bot; ours.
pub(crate) const STATUS_MAX: Duration = Duration::from_hours(1);

/// Longest time until a status is said again that Slack had no room for.
pub(crate) const STATUS_AGAIN: Duration = Duration::from_secs(30);

/// How long a method that Slack refuses is left alone.
pub(crate) const REFUSED_REST: Duration = Duration::from_mins(10);

/// Words that come close together are shown at once. Other agents wait for 750 ms, and so has Slack's client
/// recommended; a bot has 100 calls a minute for all its streams in a workspace.
pub(crate) const STREAM_PACE: Duration = Duration::from_millis(750);

/// Characters before a stream is opened: a short answer needs none.
pub(crate) const STREAM_BEGIN: usize = 40;

/// A stream dies about five minutes after it was opened, even in use (node-slack-sdk #2702).
pub(crate) const STREAM_ROLL: Duration = Duration::from_mins(4);

/// Markdown in one message, in characters (of 12,000; docs.slack.dev/reference/methods/chat.appendStream).
pub(crate) const STREAM_TEXT: usize = 11_000;

/// Conversations that are read at a start for what was written meanwhile; each asks Slack once or twice, and Slack
/// answers fifty a minute.
pub(crate) const CATCH_UP_SESSIONS: usize = 200;

/// Messages on a page of what is read of each.
pub(crate) const CATCH_UP_MESSAGES: u32 = 100;

/// Pages that are read of each, at most.
pub(crate) const CATCH_UP_PAGES: usize = 5;

/// Places without a conversation that are looked through, the newest first.
pub(crate) const CATCH_UP_PLACES: usize = 500;

/// How many of them stand on a page.
pub(crate) const PLACES_PAGE: u32 = 200;

/// Tasks of one plan (client library, `kit.rs`).
pub(crate) const PLAN_TASKS: usize = 50;

/// Characters of a task's title; ours, so that it stays one line.
pub(crate) const TASK_TITLE: usize = 150;

/// How long a call runs until people see it in a plan; ours: what is done sooner would only flash.
pub(crate) const PLAN_AFTER: TimeDelta = TimeDelta::seconds(1);

/// How often a plan is looked at that does not change.
pub(crate) const PLAN_LOOK: Duration = Duration::from_secs(5);

/// How long a message whose words have ended may wait for its post.
pub(crate) const STREAM_ORPHAN: Duration = Duration::from_secs(20);

/// The newest sessions, of which it is known soon after a start whether an earlier process has left a message open.
pub(crate) const STREAM_SESSIONS: usize = 2_000;

/// People whose Home is kept up to date, at most; the one that was opened first is left alone.
pub(crate) const HOMES_MAX: usize = 1_000;

/// How long somebody may be looking at their Home: Slack tells when it is opened, not when it is left.
pub(crate) const HOME_OPEN: Duration = Duration::from_mins(30);

/// Changes that come this close together are drawn at once on a participant's Home.
pub(crate) const HOME_PACE: Duration = Duration::from_secs(3);

/// Changes that come this close together are drawn at once on the Home of one of the staff, who see everybody's.
pub(crate) const HOME_PACE_STAFF: Duration = Duration::from_secs(15);

/// Own conversations on a Home.
pub(crate) const HOME_OWN: usize = 10;

/// Interviews that can be started from a Home.
pub(crate) const HOME_FLOWS: usize = 10;

/// Rows of the overview.
pub(crate) const HOME_ROWS: usize = 20;

/// Conversations that the overview counts.
pub(crate) const HOME_COUNTED: usize = 2_000;
