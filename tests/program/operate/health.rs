//! Is it alive, is it ready: for container engines, for systemd, for a person.

use std::{net::TcpListener, os::unix::net::UnixDatagram, time::Duration};

use super::program::{Place, nobody, receiver};

#[test]
fn a_bot_that_is_ready_says_so_and_one_that_is_gone_does_not() {
    let place = Place::new(nobody(), "info");
    let program = place.start();
    assert!(program.asked("/healthz").ends_with("\r\n\r\nok"));
    assert!(program.asked("/readyz").ends_with("\r\n\r\nready"));
    let address = program.address().to_owned();
    let check = || place.said(&["healthcheck", "--listen", &address]);
    let asked = check();
    assert!(asked.status.success(), "{asked:?}");
    assert_eq!(asked.stdout, b"ready\n");
    program.stopped();
    let asked = check();
    assert_eq!(asked.status.code(), Some(1));
    let told = String::from_utf8(asked.stderr).unwrap();
    let expected = format!(
        "error: no answer from `{address}`: connection refused\nhint: check that the bot is running\n"
    );
    assert_eq!(told, expected);
}

#[test]
fn somebody_else_at_the_address_is_no_bot() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let _asked = receiver(listener, Some("404 Not Found"));
    let place = Place::new(nobody(), "info");
    let asked = place.said(&["healthcheck", "--listen", &address]);
    assert_eq!(asked.status.code(), Some(1));
    let told = String::from_utf8(asked.stderr).unwrap();
    assert!(told.contains("another program is listening there"), "{told}");
}

#[test]
fn the_port_of_the_configuration_is_asked_unless_it_is_any() {
    let place = Place::new(nobody(), "info");
    let asked = place.said(&["healthcheck"]);
    assert_eq!(asked.status.code(), Some(1));
    let told = String::from_utf8(asked.stderr).unwrap();
    assert!(told.contains("hint: pass the address it printed with `--listen ADDR`"), "{told}");
}

#[test]
fn systemd_is_notified_when_it_is_ready_and_when_it_ends() {
    let place = Place::new(nobody(), "info");
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("notify");
    let supervisor = UnixDatagram::bind(&path).unwrap();
    supervisor.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    let received = || {
        let mut text = [0; 256];
        let length = supervisor.recv(&mut text).unwrap();
        String::from_utf8(text[..length].to_vec()).unwrap()
    };
    let program = place.start_for(Some(&path));
    assert!(received().contains("READY=1"));
    program.told_to_stop();
    assert!(received().contains("STOPPING=1"));
    assert!(program.ended().0.success());
}
