//! What each code means with which Slack refuses a call. Pure, and the only place that knows codes of messages, places
//! and people.
//!
//! Sources: the errors that docs.slack.dev names for the methods of [`super::Method`].

use std::time::Duration;

use crate::{chat::refusal::Class, model::effect::CauseKind};

use CauseKind::{
    ChannelUnavailable, MessageLimit, MissingPermission, NotInstalled, SecondFactorRequired,
    TokenRejected, WorkspaceUnavailable,
};
use Class::{
    AlreadyDone, Blocked, Final, Later, MessageGone, PersonUnreachable, PlaceClosed, PlaceGone,
    Plain, Shorten, Unclear, Uneditable,
};

/// They read nothing that the app writes directly.
pub(crate) const SHUT: Class = PersonUnreachable("they do not take messages from the app");

/// When Slack does not say how long to wait.
pub(super) const WAIT_UNSAID: Duration = Duration::from_secs(5);

/// Slack asks to wait, and does not say how long.
const LIMITED: Class = Later { after: WAIT_UNSAID };

/// Every code with its class, sorted.
#[rustfmt::skip]
pub const REFUSALS: &[(&str, Class)] = &[
    ("access_denied", Blocked(MissingPermission)),
    ("accesslimited", Blocked(MissingPermission)),
    ("account_inactive", Blocked(TokenRejected)),
    ("already_in_channel", AlreadyDone),
    ("already_reacted", AlreadyDone),
    ("alt_txt_too_large", Final),
    ("app_uninstalled", Blocked(TokenRejected)),
    ("as_user_not_supported", Final),
    ("attachment_payload_limit_exceeded", Shorten),
    ("block_mismatch", Plain),
    ("cannot_dm_bot", SHUT),
    ("cannot_reply_to_message", PlaceClosed),
    ("cant_broadcast_message", Uneditable),
    ("cant_delete_file", Final),
    ("cant_delete_message", Final),
    ("cant_update_message", Uneditable),
    ("channel_is_limited_access", Blocked(ChannelUnavailable)),
    ("channel_not_found", Blocked(ChannelUnavailable)),
    ("channel_type_not_supported", Blocked(ChannelUnavailable)),
    ("compliance_exports_prevent_deletion", Final),
    ("deprecated_endpoint", Final),
    ("duplicate_channel_not_found", Final),
    ("duplicate_external_id", Final),
    ("duplicate_message_not_found", Final),
    ("edit_window_closed", Uneditable),
    ("ekm_access_denied", Blocked(ChannelUnavailable)),
    ("enterprise_is_restricted", Blocked(MissingPermission)),
    ("exchanged_trigger_id", Final),
    ("expired_trigger_id", Final),
    ("external_channel_migrating", Blocked(ChannelUnavailable)),
    ("fatal_error", Unclear),
    ("feature_not_enabled", Blocked(MissingPermission)),
    ("fetch_members_failed", Unclear),
    ("file_deleted", MessageGone),
    ("file_not_found", MessageGone),
    ("file_update_failed", Unclear),
    ("file_upload_size_restricted", Final),
    ("file_uploads_disabled", Blocked(MissingPermission)),
    ("hash_conflict", Final),
    ("internal_error", Unclear),
    ("invalid_arg_name", Final),
    ("invalid_arguments", Plain),
    ("invalid_array_arg", Final),
    ("invalid_attachments", Plain),
    ("invalid_auth", Blocked(TokenRejected)),
    ("invalid_blocks", Plain),
    ("invalid_blocks_format", Plain),
    ("invalid_channel", Blocked(ChannelUnavailable)),
    ("invalid_charset", Final),
    ("invalid_chunks", Plain),
    ("invalid_cursor", Final),
    ("invalid_external_id", Final),
    ("invalid_form_data", Final),
    ("invalid_json", Final),
    ("invalid_limit", Final),
    ("invalid_metadata_format", Plain),
    ("invalid_metadata_schema", Plain),
    ("invalid_post_type", Final),
    ("invalid_thread_ts", PlaceClosed),
    ("invalid_trigger_id", Final),
    ("invalid_ts_latest", Final),
    ("invalid_ts_oldest", Final),
    ("invalid_user_combination", SHUT),
    ("is_archived", Blocked(ChannelUnavailable)),
    ("is_bot", Final),
    ("is_inactive", Blocked(ChannelUnavailable)),
    ("json_not_object", Final),
    ("limit_required", Final),
    ("markdown_text_conflict", Plain),
    ("message_limit_exceeded", Blocked(MessageLimit)),
    ("message_not_found", MessageGone),
    ("message_not_in_streaming_state", Uneditable),
    ("message_not_owned_by_app", Uneditable),
    ("messages_tab_disabled", SHUT),
    ("messaging_processing_failed", Unclear),
    ("metadata_must_be_sent_from_app", Plain),
    ("metadata_too_large", Plain),
    ("method_deprecated", Final),
    ("method_not_supported_for_channel_type", Blocked(ChannelUnavailable)),
    ("missing_argument", Final),
    ("missing_charset", Final),
    ("missing_file_data", Final),
    ("missing_post_type", Final),
    ("missing_recipient_team_id", Final),
    ("missing_recipient_user_id", Final),
    ("missing_scope", Blocked(MissingPermission)),
    ("msg_blocks_too_long", Plain),
    ("msg_too_long", Shorten),
    ("no_permission", Blocked(ChannelUnavailable)),
    ("no_reaction", AlreadyDone),
    ("no_such_subteam", Final),
    ("no_text", Plain),
    ("not_allowed_token_type", Blocked(MissingPermission)),
    ("not_authed", Blocked(TokenRejected)),
    ("not_enabled", Blocked(MissingPermission)),
    ("not_enough_users", Final),
    ("not_found", MessageGone),
    ("not_in_channel", Blocked(ChannelUnavailable)),
    ("org_login_required", Blocked(WorkspaceUnavailable)),
    ("permission_denied", Blocked(MissingPermission)),
    ("plan_upgrade_required", Blocked(MissingPermission)),
    ("posting_to_channel_denied", Blocked(ChannelUnavailable)),
    ("push_limit_reached", Final),
    ("rate_limited", LIMITED),
    ("ratelimited", LIMITED),
    ("request_timeout", Unclear),
    ("restricted_action", Blocked(ChannelUnavailable)),
    ("restricted_action_non_threadable_channel", PlaceClosed),
    ("restricted_action_read_only_channel", Blocked(ChannelUnavailable)),
    ("restricted_action_thread_locked", PlaceClosed),
    ("restricted_action_thread_only_channel", Blocked(ChannelUnavailable)),
    ("service_unavailable", Unclear),
    ("slack_connect_canvas_sharing_blocked", Final),
    ("slack_connect_file_link_sharing_blocked", Final),
    ("slack_connect_file_upload_sharing_blocked", Blocked(MissingPermission)),
    ("slack_connect_lists_sharing_blocked", Final),
    ("snippet_too_large", Final),
    ("storage_limit_reached", Blocked(MessageLimit)),
    ("streaming_state_conflict", Uneditable),
    ("team_access_not_granted", Blocked(NotInstalled)),
    ("team_added_to_org", Blocked(WorkspaceUnavailable)),
    ("team_disabled", Blocked(WorkspaceUnavailable)),
    ("team_not_found", Blocked(NotInstalled)),
    ("thread_locked", PlaceClosed),
    ("thread_not_found", PlaceGone),
    ("token_expired", Blocked(TokenRejected)),
    ("token_revoked", Blocked(TokenRejected)),
    ("too_many_attachments", Plain),
    ("too_many_contact_cards", Plain),
    ("too_many_users", Final),
    ("trigger_exchanged", Final),
    ("trigger_expired", Final),
    ("two_factor_setup_required", Blocked(SecondFactorRequired)),
    ("unknown_method", Final),
    ("unknown_snippet_type", Final),
    ("unknown_subtype", Final),
    ("update_failed", Unclear),
    ("user_disabled", PersonUnreachable("the account is not active")),
    ("user_is_restricted", Blocked(MissingPermission)),
    ("user_not_found", PersonUnreachable("the account is not active")),
    ("user_not_in_channel", PersonUnreachable("they are not in the channel")),
    ("user_not_visible", SHUT),
    ("users_list_not_supplied", Final),
    ("users_not_found", PersonUnreachable("the account is not active")),
    ("view_not_found", MessageGone),
    ("view_too_large", Shorten),
];

