//! What comes of every kind of effect for every class of refusal: who reads what, what waits, and what ends the wait. The
//! table stands in `docs/delivery-table.md`; `ANTEROOM_REWRITE=1` writes it anew.

use std::{fmt::Write as _, fs, path::Path, time::Duration};

use anteroom::{
    chat::refusal::Class,
    clock::Clock as _,
    ids::EffectId,
    model::{
        artifact::Offer,
        effect::{Act, CauseKind, Effect, Handout, Recipient},
        transcript::Event,
    },
    store::Commit,
};
use chrono::TimeDelta;

use crate::world::{World, ada};

const HEAD: &str = "# What a refusal comes to\n\n\
    Written by `tests/it/delivery_table.rs`, which refuses each kind of effect with each class and looks at what people read. `docs/delivery.md` explains the\n\
    words. A web hook is answered by its receiver: 2xx is delivered, 408, 425, 429, 5xx and no answer are *unclear*, everything else is *final*.\n\n\
    | effect | for | class | meanwhile the participant reads | meanwhile the team reads | it | once the platform takes it |\n\
    |---|---|---|---|---|---|---|\n";

fn classes() -> Vec<(String, Class)> {
    let mut classes = vec![
        ("later", Class::Later { after: Duration::from_secs(5) }),
        ("unclear", Class::Unclear),
        ("unknown code", Class::Unknown),
        ("shorten", Class::Shorten),
        ("plain", Class::Plain),
        ("message gone", Class::MessageGone),
        ("uneditable", Class::Uneditable),
        ("place gone", Class::PlaceGone),
        ("place closed", Class::PlaceClosed),
        ("already done", Class::AlreadyDone),
        ("person unreachable", Class::PersonUnreachable("they take no messages")),
        ("final", Class::Final),
    ]
    .into_iter()
    .map(|(name, class)| (name.to_owned(), class))
    .collect::<Vec<_>>();
    let blocked = CauseKind::ALL
        .into_iter()
        .map(|kind| (format!("blocked: {}", kind.name().replace('_', " ")), Class::Blocked(kind)));
    classes.extend(blocked);
    classes
}

/// Each kind of effect, but cards, which come from a question, and roles, which only Discord has.
fn acts() -> Vec<Act> {
    let offer = Offer {
        id: "F1".to_owned(),
        name: "cv.pdf".to_owned(),
        bytes: Some(9),
        url: "https://files.example.org/cv.pdf".to_owned(),
    };
    let link = Handout::Link { label: "Open".to_owned(), url: "https://example.org".to_owned() };
    vec![
        Act::Post { text: "MARKER".to_owned(), offers: Vec::new() },
        Act::Progress { text: "MARKER".to_owned() },
        Act::Relay { name: "Grace".to_owned(), text: "MARKER".to_owned() },
        Act::Fetch { by: ada().person, wait: None, files: vec![offer] },
        Act::Export,
        Act::Hand { what: link, text: "MARKER".to_owned() },
    ]
}

struct Cell {
    meanwhile: [String; 2],
    state: &'static str,
    after: &'static str,
}

/// What there is to read beyond `before`, without the effect itself.
fn news(before: &str, after: &str) -> String {
    let new = after.strip_prefix(before).unwrap_or(after).trim_start_matches("\n---\n").trim();
    if new.is_empty() { "nothing new".to_owned() } else { new.replace("\n---\n", " / ") }
}

/// Queues an effect and refuses it, then takes it.
async fn cell(act: &Act, to: &Recipient, class: Class) -> Cell {
    let mut world = World::new().await;
    world.rest().await;
    let (screen, staff) = (world.screen(), world.staff_screen());
    world.platform.refuse(Some(to.clone()), class);
    let loaded = world.disk().load(world.session).await.unwrap().unwrap();
    let (seq, head) = (loaded.head.seq, loaded.head);
    let id = EffectId::mint(&anteroom::ids::RandomIds);
    let home = (world.session, head.place.clone());
    let effect = Effect::new(id, home, (to.clone(), act.clone()), world.clock.now());
    let commit = Commit {
        head,
        expected: seq,
        events: Vec::new(),
        waits: Vec::new(),
        effects: vec![effect],
        timers: Vec::new(),
        audit: Vec::new(),
        dedup: None,
        charges: Vec::new(),
    };
    world.disk().commit(commit).await.unwrap();
    world.rest().await;
    world.pass(TimeDelta::seconds(10)).await;
    let meanwhile = [news(&screen, &world.screen()), news(&staff, &world.staff_screen())];
    let events = world.events().await;
    let is_failed =
        events.iter().any(|event| matches!(&*event.event, Event::DeliveryFailed { .. }));
    let is_blocked = !world.engine.outages().is_empty();
    let tried = world.platform.tried();
    world.platform.mend();
    for _ in 0..6 {
        world.pass(TimeDelta::seconds(10)).await;
    }
    let is_taken = world.platform.tried() > tried;
    let state = match (is_failed, is_blocked, is_taken) {
        (true, _, _) => "has failed, and is kept for staff",
        (_, true, _) => "waits for the cause, which is shown",
        (_, _, true) => "is tried again",
        _ => "is over",
    };
    assert!(world.engine.outages().is_empty(), "{act:?} {class:?}");
    let left = world.disk().claim(world.clock.now() + TimeDelta::days(300), 9).await.unwrap();
    assert!(left.is_empty(), "{act:?} {class:?}: {left:?}");
    let after = if is_taken { "leaves within 60 s" } else { "stays as it is" };
    Cell { meanwhile, state, after }
}

#[tokio::test]
async fn table_says_who_reads_what_for_every_effect_and_every_class() {
    let mut table = HEAD.to_owned();
    let team = || Recipient::Channel { alias: "desk".to_owned() };
    for act in acts() {
        for to in [Recipient::Participant, team()] {
            let is_for_team = to == team();
            if is_for_team && !matches!(act, Act::Post { .. } | Act::Relay { .. }) {
                continue;
            }
            for (name, class) in classes() {
                let Cell { meanwhile: [participant, staff], state, after } =
                    cell(&act, &to, class).await;
                let whom = if is_for_team { "the team" } else { "the participant" };
                let act = act.name().replace('_', " ");
                writeln!(
                    table,
                    "| {act} | {whom} | {name} | {participant} | {staff} | {state} | {after} |"
                )
                .unwrap();
            }
        }
    }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/delivery-table.md");
    if std::env::var_os("ANTEROOM_REWRITE").is_some() {
        fs::write(&path, &table).unwrap();
    }
    let written = fs::read_to_string(&path).unwrap_or_default();
    assert!(written == table, "docs/delivery-table.md is out of date; run with ANTEROOM_REWRITE=1");
}
