//! Flows that change while the program runs: `run` loads them on SIGHUP, `play` by itself; what doesn't pass the check is
//! not loaded, and conversations keep their version.

use std::fs;

use super::program::{FLOW, Person, Place, nobody, until};

/// The flow with a variable that later versions don't have.
fn first() -> String {
    let flow =
        FLOW.replace("version = \"1.0.0\"", "version = \"1.0.0\"\nvars = [\"organisation\"]");
    flow.replace("Which colour?", "Which colour does {{ vars.organisation }} have?")
}

/// A version with a misspelt tool.
fn bad() -> String {
    let flow = FLOW.replace("Which colour?", "Which shade?");
    flow.replace("  tool = \"get_user_option\"", "  tool = \"get_user_optoin\"")
}

/// A version that works.
fn good() -> String {
    FLOW.replace("Which colour?", "Which shade?").replace("\"1.0.0\"", "\"1.1.0\"")
}

/// Where the misspelt tool is, as messages say it.
fn place_of_mistake() -> String {
    let line = bad().lines().position(|line| line.contains("get_user_optoin")).unwrap() + 1;
    format!("tour.toml:{line}:")
}

fn logged(place: &Place, words: &str) {
    until(words, || place.log().contains(words).then_some(()));
}

fn asked(program: &super::program::Program, name: &str, question: &str) {
    let person = Person::begin(program, name);
    person.press(program, "talk to a bot", "Go on");
    person.card(program, question);
}

#[test]
fn a_hangup_loads_flows_that_pass_the_check_and_conversations_keep_theirs() {
    let place = Place::new(nobody(), "info");
    place.write_flow(&first());
    let program = place.start();
    let ada = Person::begin(&program, "Ada");

    place.write_flow(&bad());
    program.told_to_reload();
    logged(&place, "the flows were not loaded again; those before stay in use");
    assert!(place.log().contains(&place_of_mistake()), "{}", place.log());
    assert!(place.log().contains("did you mean `get_user_option`?"), "{}", place.log());
    asked(&program, "Grace", "Which colour does Example Ltd have?");

    place.write_flow("this is no flow");
    program.told_to_reload();
    logged(&place, "tour.toml:1:");
    asked(&program, "Hedy", "Which colour does Example Ltd have?");

    place.write_flow(&good());
    program.told_to_reload();
    logged(&place, "`tour` 1.1.0 has changed");
    logged(&place, "flows loaded again; conversations keep their version");
    ada.press(&program, "talk to a bot", "Go on");
    ada.card(&program, "Which colour does Example Ltd have?");
    asked(&program, "Joan", "Which shade?");

    program.stopped();
    let program = place.start();
    ada.press(&program, "Which colour does Example Ltd have?", "Blue");
    ada.card(&program, "A file, please");
    program.stopped();
}

#[test]
fn a_conversation_goes_on_where_a_value_of_its_version_was_taken_away() {
    let place = Place::new(nobody(), "warn");
    place.write_flow(&first());
    let program = place.start();
    let ada = Person::begin(&program, "Ada");
    ada.press(&program, "talk to a bot", "Go on");
    ada.card(&program, "Which colour does Example Ltd have?");
    program.stopped();

    place.write_flow(&good());
    let file = place.file("config.toml");
    let config = fs::read_to_string(&file).unwrap();
    fs::write(&file, config.replace("organisation = \"Example Ltd\"\n", "")).unwrap();
    let program = place.start();
    ada.press(&program, "Which colour does", "Blue");
    ada.card(&program, "A file, please");
    program.stopped();
    logged(&place, "`organisation` has no value any more");
}

#[test]
fn the_playground_loads_a_flow_that_changes_and_tells_what_is_wrong_with_it() {
    let place = Place::new(nobody(), "warn");
    place.write_flow(&first());
    let program = place.play();
    let ada = Person::begin(&program, "Ada");

    place.write_flow(&bad());
    logged(&place, "The flows were not loaded again; those before stay in use.");
    assert!(place.log().contains(&place_of_mistake()), "{}", place.log());
    asked(&program, "Grace", "Which colour does Example Ltd have?");

    place.write_flow(&good());
    logged(&place, "Flow loaded: `tour` 1.1.0 has changed. Conversations keep their version.");
    ada.press(&program, "talk to a bot", "Go on");
    ada.card(&program, "Which colour does Example Ltd have?");
    asked(&program, "Joan", "Which shade?");
    program.stopped();
}
