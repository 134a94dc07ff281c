//! SIGTERM: over within ten seconds whatever goes on, with nothing in progress lost.

use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    time::Duration,
};

use super::program::{Person, Place, delivered, fixture, nobody, receiver, until};

/// What container engines allow before they kill.
const LIMIT: Duration = Duration::from_secs(10);

fn in_time(what: &str, took: Duration) {
    assert!(took < LIMIT, "{what}: {took:?}");
}

#[test]
fn with_nothing_to_do() {
    let place = Place::new(nobody(), "info");
    in_time("idle", place.start().stopped());
}

#[test]
fn with_pages_open() {
    let place = Place::new(nobody(), "info");
    let program = place.start();
    let person = Person::begin(&program, "Ada");
    // One that is silent from the beginning, one between two requests, one in the middle of its head.
    let mut silent = program.connect();
    let mut resting = program.connect();
    write!(resting, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
    let mut begun = program.connect();
    write!(begun, "GET /healthz HTTP/1.1\r\nHost: lo").unwrap();
    let live = person.live(&program);
    let took = program.stopped();
    // A live page ends as a whole answer does; the browser connects again.
    assert!(live.join().unwrap().unwrap().contains("event: piece"));
    let mut rest = Vec::new();
    silent.read_to_end(&mut rest).unwrap();
    assert_eq!(rest, b"");
    resting.read_to_end(&mut rest).unwrap();
    assert!(rest.ends_with(b"\r\n\r\nok"));
    drop(begun);
    in_time("pages open", took);

    let program = place.start();
    person.card(&program, "talk to a bot");
}

#[test]
fn with_a_slow_upload() {
    let place = Place::new(nobody(), "info");
    let program = place.start();
    let person = Person::up_to_the_file(&program, "Ada");
    let mut slow = person.slow_upload(&program);
    program.told_to_stop();
    let sending = std::thread::spawn(move || {
        // As fast as a bad connection: until somebody cuts it.
        while slow.write_all(b"x").is_ok() {
            std::thread::sleep(Duration::from_millis(50));
        }
    });
    let (status, took) = program.ended();
    assert!(status.success(), "{status}");
    sending.join().unwrap();
    in_time("slow upload", took);

    let program = place.start();
    person.sends(&program, "note.txt", b"What I wanted to send.".to_vec());
    person.card(&program, "A word, please");
}

#[test]
fn with_a_document_that_is_being_read() {
    let place = Place::new(nobody(), "info");
    let program = place.start();
    let person = Person::up_to_the_file(&program, "Ada");
    person.sends(&program, "bomb.pdf", fixture("bomb.pdf"));
    let child = until("the child that reads", || program.children().pop());
    let took = program.stopped();
    assert!(!child.join("exe").exists(), "the child is still there");
    in_time("document", took);

    // The step was in flight: it is made again, and the story goes on.
    let program = place.start();
    person.card(&program, "A word, please");
}

#[test]
fn with_a_web_hook_that_never_answers() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let hanging = receiver(listener.try_clone().unwrap(), None);
    let place = Place::new(address, "info");
    let program = place.start();
    let person = Person::up_to_the_file(&program, "Ada");
    person.sends(&program, "note.txt", b"A note.".to_vec());
    let id = delivered(&hanging);
    in_time("web hook", program.stopped());

    // The same delivery, since nobody knows what became of it.
    let program = place.start();
    assert_eq!(delivered(&hanging), id);
    person.types(&program, "A word, please", "Done.");
}

#[test]
fn a_second_signal_does_not_wait() {
    let place = Place::new(nobody(), "info");
    let program = place.start();
    let person = Person::up_to_the_file(&program, "Ada");
    let slow = person.slow_upload(&program);
    program.told_to_stop();
    // The first one is heard before the second is sent: nobody is let in any more.
    until("the end of listening", || std::net::TcpStream::connect(program.address()).err());
    program.told_to_stop();
    let (status, took) = program.ended();
    drop(slow);
    assert!(status.success(), "{status}");
    // Less than the slow upload is given.
    assert!(took < Duration::from_secs(3), "{took:?}");

    let program = place.start();
    person.card(&program, "A file, please");
}