/// What a code means.
pub fn class(code: &str) -> Class {
    let found = REFUSALS.binary_search_by_key(&code, |(known, _)| known);
    found.map_or(Class::Unknown, |at| REFUSALS[at].1)
}

/// Why a channel takes nothing, in a few words.
pub fn unavailable(code: &str) -> &'static str {
    match code {
        "is_archived" | "is_inactive" => "the channel is archived",
        "channel_not_found" | "not_in_channel" | "no_permission" | "invalid_channel" => {
            "the app is not in the channel"
        }
        _ => "the app may not write in the channel",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_once_and_in_its_place() {
        assert!(REFUSALS.is_sorted_by(|(one, _), (two, _)| one < two));
        for (code, of) in REFUSALS {
            assert_eq!(class(code), *of);
        }
        assert_eq!(class("a_code_of_tomorrow"), Class::Unknown);
    }

    #[test]
    fn nothing_that_may_pass_is_final() {
        for code in [
            "message_limit_exceeded",
            "thread_not_found",
            "restricted_action_thread_locked",
            "msg_too_long",
            "no_text",
            "metadata_too_large",
            "channel_not_found",
            "is_archived",
            "not_in_channel",
            "token_revoked",
            "invalid_auth",
            "account_inactive",
            "team_access_not_granted",
        ] {
            assert_ne!(class(code), Final, "{code}");
        }
    }
}
