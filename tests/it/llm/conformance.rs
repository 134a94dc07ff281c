//! What providers saw, against the specification; and that there is something that it refuses.

use serde_json::{Value, json};

use super::{provider::Provider, specification::problems};

/// Every request that the provider saw is one that the specification allows.
pub(super) fn check(provider: &Provider) {
    for seen in provider.seen() {
        assert_eq!(problems(&seen.body), [""; 0], "{:#}", seen.body);
    }
}

#[test]
fn the_specification_refuses_something() {
    if std::env::var_os("ANTEROOM_CONFORMANCE").is_none() {
        return;
    }
    let good = json!({ "model": "m", "messages": [{ "role": "user", "content": "Hello" }] });
    assert_eq!(problems(&good), [""; 0]);
    for bad in [
        json!({ "model": "m", "messages": [] }),
        json!({ "model": "m", "messages": [{ "role": "person", "content": "Hello" }] }),
        json!({ "model": "m", "messages": [{ "role": "tool", "content": "{}" }] }),
        json!({ "model": "m", "messages": good["messages"], "tool_choice": "sometimes" }),
        json!({ "model": "m", "messages": good["messages"], "temperature": 3 }),
        json!({ "model": "m", "input": [] }),
    ] {
        assert_ne!(problems(&bad), [""; 0], "{bad}");
    }
}

#[test]
fn results_out_of_their_place_are_seen() {
    let call = json!({ "role": "assistant", "content": null,
        "tool_calls": [{ "id": "a", "type": "function", "function": { "name": "f", "arguments": "{}" } }] });
    let result = json!({ "role": "tool", "tool_call_id": "a", "content": "{}" });
    let user = json!({ "role": "user", "content": "Hello" });
    let of = |messages: &[&Value]| problems(&json!({ "model": "m", "messages": messages }));
    assert_eq!(of(&[&user, &call, &result, &user]), [""; 0]);
    assert_eq!(
        of(&[&user, &call, &user, &result]),
        ["`a` has no result", "the result of `a` has no call"]
    );
    assert_eq!(of(&[&user, &call, &result, &result]), ["the result of `a` has no call"]);
    assert_eq!(of(&[&user, &call]), ["`a` has no result"]);
}
