//! What is learnt from a provider's refusal: which parameter to leave out, which order to send, what to send back.
//!
//! A quirk is recognised once by the status, the parameter that is named and the sentence, changes the [`Profile`] by
//! which a service is asked, and is kept while the program runs. The request is then sent again; no quirk is recognised
//! twice for one request, so a provider that refuses everything is asked a few times and no more.

use std::borrow::Cow;

use crate::config::{
    dialect::{JsonMode, OutputLimit, Replay, SystemRole, Wire},
    preset::{Filler, Profile},
};

/// Room for thoughts that a model is given once it has used up all of its answer for them.
const ROOM: u32 = 16_000;

/// The most room that it is ever given.
const ROOM_MAX: u32 = 48_000;

/// Smallest bound of an answer that is believed.
const BOUND_MIN: u32 = 256;

/// The part of the answer that was asked for with which one can still do.
const ENOUGH: u32 = 4;

/// Words of refusals that speak of the conversation and the answer together: such a bound is none of the model's.
const OF_CONTEXT: [&str; 3] = ["context length", "context limit", "input length"];

/// A change of how a service is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quirk {
    /// Leave out an optional member of the request.
    Without(Member),
    /// Call the bound of an answer so.
    Limit(OutputLimit),
    /// Ask for no longer answer than this.
    AtMost(u32),
    /// Ask for no longer answer than this in this request: its conversation leaves no more of the context.
    Left(u32),
    /// Leave more room for thoughts.
    Room,
    /// Say that it is not to think: it cannot call tools otherwise.
    NoThinking,
    /// Ask in the format of Responses.
    Responses,
    /// Send messages in strict turns.
    Alternate,
    /// Put what is said after a result into the result.
    Fold,
    /// Send no instructions of their own.
    NoSystem,
    /// Send empty words instead of `null`.
    EmptyContent,
    /// Send words or calls, not both.
    Apart,
    /// Leave thoughts out of this request: they belong to another conversation.
    Forget,
    /// Send opaque members back, or do not.
    Replay(Replay, Filler),
}

/// An optional member of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Member {
    /// `stream_options`
    StreamOptions,
    /// `parallel_tool_calls`
    ParallelCalls,
    /// `temperature`
    Temperature,
    /// `reasoning_effort`
    Effort,
    /// `response_format`
    Format,
    /// `strict` of a tool
    Strict,
    /// A `tool_choice` that forces a call
    ForcedChoice,
}

impl Member {
    /// All, with the names by which refusals call them.
    const ALL: [(&'static str, Self); 9] = [
        ("stream_options", Self::StreamOptions),
        ("include_usage", Self::StreamOptions),
        ("parallel_tool_calls", Self::ParallelCalls),
        ("temperature", Self::Temperature),
        ("reasoning_effort", Self::Effort),
        ("response_format", Self::Format),
        ("json_schema", Self::Format),
        ("tool_choice", Self::ForcedChoice),
        ("strict", Self::Strict),
    ];
}

/// Words with which members are refused.
const REFUSING: [&str; 19] = [
    "unsupported",
    "not support",
    "unknown",
    "unrecognized",
    "unrecognised",
    "unexpected",
    "not permitted",
    "not allowed",
    "forbidden",
    "deprecated",
    "extra",
    "invalid",
    "only the default",
    "not be used",
    "not available",
    "cannot",
    "must be",
    "remove",
    "may not",
];

impl Quirk {
    /// The quirk that a refusal shows, where there is one. `said` is the sentence in small letters.
    pub(super) fn of(status: Option<u16>, param: Option<&str>, said: &str) -> Option<Self> {
        // Templates of local servers fail with a 500.
        if !matches!(status, None | Some(400 | 404 | 422 | 500)) {
            return None;
        }
        let param = param.unwrap_or_default().to_ascii_lowercase();
        opaque(&param, said)
            .or_else(|| order(said))
            .or_else(|| thinking(said))
            .or_else(|| bound(&param, said))
            .or_else(|| member(&param, said))
    }

