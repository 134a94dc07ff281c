//! Whole interviews over each wire format and each row of presets: with somebody who presses, and with somebody who
//! writes beside open cards. No request is refused where a preset knows the provider, and the model leads to the end.

use anteroom::{model::session::Status, ports::llm::Models};
use serde_json::{Value, json};

use super::{
    endpoints, means,
    model_service::{
        Line, Speaker,
        completions::{Emulator, Rule},
        formats::Service,
    },
    rules::LEARNT,
    scripted::Scripted,
};
use crate::{thinking::TALK, world::World};

fn says(text: &'static str) -> Line {
    Line::new(text, &[])
}

fn calls(text: &'static str, calls: &[(&'static str, Value)]) -> Line {
    Line::new(text, calls)
}

fn choice(prompt: &str, labels: [&str; 2]) -> (&'static str, Value) {
    let option = |label: &str| json!({ "id": label.to_lowercase(), "label": label });
    ("get_user_option", json!({ "prompt": prompt, "options": labels.map(option) }))
}

fn draft() -> (&'static str, Value) {
    let data = json!({ "name": "Rex" });
    ("submit_for_validation", json!({ "dataType": "pet", "data": data, "message": "Right?" }))
}

fn next_phase(reason: &str) -> (&'static str, Value) {
    ("next_phase", json!({ "overrides": [], "reason": reason }))
}

fn done() -> (&'static str, Value) {
    ("set_objective_status", json!({ "objectiveId": "goodbye", "status": "completed" }))
}

/// What the model says to somebody who presses, or writes.
fn lines(writes: bool) -> Vec<Line> {
    let size = choice("Which size?", ["Small", "Large"]);
    let mut lines = vec![
        says("Do you have a pet?"),
        calls("A dog, then.", &[choice("Which colour?", ["Red", "Blue"])]),
        calls("", &[draft(), size]),
    ];
    if writes {
        // While the draft is open, and beside a call that is made at once.
        lines.push(calls(
            "I'll look.",
            &[("persist_data", json!({ "dataType": "none", "data": {} }))],
        ));
        lines.push(says("Press the button when it is right. Is anything missing?"));
    }
    lines.extend([
        calls("Thank you.", &[next_phase("The pet is known.")]),
        says("Anything else?"),
        calls("", &[done(), next_phase("All is said.")]),
        says("Goodbye!"),
    ]);
    lines
}

/// Leads a whole interview with the service at this address.
async fn interview(url: &str, more: &str, writes: bool) -> World {
    let config =
        format!("[llm.interview]\nbase_url = \"{url}\"\nmodel = \"m\"\nattempts = 1\n{more}");
    let models = Models::open(&endpoints(&config), &means().0).unwrap();
    let mut world = World::unbegun(TALK, &Scripted::new());
    world.nudge();
    world.equip(models.interview.unwrap());
    world.begin("talk").await;
    world.say("Yes, a dog called Rex.").await;
    if writes {
        world.say("Brown, like a chestnut").await;
        world.say("Something in between").await;
        world.say("yes that is right").await;
        world.restart().await;
    } else {
        world.press("Red").await;
        world.press("Small").await;
    }
    world.press("Looks right").await;
    world.say("No, thanks.").await;
    world
}

async fn assert_led(world: &World, what: &str) {
    let screen = world.screen();
    assert_eq!(world.state().await.status, Status::Completed, "{what}:\n{screen}");
    assert!(screen.ends_with("Goodbye!"), "{what}:\n{screen}");
    assert!(
        !screen.contains("trouble responding") && !screen.contains("fixed list"),
        "{what}:\n{screen}"
    );
    assert_eq!(screen.matches("Anything else?").count(), 1, "{what}:\n{screen}");
}

#[tokio::test]
async fn an_interview_is_led_to_its_end_over_each_row_of_presets_without_a_refusal() {
    let effort = "reasoning_effort = \"none\"\n[llm.interview.dialect]\ntemperature = false\n";
    let claude = "[llm.interview.dialect]\ntemperature = false\n";
    for (rules, more) in [
        (&[][..], "provider = \"custom\"\n"),
        (&[Rule::Reasons], "provider = \"openai\"\n[llm.interview.dialect]\ntemperature = false\n"),
        (&[Rule::Reasons, Rule::EffortNone], &format!("provider = \"openai\"\n{effort}")),
        (&[], "provider = \"azure\"\n"),
        (&[Rule::NoTemperature], claude),
        (&[Rule::Signature], "provider = \"gemini\"\n"),
        (&[Rule::Details], "provider = \"openrouter\"\n"),
        (&[Rule::Thoughts], "provider = \"deepseek\"\n"),
        (&[Rule::ThoughtsInTurn], "provider = \"deepseek\"\n"),
        (
            &[Rule::NoUserAfterTool, Rule::KnownMembers, Rule::NoThoughts],
            "provider = \"mistral\"\n",
        ),
        (&[], "provider = \"ollama\"\n"),
        (&[], "provider = \"vllm\"\n"),
        (&[], "provider = \"llama-cpp\"\n"),
    ] {
        for writes in [false, true] {
            let what = format!("{rules:?} {more} writes: {writes}");
            let emulator = Emulator::played_by(rules, Speaker::lines(lines(writes))).await;
            let world = interview(&emulator.url, more, writes).await;
            assert_led(&world, &what).await;
            assert_eq!(emulator.refused(), [""; 0], "{what}");
            assert_eq!(emulator.taken().len(), lines(writes).len(), "{what}");
        }
    }
}

#[tokio::test]
async fn an_interview_is_led_to_its_end_after_what_was_learnt_from_refusals() {
    for (rules, most) in LEARNT {
        for writes in [false, true] {
            let what = format!("{rules:?} writes: {writes}");
            let emulator = Emulator::played_by(rules, Speaker::lines(lines(writes))).await;
            let world = interview(&emulator.url, "", writes).await;
            assert_led(&world, &what).await;
            assert!(emulator.refused().len() <= *most, "{what}: {:?}", emulator.refused());
            assert_eq!(emulator.taken().len(), lines(writes).len(), "{what}");
        }
    }
}

#[tokio::test]
async fn an_interview_is_led_to_its_end_over_messages_and_responses() {
    let responses = "provider = \"openai\"\n[llm.interview.dialect]\nwire = \"responses\"\nreplay = \"always\"\ntemperature = false\n";
    for (more, refused) in [("provider = \"anthropic\"\n", 0), (responses, 0), ("", 2)] {
        for writes in [false, true] {
            let what = format!("{more} writes: {writes}");
            let service = Service::played_by(Speaker::lines(lines(writes))).await;
            let world = interview(&service.url, more, writes).await;
            assert_eq!(service.refused().len(), refused, "{what}: {:?}", service.refused());
            assert_led(&world, &what).await;
            assert_eq!(service.seen().len(), lines(writes).len(), "{what}");
        }
    }
}
