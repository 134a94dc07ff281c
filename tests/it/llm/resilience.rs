//! Attempts, pauses, the breaker, fallbacks and places.

use std::{sync::Arc, time::Duration};

use anteroom::ports::llm::{
    Completion, Embedder, Error, Model, Models, Silent,
    error::{Fault, Stage, Told},
    resilience::{ResilienceOptions, Resilient},
};
use serde_json::json;

use super::{
    Ear, Jumps, ask, endpoints, means,
    provider::{Provider, Reply},
    scripted::{Gate, Scripted, Turn, WordVectors},
};

/// A steady model on scripted ones.
struct Stand {
    model: Resilient<dyn Model>,
    first: Arc<Scripted>,
    second: Arc<Scripted>,
    means: ResilienceOptions,
    jumps: Arc<Jumps>,
}

impl Stand {
    fn new(bounds: (u32, u32)) -> Self {
        let (first, second) = (Scripted::new(), Scripted::new());
        let (means, jumps) = means();
        let provider: Arc<dyn Model> = Arc::<Scripted>::clone(&first);
        let model = Resilient::new("interview", provider, None, bounds, means.clone());
        Self { model, first, second, means, jumps }
    }

    fn with_fallback(bounds: (u32, u32)) -> Self {
        let stand = Self::new(bounds);
        let (provider, fallback): (Arc<dyn Model>, Arc<dyn Model>) =
            (Arc::<Scripted>::clone(&stand.first), Arc::<Scripted>::clone(&stand.second));
        let means = stand.means.clone();
        Self {
            model: Resilient::new("interview", provider, Some(fallback), bounds, means),
            ..stand
        }
    }

    async fn ask(&self) -> Result<Completion, Error> {
        self.model.chat(&ask("Hello"), &mut Silent).await
    }

    fn pauses(&self) -> Vec<u128> {
        self.jumps.made.lock().unwrap().clone()
    }
}

fn transient(retry_after: Option<u64>) -> Error {
    Error::Transient { told: Told::default(), retry_after: retry_after.map(Duration::from_secs) }
}

#[tokio::test]
async fn what_passes_is_tried_again_after_growing_pauses() {
    let stand = Stand::new((3, 8));
    for error in [transient(None), Error::Timeout(Stage::FirstByte)] {
        stand.first.next(Turn::fails(error));
    }
    stand.first.next(Turn::says("Yes"));
    assert_eq!(stand.ask().await.unwrap().text, "Yes");
    let [first, second] = stand.pauses()[..] else { panic!("two pauses") };
    assert!((250..=500).contains(&first) && (500..=1000).contains(&second), "{first} {second}");
    stand.first.assert_played();
}

#[tokio::test]
async fn after_three_attempts_the_failure_stands() {
    let stand = Stand::new((3, 8));
    for _ in 0..3 {
        stand.first.next(Turn::fails(Error::Cut));
    }
    assert_eq!(stand.ask().await, Err(Error::Cut));
    assert_eq!(stand.first.seen().len(), 3);
}

#[tokio::test]
async fn what_does_not_pass_is_not_tried_again() {
    for error in [
        Error::Misconfigured(Told::default()),
        Error::Exhausted(Told::default()),
        Error::Overflow(Told::default()),
        Error::Refused(Told::default()),
        Error::BadAnswer(Fault::ContentType),
    ] {
        let stand = Stand::new((3, 8));
        stand.first.next(Turn::fails(error.clone()));
        assert_eq!(stand.ask().await, Err(error));
        stand.first.assert_played();
    }
}

#[tokio::test]
async fn a_pause_that_is_asked_for_is_kept_unless_it_is_too_long() {
    let stand = Stand::new((3, 8));
    stand.first.next(Turn::fails(transient(Some(12)))).next(Turn::says("Yes"));
    stand.ask().await.unwrap();
    assert_eq!(stand.pauses(), [12_000]);

    let told = Told::default();
    let limited = Error::RateLimited { told, retry_after: Some(Duration::from_hours(1)) };
    stand.first.next(Turn::fails(limited.clone()));
    assert_eq!(stand.ask().await, Err(limited));
    stand.first.assert_played();
}

#[tokio::test]
async fn words_that_were_shown_are_said_again_only_where_they_can_be_taken_back() {
    for forgetful in [false, true] {
        let stand = Stand::with_fallback((3, 8));
        stand.first.next(Turn::fails(Error::Cut).saying("Good mor").in_pieces(2));
        stand.first.next(Turn::says("Good morning"));
        let mut ear = Ear { forgetful, ..Ear::default() };
        let result = stand.model.chat(&ask("Hello"), &mut ear).await;
        if forgetful {
            assert_eq!(result.unwrap().text, "Good morning");
            assert_eq!((ear.text.as_str(), ear.restarts), ("Good morning", 1));
        } else {
            assert_eq!(result, Err(Error::Cut));
            assert_eq!(ear.text, "Good mor");
            assert!(stand.second.seen().is_empty());
        }
    }
}

