//! What providers saw, against the specification; and that there is something that it refuses.

use serde_json::json;

use super::{
    provider::Provider,
    specification::{SPECIFICATION, problems, violations},
};

/// Every request that the provider saw is one that the specification allows.
pub(super) fn check(provider: &Provider) {
    for seen in provider.seen() {
        let errors = match SPECIFICATION.as_ref() {
            _ if seen.path.contains("/chat/completions") => problems(&seen.body),
            Some(specification) => violations(&specification.embeddings, &seen.body),
            None => Vec::new(),
        };
        assert!(errors.is_empty(), "{errors:#?} in {:#}", seen.body);
    }
}

#[test]
fn the_specification_refuses_something() {
    let Some(specification) = SPECIFICATION.as_ref() else { return };
    let good = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hello" }] });
    assert!(specification.chat.is_valid(&good));
    for bad in [
        json!({ "model": "m", "messages": [] }),
        json!({ "model": "m", "messages": [{ "role": "person", "content": "Hello" }] }),
        json!({ "model": "m", "messages": [{ "role": "tool", "content": "{}" }] }),
        json!({ "model": "m", "messages": good["messages"], "tool_choice": "sometimes" }),
        json!({ "model": "m", "messages": good["messages"], "temperature": 3 }),
    ] {
        assert!(!specification.chat.is_valid(&bad), "{bad}");
    }
    assert!(!specification.embeddings.is_valid(&json!({ "model": "m", "input": [] })));
}

#[test]
fn results_out_of_their_place_are_seen() {
    let call = json!({ "role": "assistant", "content": null,
        "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } }] });
    let result = json!({ "role": "tool", "tool_call_id": "a", "content": "{}" });
    let user = json!({ "role": "user", "content": "Hello" });
    let of =
        |messages: &[&serde_json::Value]| problems(&json!({ "model": "m", "messages": messages }));
    assert_eq!(of(&[&user, &call, &result, &user]), [""; 0]);
    assert_eq!(
        of(&[&user, &call, &user, &result]),
        ["`a` has no result", "the result of `a` has no call"]
    );
    assert_eq!(of(&[&user, &call, &result, &result]), ["the result of `a` has no call"]);
    assert_eq!(of(&[&user, &call]), ["`a` has no result"]);
}
