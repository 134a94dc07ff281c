//! What the command line says where something is wrong outside it: rights, disks, files, arguments.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::Path,
    process::{Command, Output},
    sync::Arc,
};

use insta::assert_snapshot;

use anteroom::{base::ids::RandomIds, store::sled::SledStore};

/// The program in `dir` with an environment of its own, and without the superuser's right to pass over permissions.
fn anteroom(dir: &Path, args: &[&str]) -> Output {
    let program = env!("CARGO_BIN_EXE_anteroom");
    let mut command = if rustix::process::geteuid().is_root() {
        let mut plain = Command::new("setpriv");
        plain.args(["--inh-caps=-all", "--bounding-set=-all", program]);
        plain
    } else {
        Command::new(program)
    };
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.args(args).env_clear().env("HOME", dir).env("PATH", path).current_dir(dir);
    command.output().unwrap()
}

fn told(dir: &Path, args: &[&str]) -> String {
    let output = anteroom(dir, args);
    assert!(!output.status.success(), "{args:?}");
    String::from_utf8(output.stderr).unwrap()
}

fn store(dir: &Path) -> Arc<SledStore> {
    Arc::new(SledStore::open(&dir.join("data/store"), Arc::new(RandomIds)).unwrap())
}

#[test]
fn a_misspelt_key_hides_no_other_mistake() {
    let dir = tempfile::tempdir().unwrap();
    let (_, source) = anteroom::flow::shipped()[1];
    let wrong = source
        .replacen("\ntitle ", "\ntitel ", 1)
        .replacen("[handoff]", "[handof]\nkeyword = 3\n", 1)
        .replacen("tool = \"get_user_option\"", "tool = \"get_user_opton\"", 1);
    fs::write(dir.path().join("mine.toml"), wrong).unwrap();

    let told = told(dir.path(), &["flows", "check", "mine.toml"]);

    for part in
        ["unknown key `titel`", "unknown key `handof`", "unknown key `keyword`", "`get_user_opton`"]
    {
        assert!(told.contains(part), "{part} is not in: {told}");
    }
}

#[test]
fn a_mistake_under_a_misspelt_key_is_told_with_its_line() {
    let dir = tempfile::tempdir().unwrap();
    let flow = "format = 1\nid = \"x\"\nversion = \"1.0.0\"\ntitel = \"X\"\nphase = []\n[handof]\nkeywords = 3\n";
    fs::write(dir.path().join("mine.toml"), flow).unwrap();
    assert_snapshot!(told(dir.path(), &["flows", "check", "mine.toml"]), @r"
    mine.toml: `title` is missing
    mine.toml:4:1: unknown key `titel`. hint: did you mean `title`?
    mine.toml:6:2: unknown key `handof`. hint: did you mean `handoff`?
    mine.toml:7:1: expected a list in brackets, found `3`
    ");
}

#[test]
fn a_folder_without_data_stays_empty() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("data")).unwrap();
    for command in [
        &["sessions", "list"][..],
        &["audit", "verify"],
        &["backup", "kept"],
        &["scrub"],
        &["repair", "--to", "new"],
    ] {
        let told = told(dir.path(), &[command, &["--data", "data"]].concat());
        assert!(told.contains("there is no data in `data`"), "{command:?}: {told}");
    }
    assert_eq!(fs::read_dir(dir.path().join("data")).unwrap().count(), 0);
}

