//! Two databases, and two machines on which both are served: each machine is active for one and stands by for the other.

use super::{
    nodes::{database, node, stands_by},
    program::{Person, Place, until},
};

/// Whether the audit chain of a node's database holds.
fn verifies(place: &Place) -> bool {
    let output = place.said(&["audit", "verify"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

#[test]
fn a_machine_that_fails_holds_up_those_whom_it_served_and_nobody_else() {
    let (Some(left), Some(right)) = (database(), database()) else { return };
    let first = node(&left, "first");
    let of_first = first.start();
    let second = node(&right, "second");
    let of_second = second.start();
    let standby = stands_by(node(&left, "second"));
    let ada = Person::up_to_the_file(&of_first, "Ada");
    let bob = Person::up_to_the_file(&of_second, "Bob");

    // As `kill -9`.
    drop(of_first);
    drop(first);
    bob.sends(&of_second, "notes.txt", b"Some notes.".to_vec());
    bob.types(&of_second, "A word, please", "Sesame");
    assert!(!standby.is_finished(), "Bob had to wait for the other database");
    let (taken_over, also_of_second) = standby.join().unwrap();
    ada.sends(&also_of_second, "notes.txt", b"Other notes.".to_vec());
    ada.types(&also_of_second, "A word, please", "Sesame");

    for (person, program) in [(&ada, &also_of_second), (&bob, &of_second)] {
        let page = || person.get(program, &person.session);
        until("the end", || page().contains("Sesame").then_some(()));
    }
    // Neither database knows of the other's people.
    assert!(!bob.get(&also_of_second, &bob.session).contains("Sesame"));
    assert!(verifies(&taken_over) && verifies(&second));
    also_of_second.stopped();
    of_second.stopped();
}
