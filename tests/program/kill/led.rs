//! Whole interviews that a model leads, killed in the middle: models of each temperament, and models behind each preset,
//! whose provider refuses whatever breaks its rules. The model has no memory but what it is sent, so what the program
//! sends after a death must say the same as before.

use futures::future::join_all;

use super::{
    Chance,
    model_service::{
        Speaker,
        completions::{Emulator, Rule},
        formats::Service,
    },
    reader::{GOODBYE, Reader, Temperament},
    setting,
    walk::Walk,
};

const FLOWS: [&str; 2] = ["candidate-onboarding", "community-welcome"];

/// Deaths in each interview.
const KILLS: u64 = 6;

/// Rows of presets with the rules of their providers.
const PRESETS: &[(&[Rule], &str)] = &[
    (&[], "provider = \"custom\"\n"),
    (&[Rule::Signature], "provider = \"gemini\"\n"),
    (&[Rule::NoUserAfterTool, Rule::KnownMembers, Rule::NoThoughts], "provider = \"mistral\"\n"),
    (&[Rule::Thoughts], "provider = \"deepseek\"\n"),
    (&[Rule::ThoughtsInTurn], "provider = \"deepseek\"\n"),
    (&[Rule::Details], "provider = \"openrouter\"\n"),
    (&[Rule::Reasons], "provider = \"openai\"\n[llm.interview.dialect]\ntemperature = false\n"),
    (
        &[Rule::Reasons, Rule::EffortNone],
        "provider = \"openai\"\nreasoning_effort = \"none\"\n[llm.interview.dialect]\ntemperature = false\n",
    ),
    (&[], "provider = \"azure\"\n"),
    (&[], "provider = \"ollama\"\n"),
    (&[], "provider = \"vllm\"\n"),
    (&[], "provider = \"llama-cpp\"\n"),
];

/// Wire formats other than chat completions.
const FORMATS: &[&str] = &[
    "provider = \"anthropic\"\n",
    "provider = \"openai\"\n[llm.interview.dialect]\nwire = \"responses\"\nreplay = \"always\"\ntemperature = false\n",
];

fn is_asked_for_all() -> bool {
    std::env::var_os("INTERVIEWS").is_some_and(|which| which == "all")
}

/// The first two of them, or all.
fn some<T>(all: &[T]) -> &[T] {
    if is_asked_for_all() { all } else { &all[..2] }
}

#[tokio::test(flavor = "multi_thread")]
async fn interviews_led_with_every_temperament_come_out_the_same_however_often_they_are_killed() {
    use Temperament::{Cards, Errs, Forgets, Words};
    let led = [[Words, Errs, Cards, Forgets], [Forgets, Cards, Words, Errs]];
    let led = FLOWS.into_iter().zip(&led);
    let led = led.flat_map(|(flow, all)| some(all).iter().map(move |one| (flow, *one)));
    // Side by side: each waits for its processes more than it works.
    join_all(led.map(async |(flow, temperament)| {
        let emulator = Emulator::played_by(&[], speaker(temperament)).await;
        let what = format!("{flow}, {temperament:?}");
        survives(flow, &table(&emulator.url, ""), temperament, &what).await;
    }))
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn interviews_over_every_preset_come_out_the_same_and_nothing_is_refused() {
    let temperament = Temperament::Cards;
    let rows = some(PRESETS).iter().enumerate();
    for (n, (rules, preset)) in rows {
        let emulator = Emulator::played_by(rules, speaker(temperament)).await;
        let what = format!("{rules:?}, {preset}");
        let flow = FLOWS[n % 2];
        survives(flow, &table(&emulator.url, preset), temperament, &what).await;
        assert_eq!(emulator.refused(), [""; 0], "{what}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn interviews_over_messages_and_responses_come_out_the_same_and_nothing_is_refused() {
    let temperament = Temperament::Cards;
    for (format, flow) in FORMATS.iter().zip(FLOWS) {
        let service = Service::played_by(speaker(temperament)).await;
        let what = format!("{flow}, {format}");
        survives(flow, &table(&service.url, format), temperament, &what).await;
        assert_eq!(service.refused(), [""; 0], "{what}");
    }
}

fn speaker(temperament: Temperament) -> Speaker {
    Speaker::Reader(Reader::new(temperament))
}

/// The model's table of the configuration.
fn table(url: &str, preset: &str) -> String {
    format!("[llm.interview]\nbase_url = \"{url}\"\nmodel = \"m\"\n{preset}")
}

/// An interview that nobody disturbs, and one that dies at random moments.
async fn survives(flow: &str, model: &str, temperament: Temperament, what: &str) {
    let mut chance = Chance::new("KILL_SEED");
    let seed = chance.0;
    // Whoever ends the last part says goodbye: a model that does not forget to, and no script.
    let is_ended_by_model = flow == FLOWS[0] && temperament != Temperament::Forgets;
    let last_words = is_ended_by_model.then_some(GOODBYE);
    let quiet = tempfile::tempdir().unwrap();
    let mut walk = Walk::led(flow, quiet.path(), model).await;
    walk.last_words = last_words;
    let undisturbed = walk.finish().await;
    assert!(undisturbed.steps >= 3, "{what}: {undisturbed:#?}");

    let kills = setting("KILLS_LED").unwrap_or(KILLS);
    let rough = tempfile::tempdir().unwrap();
    let mut walk = Walk::led(flow, rough.path(), model).await;
    walk.last_words = last_words;
    walk.moments = (0..kills).map(|_| chance.below(undisturbed.steps)).collect();
    walk.chance = chance;
    let disturbed = walk.finish().await;
    let context = format!("{what}, KILL_SEED={seed}, kept in {}", rough.keep().display());
    assert_eq!(walk.kills, kills, "{context}");
    disturbed.assert_same(&undisturbed, &context);
    std::fs::remove_dir_all(walk.data.parent().unwrap()).unwrap();
}