#[test]
fn a_folder_without_rights_is_told_as_such() {
    let dir = tempfile::tempdir().unwrap();
    drop(store(dir.path()));
    let data = dir.path().join("data");
    fs::set_permissions(&data, fs::Permissions::from_mode(0o000)).unwrap();
    let list = told(dir.path(), &["sessions", "list", "--data", "data"]);
    let below = told(dir.path(), &["sessions", "list", "--data", "data/deeper"]);
    fs::set_permissions(&data, fs::Permissions::from_mode(0o700)).unwrap();
    assert_snapshot!(list, @r"
    error: could not open `data`
    because: Permission denied (os error 13)
    hint: run this command as the same user as the bot, or give this user access
    ");
    assert!(below.contains("Permission denied") && !below.contains("no data"), "{below}");
}

#[test]
fn a_repair_that_fails_leaves_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let store = store(dir.path());
    let repair = || told(dir.path(), &["repair", "--to", "new", "--data", "data"]);
    assert!(repair().contains("is in use by process"));
    assert!(repair().contains("is in use by process"));
    assert!(!dir.path().join("new").exists());
    drop(store);
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_says_what_helps() {
    let dir = tempfile::tempdir().unwrap();
    let export = ["flows", "export", "candidate-onboarding", "-o", "/dev/full"];
    assert_snapshot!(told(dir.path(), &export), @r"
    error: could not write `/dev/full`
    because: No space left on device (os error 28)
    hint: free up space there, or choose another place
    ");
}

#[test]
fn files_that_cannot_be_read_say_what_helps() {
    let dir = tempfile::tempdir().unwrap();
    assert_snapshot!(told(dir.path(), &["run", "--config", "nix.toml"]), @"nix.toml: could not be read: No such file or directory (os error 2). hint: check the path");
    let file = dir.path().join("config.toml");
    fs::write(&file, "").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).unwrap();
    assert_snapshot!(told(dir.path(), &["flows", "list"]), @"config.toml: could not be read: Permission denied (os error 13). hint: check its owner and permissions");
}

#[test]
fn a_built_in_flow_is_called_by_its_id_wherever_it_does_not_fit() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("config.toml"), "[web]\nlisten = \"127.0.0.1:0\"\n").unwrap();
    let told = told(dir.path(), &["run", "--data", "data"]);
    assert!(told.contains("flow `candidate-onboarding`:"), "{told}");
    assert!(told.contains("list only the flows you use under `enabled`"), "{told}");
}

#[test]
fn an_address_that_is_none_is_told_with_an_example() {
    let dir = tempfile::tempdir().unwrap();
    let told = told(dir.path(), &["play", "--listen", "localhost"]);
    assert!(told.contains("for example `127.0.0.1:4747`"), "{told}");
}

#[test]
fn numbers_and_seals_that_are_none_are_told_as_such() {
    let dir = tempfile::tempdir().unwrap();
    let limit = told(dir.path(), &["sessions", "list", "--limit", "0"]);
    assert!(limit.contains("use a whole number from 1 on"), "{limit}");
    let seal = told(dir.path(), &["audit", "verify", "--against", "foo"]);
    assert!(seal.contains("64 hexadecimal digits"), "{seal}");
}

#[test]
fn a_recording_of_a_bot_that_does_not_start_is_not_left_behind() {
    let dir = tempfile::tempdir().unwrap();
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let play =
        ["play", "--no-open", "--data", "data", "--record", "talk.jsonl", "--listen", &address];
    assert!(told(dir.path(), &play).contains("cannot listen on"));
    assert!(!dir.path().join("talk.jsonl").exists());
}

/// A flow that can't be read may be the very one that is enabled.
#[test]
fn a_broken_flow_is_not_also_told_as_missing() {
    let dir = tempfile::tempdir().unwrap();
    let config = "[flows]\ndir = \"flows\"\nenabled = [\"trip\"]\n";
    fs::write(dir.path().join("config.toml"), config).unwrap();
    fs::create_dir(dir.path().join("flows")).unwrap();
    let list = || told(dir.path(), &["flows", "list"]);
    assert!(list().contains("there is no flow `trip` to enable"));
    fs::write(dir.path().join("flows/trip.toml"), "id = ").unwrap();
    let broken = list();
    assert!(broken.contains("trip.toml:1:") && !broken.contains("to enable"), "{broken}");
}

#[test]
fn a_command_that_needs_a_configuration_says_how_to_name_it() {
    let dir = tempfile::tempdir().unwrap();
    let doctor = told(dir.path(), &["doctor", "slack"]);
    assert!(doctor.contains("name it with `--config FILE`"), "{doctor}");
}

/// Whoever may erase by person learns of it where the session is missing.
#[test]
fn arguments_of_which_one_is_needed_are_both_named() {
    let dir = tempfile::tempdir().unwrap();
    let erase = told(dir.path(), &["erase"]);
    assert!(erase.contains("--person"), "{erase}");
    let hold = told(dir.path(), &["hold", "ses_1"]);
    assert!(hold.contains("--release"), "{hold}");
}