    /// Whether it is about one conversation only, so that nothing is remembered.
    pub(super) const fn is_passing(&self) -> bool {
        matches!(self, Self::Left(_) | Self::Forget)
    }

    /// Changes how a service is asked this once.
    pub(super) fn apply_once(&self, profile: &mut Profile) {
        if *self == Self::Forget {
            profile.replay = Replay::Never;
        }
        if let Self::Left(left) = self {
            profile.most = Some(profile.most.unwrap_or(*left).min(*left));
        }
    }

    /// Changes how a service is asked.
    pub(super) fn apply(&self, profile: &mut Profile) {
        match self {
            Self::Without(member) => member.leave_out(profile),
            Self::Limit(limit) => {
                profile.output_limit = *limit;
                if *limit == OutputLimit::MaxCompletionTokens {
                    // Who wants it so thinks.
                    profile.headroom = profile.headroom.max(ROOM);
                }
            }
            Self::AtMost(most) => profile.most = Some(*most),
            Self::Room => profile.headroom = (profile.headroom * 2).clamp(ROOM, ROOM_MAX),
            Self::NoThinking => profile.effort = Some(Cow::Borrowed("none")),
            Self::Responses => {
                profile.wire = Wire::Responses;
                profile.replay = Replay::Always;
                profile.headroom = profile.headroom.max(ROOM);
            }
            // They are about one conversation only.
            Self::Left(_) | Self::Forget => {}
            Self::Alternate => {
                profile.order.alternate = true;
                profile.order.empty_content = true;
            }
            Self::Fold => profile.order.fold = true,
            Self::NoSystem => profile.order.system = SystemRole::User,
            Self::EmptyContent => profile.order.empty_content = true,
            Self::Apart => {
                profile.order.apart = true;
                profile.order.fold = true;
            }
            Self::Replay(replay, filler) => {
                profile.replay = *replay;
                profile.filler = *filler;
            }
        }
    }
}

impl Member {
    fn leave_out(self, profile: &mut Profile) {
        match self {
            Self::StreamOptions => profile.usage_in_stream = false,
            Self::ParallelCalls => profile.parallel_calls = true,
            Self::Temperature => profile.temperature = false,
            Self::Effort => profile.effort = None,
            Self::Format => {
                profile.json = match profile.json {
                    JsonMode::Schema => JsonMode::Object,
                    JsonMode::Object | JsonMode::Words => JsonMode::Words,
                }
            }
            Self::Strict => profile.strict = false,
            Self::ForcedChoice => profile.forced_choice = false,
        }
    }
}

/// Opaque members that are missing, or not wanted.
fn opaque(param: &str, said: &str) -> Option<Quirk> {
    let has = |name: &str| said.contains(name) || param.contains(name);
    let wanted =
        ["missing", "must be passed back", "must be provided", "is required", "must contain"]
            .iter()
            .any(|word| said.contains(word));
    if has("thought_signature") || has("thought signature") {
        let quirk = Quirk::Replay(Replay::Always, Filler::ThoughtSignature);
        return wanted.then_some(quirk);
    }
    if has("reasoning_content") {
        return Some(if wanted {
            Quirk::Replay(Replay::Always, Filler::ReasoningContent)
        } else {
            Quirk::Replay(Replay::Never, Filler::Nothing)
        });
    }
    if has("reasoning_details") {
        let replay = if wanted { Replay::Always } else { Replay::Never };
        return Some(Quirk::Replay(replay, Filler::Nothing));
    }
    if said.contains("redacted_thinking")
        || said.contains("signature") && said.contains("thinking")
        || said.contains("encrypted_content")
        || said.contains("encrypted content")
    {
        return Some(Quirk::Forget);
    }
    has("extra_content").then_some(Quirk::Replay(Replay::Never, Filler::Nothing))
}

/// An order that is not taken.
fn order(said: &str) -> Option<Quirk> {
    let after_tool =
        ["after role 'tool'", "after role tool", "after role \"tool\"", "after role `tool`"];
    if after_tool.iter().any(|words| said.contains(words)) {
        return Some(Quirk::Fold);
    }
    if said.contains("must alternate") || said.contains("roles should alternate") {
        return Some(Quirk::Alternate);
    }
    if said.contains("system role")
        && (said.contains("not supported") || said.contains("unsupported"))
        || said.contains("does not support system")
    {
        return Some(Quirk::NoSystem);
    }
    if said.contains("tool_calls")
        && (said.contains("but not both")
            || said.contains("not both")
            || said.contains("either content or"))
    {
        return Some(Quirk::Apart);
    }
    let no_words = ["null", "none", "nonetype"]
        .iter()
        .any(|word| said.split(|c: char| !c.is_ascii_alphanumeric()).any(|part| part == *word));
    let is_content =
        said.contains("content") && (no_words || said.contains("invalid content type"));
    (is_content || said.contains("(not \"nonetype\")")).then_some(Quirk::EmptyContent)
}

/// Tools that a thinking model has in another format only.
fn thinking(said: &str) -> Option<Quirk> {
    if !said.contains("reasoning_effort") || !said.contains("tools") {
        return None;
    }
    if said.contains("'none'") || said.contains("\"none\"") {
        return Some(Quirk::NoThinking);
    }
    said.contains("/v1/responses").then_some(Quirk::Responses)
}

/// The bound of an answer: its name, or its size.
fn bound(param: &str, said: &str) -> Option<Quirk> {
    let old = said.find("max_tokens");
    let new = said.find("max_completion_tokens");
    let named =
        old.or(new).is_some() || said.contains("max_output_tokens") || param.starts_with("max_");
    if !named {
        return None;
    }
    let large = [
        "too large",
        "at most",
        "maximum",
        "less than or equal",
        "exceed",
        "valid range",
        "smaller",
        " > ",
    ];
    if large.iter().any(|words| said.contains(words)) {
        return if OF_CONTEXT.iter().any(|words| said.contains(words)) {
            left(said).map(Quirk::Left)
        } else {
            numbers(said).filter(|number| *number >= BOUND_MIN).min().map(Quirk::AtMost)
        };
    }
    if !REFUSING.iter().any(|word| said.contains(word)) {
        return None;
    }
    let refused_new = match param {
        "max_completion_tokens" => true,
        "max_tokens" => false,
        // The one that is named first is refused, the other one recommended.
        _ => new.is_some() && old.is_none_or(|old| new.is_some_and(|new| new < old)),
    };
    Some(Quirk::Limit(if refused_new {
        OutputLimit::MaxTokens
    } else {
        OutputLimit::MaxCompletionTokens
    }))
}

fn numbers(said: &str) -> impl Iterator<Item = u32> {
    said.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok())
}