#[tokio::test]
async fn a_provider_that_keeps_failing_is_left_alone_then_tried_once() {
    let stand = Stand::new((1, 8));
    for _ in 0..5 {
        stand.first.next(Turn::fails(transient(None)));
        stand.ask().await.unwrap_err();
    }
    assert_eq!(stand.ask().await, Err(Error::Resting(Duration::from_secs(30))));
    assert_eq!(stand.first.seen().len(), 5);

    stand.jumps.clock.advance(chrono::TimeDelta::seconds(30));
    let gate = Gate::new();
    stand.first.next(Turn::says("Yes").held_by(&gate));
    let (tried, refused) = tokio::join!(stand.ask(), async {
        gate.reached().await;
        let refused = stand.ask().await;
        gate.open();
        refused
    });
    assert_eq!(tried.unwrap().text, "Yes");
    assert_eq!(refused.unwrap_err().word(), "resting");
    stand.first.next(Turn::says("Yes"));
    stand.ask().await.unwrap();
    stand.first.assert_played();
}

#[tokio::test]
async fn who_stops_listening_while_it_is_tried_blocks_nobody() {
    let stand = Stand::new((1, 8));
    for _ in 0..5 {
        stand.first.next(Turn::fails(transient(None)));
        stand.ask().await.unwrap_err();
    }
    stand.jumps.clock.advance(chrono::TimeDelta::seconds(30));
    let gate = Gate::new();
    stand.first.next(Turn::says("Yes").held_by(&gate));
    tokio::select! {
        _ = stand.ask() => panic!("the gate is shut"),
        () = gate.reached() => {}
    }
    stand.first.next(Turn::says("Yes"));
    stand.ask().await.unwrap();
}

#[tokio::test]
async fn another_provider_answers_where_the_first_is_at_fault() {
    let stand = Stand::with_fallback((2, 8));
    stand.first.next(Turn::fails(transient(None))).next(Turn::fails(transient(None)));
    stand.second.next(Turn::says("Yes"));
    assert_eq!(stand.ask().await.unwrap().text, "Yes");

    stand.first.next(Turn::fails(Error::Misconfigured(Told::default())));
    stand.second.next(Turn::fails(Error::Cut));
    assert_eq!(stand.ask().await, Err(Error::Cut));

    stand.first.next(Turn::fails(Error::Overflow(Told::default())));
    assert_eq!(stand.ask().await.unwrap_err().word(), "overflow");
    stand.first.assert_played();
    stand.second.assert_played();
}

#[tokio::test]
async fn while_the_first_provider_rests_the_other_answers_at_once() {
    let stand = Stand::with_fallback((1, 8));
    stand.second.whenever(|_| true, Turn::says("Yes"));
    for _ in 0..5 {
        stand.first.next(Turn::fails(Error::Timeout(Stage::Idle)));
    }
    for _ in 0..8 {
        assert_eq!(stand.ask().await.unwrap().text, "Yes");
    }
    assert_eq!((stand.first.seen().len(), stand.second.seen().len()), (5, 8));
    assert!(stand.pauses().is_empty());
}

#[tokio::test]
async fn a_provider_that_answers_in_its_own_way_is_not_left_alone() {
    let stand = Stand::new((1, 8));
    for _ in 0..8 {
        stand.first.next(Turn::fails(Error::Overflow(Told::default())));
        assert_eq!(stand.ask().await.unwrap_err().word(), "overflow");
    }
}

#[tokio::test(start_paused = true)]
async fn who_finds_no_place_in_time_is_told_so() {
    let stand = Stand::new((1, 1));
    stand.first.next(Turn::says("Yes").stalling(Duration::from_secs(40)));
    let (first, second) = tokio::join!(stand.ask(), stand.ask());
    assert!(first.is_ok());
    assert_eq!(second, Err(Error::Busy));

    stand.first.next(Turn::says("Yes").stalling(Duration::from_secs(20)));
    stand.first.next(Turn::says("Yes"));
    let (first, second) = tokio::join!(stand.ask(), stand.ask());
    assert!(first.is_ok() && second.is_ok());
}

#[tokio::test]
async fn many_texts_go_in_several_requests() {
    let (means, _) = means();
    let words: Arc<dyn Embedder> = Arc::new(WordVectors);
    let steady: Resilient<dyn Embedder> = Resilient::new("embed", words, None, (1, 1), means);
    let texts: Vec<String> = (0..150).map(|n| format!("word {n}")).collect();
    let embedded = steady.embed(&texts).await.unwrap();
    assert_eq!(embedded.vectors, WordVectors.embed(&texts).await.unwrap().vectors);
    assert_eq!(steady.embed(&[]).await.unwrap_err().word(), "invalid");
}

#[tokio::test]
async fn configured_models_retry_and_fall_back_over_the_network() {
    let down = Provider::start(&[Reply::json(503, &json!({}))]).await;
    let up = Provider::start(&[Reply::says("Yes")]).await;
    let config = format!(
        "[llm.interview]\nbase_url = \"{}\"\nmodel = \"a\"\nfallback = \"near\"\n\
         [llm.spare.near]\nbase_url = \"{}\"\nmodel = \"b\"\n",
        down.url, up.url
    );
    let (means, jumps) = means();
    let models = Models::open(&endpoints(&config), &means).unwrap();
    assert!(models.extract.is_none() && models.vision.is_none() && models.embed.is_none());
    let completion = models.interview.unwrap().chat(&ask("Hello"), &mut Silent).await.unwrap();
    assert_eq!(completion.text, "Yes");
    assert_eq!((down.seen().len(), up.seen().len()), (3, 1));
    assert_eq!(up.seen()[0].body["model"], "b");
    assert_eq!(jumps.made.lock().unwrap().len(), 2);
}
