//! What is done for one person reads no more because there are many others.

use anteroom::{
    base::ids::SessionId,
    model::session::Head,
    store::{Commit, Loaded},
};

use crate::{crashes::candidate, world::World};

/// Copies of the conversation in `world` under other ids, changed by `change`.
async fn crowd(world: &World, ids: impl Iterator<Item = SessionId>, change: impl Fn(&mut Head)) {
    let Loaded { head, events } = world.disk().load(world.session).await.unwrap().unwrap();
    for id in ids {
        let mut head = Head { id, ..head.clone() };
        change(&mut head);
        world.disk().commit(Commit::new(head, 0, events.clone())).await.unwrap();
    }
}

fn id(text: &str) -> SessionId {
    text.parse().unwrap()
}

#[tokio::test]
async fn a_session_is_found_by_the_beginning_of_its_id_without_reading_the_others() {
    let world = World::new().await;
    let numbered = |number: u32| id(&format!("ses_0190000{number:x}7abc7def8000112233445566"));
    crowd(&world, (0..16).map(numbered), |_| ()).await;
    let [one, other] =
        ["0190a", "0190b"].map(|begin| id(&format!("ses_{begin}0007abc7def8000112233445566")));
    crowd(&world, [one, other].into_iter(), |_| ()).await;
    let before = world.store.heads();

    let found = async |text: &str| world.engine.beginning_with(text, 2).await.unwrap();
    assert_eq!(found("ses_0190a").await, [one]);
    assert_eq!(found(&one.to_string()).await, [one]);
    assert_eq!(found("ses_0190").await, [numbered(0), numbered(1)]);
    assert_eq!(found("ses_00").await, [world.session]);
    assert_eq!(found("se").await, [world.session, numbered(0)]);
    for none in
        ["ses_0190c", "ses_0190A", "ses_x", "0190a", "ses_00000000000000000000000000000000ff"]
    {
        assert_eq!(found(none).await, [], "{none}");
    }
    assert!(world.store.heads() - before <= 2 * 10, "two for each question");
}

#[tokio::test]
async fn what_reads_all_that_was_asked_in_a_conversation_reads_it_together() {
    let mut world = World::on("candidate-onboarding").await;
    candidate(&mut world).await;
    let before = world.store.waits_alone();

    let scrubbed = world.engine.scrub().await.unwrap();
    assert_eq!((scrubbed.conversations, scrubbed.damage), (1, Vec::new()));
    world.engine.order_erasure(world.session, "operator").await.unwrap();

    assert_eq!(world.store.waits_alone(), before);
}