/// The longest answer for which a conversation leaves room; none where that is too little, so that the conversation is
/// what must become shorter.
fn left(said: &str) -> Option<u32> {
    let mut numbers = numbers(said);
    let [first, second, third] = [numbers.next()?, numbers.next()?, numbers.next()?];
    // Anthropic: “190000 + 16000 > 200000”. vLLM says what was asked for, the whole, and what was sent.
    let (asked, whole, sent) =
        if said.contains(" + ") { (second, third, first) } else { (first, second, third) };
    let least = BOUND_MIN.max(asked.min(whole) / ENOUGH);
    whole.checked_sub(sent).filter(|left| (least..asked).contains(left))
}

fn member(param: &str, said: &str) -> Option<Quirk> {
    let refused = REFUSING.iter().any(|word| said.contains(word));
    let found =
        Member::ALL.iter().find(|(name, _)| param.split(['.', '/', '[']).any(|part| part == *name));
    let found =
        found.or_else(|| Member::ALL.iter().find(|(name, _)| refused && said.contains(name)));
    found.map(|(_, member)| Quirk::Without(*member))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn refusals_of_providers_teach_what_they_say() {
        use Quirk::{
            Alternate, Apart, AtMost, EmptyContent, Fold, Left, Limit, NoSystem, NoThinking,
            Responses, Without,
        };
        let back = Quirk::Replay(Replay::Always, Filler::ThoughtSignature);
        let cases: &[(u16, &str, &str, Option<Quirk>)] = &[
            (
                400,
                "max_tokens",
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(Limit(OutputLimit::MaxCompletionTokens)),
            ),
            (
                400,
                "",
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
                Some(Limit(OutputLimit::MaxCompletionTokens)),
            ),
            (
                422,
                "max_completion_tokens",
                "Extra inputs are not permitted",
                Some(Limit(OutputLimit::MaxTokens)),
            ),
            (
                400,
                "max_tokens",
                "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
                Some(AtMost(16384)),
            ),
            (
                400,
                "",
                "max_tokens: 64000 > 32000, which is the maximum allowed number of output tokens",
                Some(AtMost(32000)),
            ),
            (
                400,
                "",
                "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 5000 input tokens",
                Some(Left(3192)),
            ),
            (
                400,
                "",
                "'max_tokens' or 'max_completion_tokens' is too large: 2000. This model's maximum context length is 8192 tokens and your request has 7900 input tokens (2000 > 8192 - 7900).",
                None,
            ),
            (
                400,
                "",
                "input length and `max_tokens` exceed context limit: 190000 + 16000 > 200000, decrease input length or `max_tokens` and try again",
                Some(Left(10000)),
            ),
            (
                400,
                "",
                "input length and `max_tokens` exceed context limit: 199000 + 16000 > 200000, decrease input length or `max_tokens` and try again",
                None,
            ),
            (
                400,
                "",
                "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
                Some(AtMost(8192)),
            ),
            (
                400,
                "temperature",
                "Unsupported value: 'temperature' does not support 0.7 with this model. Only the default (1) value is supported.",
                Some(Without(Member::Temperature)),
            ),
            (
                400,
                "",
                "`temperature` is deprecated for this model.",
                Some(Without(Member::Temperature)),
            ),
            (
                422,
                "stream_options",
                "Extra inputs are not permitted",
                Some(Without(Member::StreamOptions)),
            ),
            (400, "", "Unknown field: stream_options", Some(Without(Member::StreamOptions))),
            (
                400,
                "reasoning_effort",
                "Function tools with reasoning_effort are not supported for gpt-5.6 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
                Some(NoThinking),
            ),
            (
                400,
                "reasoning_effort",
                "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. Please use /v1/responses instead.",
                Some(Responses),
            ),
            (400, "", "Unexpected role 'user' after role 'tool'", Some(Fold)),
            (
                500,
                "",
                "After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.",
                Some(Alternate),
            ),
            (400, "", "System role not supported", Some(NoSystem)),
            (
                400,
                "",
                "Assistant message must have either content or tool_calls, but not both.",
                Some(Apart),
            ),
            (
                400,
                "",
                "Invalid type for 'messages[2].content': expected a string, but got null",
                Some(EmptyContent),
            ),
            (400, "", "can only concatenate str (not \"NoneType\") to str", Some(EmptyContent)),
            (
                400,
                "",
                "Function call is missing a thought_signature in functionCall parts.",
                Some(back),
            ),
            (
                400,
                "",
                "The `reasoning_content` in the thinking mode must be passed back to the API.",
                Some(Quirk::Replay(Replay::Always, Filler::ReasoningContent)),
            ),
            (
                422,
                "reasoning_content",
                "Extra inputs are not permitted",
                Some(Quirk::Replay(Replay::Never, Filler::Nothing)),
            ),
            (
                400,
                "",
                "tool_choice: thinking may not be enabled when tool_choice forces tool use",
                Some(Without(Member::ForcedChoice)),
            ),
            (
                400,
                "",
                "messages.25.content.31: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified.",
                Some(Quirk::Forget),
            ),
            (401, "temperature", "not supported", None),
            (400, "model", "The model `x` does not exist", None),
            (400, "", "\"auto\" tool choice requires --enable-auto-tool-choice", None),
        ];
        for (status, param, said, quirk) in cases {
            let param = Some(*param).filter(|param| !param.is_empty());
            let found = Quirk::of(Some(*status), param, &said.to_ascii_lowercase());
            assert_eq!(found, *quirk, "{said}");
        }
    }
}
