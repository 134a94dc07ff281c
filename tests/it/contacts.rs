//! Contact details: from cards of three versions, from the profile, from the directory, and never from strangers.

use std::{os::unix::fs::PermissionsExt as _, time::Duration};

use anteroom::{
    model::session::PersonId,
    ports::contacts::{
        ContactSource, Contacts, Fetched, Wanted,
        directory::{self, Directory},
        macos::{MacContacts, Way, osascript::Osascript},
        profile::Profile,
        vcard::{OwnFile, VCards},
    },
};
use async_trait::async_trait;

fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}

fn wanted(vcards: &[&str]) -> Wanted {
    Wanted {
        person: PersonId::web("ada"),
        display_name: Some("Ada Byron".to_owned()),
        specific: None,
        vcards: vcards.iter().map(|name| fixture(name)).collect(),
    }
}

async fn card(source: impl ContactSource, wanted: &Wanted) -> String {
    match source.fetch(wanted).await {
        Fetched::Card(card) => serde_json::to_string_pretty(&card).unwrap(),
        Fetched::PermissionDenied { reason } => format!("denied: {reason}"),
        Fetched::NotFound { reason } => format!("not found: {reason}"),
    }
}

#[tokio::test]
async fn a_card_from_a_mac_is_read_with_its_own_labels() {
    insta::assert_snapshot!(card(VCards::default(), &wanted(&["ada.vcf"])).await, @r#"
    {
      "name": {
        "given": "Dr. Ada Augusta",
        "family": "Byron"
      },
      "email": [
        {
          "label": "work",
          "value": "ada.byron@example.org"
        },
        {
          "label": "home",
          "value": "ada@home.example.org"
        }
      ],
      "phone": [
        {
          "label": "mobile",
          "value": "+44 20 7946 0018"
        },
        {
          "label": "night school",
          "value": "+44 20 7946 0099"
        }
      ],
      "address": [
        {
          "label": "work",
          "value": "12 St James's Square, London, SW1Y 4JH, United Kingdom"
        }
      ],
      "url": [
        {
          "label": "homepage",
          "value": "https://ada.example.org"
        }
      ],
      "organization": "Analytical Engines Ltd",
      "jobTitle": "Senior Programmer"
    }
    "#);
}

#[tokio::test]
async fn an_old_card_is_read_in_its_charset() {
    insta::assert_snapshot!(card(VCards::default(), &wanted(&["old.vcf"])).await, @r#"
    {
      "name": {
        "given": "Jürgen",
        "family": "Müller"
      },
      "email": [
        {
          "label": "other",
          "value": "juergen@example.de"
        }
      ],
      "phone": [
        {
          "label": "mobile",
          "value": "+49 30 901820"
        },
        {
          "label": "fax",
          "value": "+49 30 901821"
        }
      ],
      "organization": "Café Nord",
      "jobTitle": "Leiter der Abteilung für sehr lange Titel"
    }
    "#);
}

#[tokio::test]
async fn of_an_address_book_only_the_named_card_is_taken() {
    let mut wanted = wanted(&["book.vcf"]);
    insta::assert_snapshot!(card(VCards::default(), &wanted).await, @r"not found: none of 2 cards has that name");
    wanted.display_name = Some("wanjiru".to_owned());
    insta::assert_snapshot!(card(VCards::default(), &wanted).await, @r#"
    {
      "name": {
        "given": "Wanjiru",
        "family": "Kamau ing. jr M.Sc."
      },
      "email": [
        {
          "label": "work",
          "value": "wanjiru@savanna.example.co.ke"
        },
        {
          "label": "home",
          "value": "wanjiru@home.example.co.ke"
        }
      ],
      "phone": [
        {
          "label": "mobile",
          "value": "+254-20-555-0101"
        }
      ],
      "organization": "Savanna Solutions",
      "jobTitle": "Engineering Manager"
    }
    "#);
    wanted.specific = Some("otieno@example.co.ke".to_owned());
    insta::assert_snapshot!(card(VCards::default(), &wanted).await, @r#"
    {
      "name": {
        "given": "Otieno",
        "family": "Odhiambo"
      },
      "email": [
        {
          "label": "other",
          "value": "otieno@example.co.ke"
        }
      ],
      "phone": []
    }
    "#);
}

#[tokio::test]
async fn broken_cards_are_survived() {
    let cards: [&[u8]; 5] = [
        b"",
        b"BEGIN:VCARD\r\nEND:VCARD",
        b"BEGIN:VCARD\nVERSION:3.0\nN:;;;;\nTEL:1\nEND:VCARD",
        b"\xff\xfeB",
        &b"BEGIN:VCARD\n".repeat(20_000),
    ];
    for card in cards {
        let wanted = Wanted { vcards: vec![card.to_vec()], ..wanted(&[]) };
        let fetched = VCards::default().fetch(&wanted).await;
        assert_eq!(fetched, Fetched::not_found("no contact card was sent"));
    }
}

#[tokio::test]
async fn the_file_on_the_host_is_only_its_owners() {
    let path = format!("{}/tests/fixtures/ada.vcf", env!("CARGO_MANIFEST_DIR")).into();
    let cards = VCards::new(Some(OwnFile { path, owner: PersonId::web("ada") }));
    assert!(matches!(cards.fetch(&wanted(&[])).await, Fetched::Card(_)));
    let stranger = Wanted { person: PersonId::web("eve"), ..wanted(&[]) };
    assert_eq!(cards.fetch(&stranger).await, Fetched::not_found("no contact card was sent"));
}

#[tokio::test]
async fn contacts_of_the_computer_are_only_its_owners() {
    let source = MacContacts::new("slack:T01/U01".parse().unwrap(), Way::Framework, None);
    insta::assert_snapshot!(card(source.clone(), &wanted(&[])).await, @r"not found: this computer's Contacts are only for its owner");
    let owner = Wanted { person: "slack:T01/U01".parse().unwrap(), ..wanted(&[]) };
    assert!(matches!(source.fetch(&owner).await, Fetched::NotFound { .. }));
}

#[tokio::test]
async fn the_profile_gives_the_name_that_the_platform_shows() {
    insta::assert_snapshot!(card(Profile::default(), &wanted(&[])).await, @r#"
    {
      "name": {
        "given": "Ada",
        "family": "Byron"
      },
      "email": [],
      "phone": []
    }
    "#);
    let unnamed = Wanted { display_name: Some("  ".to_owned()), ..wanted(&[]) };
    insta::assert_snapshot!(card(Profile::default(), &unnamed).await, @r"not found: the profile has no name");
}

#[tokio::test]
async fn the_directory_knows_people_by_their_platform_id() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.toml");
    std::fs::write(
        &path,
        r#"
        ["web:local/ada"]
        given = "Ada"
        family = "Byron"
        email = ["ada@example.org"]
        job_title = "Programmer"
        "#,
    )
    .unwrap();
    let source = Directory::open(&path).unwrap();
    insta::assert_snapshot!(card(source.clone(), &wanted(&[])).await, @r#"
    {
      "name": {
        "given": "Ada",
        "family": "Byron"
      },
      "email": [
        {
          "label": "work",
          "value": "ada@example.org"
        }
      ],
      "phone": [],
      "jobTitle": "Programmer"
    }
    "#);
    let stranger = Wanted { person: PersonId::web("eve"), ..wanted(&[]) };
    insta::assert_snapshot!(card(source.clone(), &stranger).await, @r"not found: not in the directory");
    let curious = Wanted { specific: Some("Ada Byron".to_owned()), ..stranger };
    insta::assert_snapshot!(card(source, &curious).await, @r"not found: everybody finds only themselves in the directory");
}

#[test]
fn a_mistake_in_the_directory_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("people.toml");
    let mut said = Vec::new();
    for text in [
        "[\"web:local/ada\"]\ngiven = \"Ada\"\nfax = \"1\"\n",
        "[\"ada\"]\ngiven = \"Ada\"\n",
        "[\"web:local/ada\"]\nfamily = \"Byron\"\n",
        "given = \n",
    ] {
        std::fs::write(&path, text).unwrap();
        let error = match Directory::open(&path) {
            Err(error @ directory::Error::Malformed { .. }) => error.to_string(),
            other => panic!("not refused: {other:?}"),
        };
        said.push(error.replace(&path.display().to_string(), "people.toml"));
    }
    insta::assert_snapshot!(said.join("\n"), @r"
    the contact directory `people.toml` has a mistake: line 3: unknown field `fax`, expected one of `given`, `family`, `email`, `phone`, `address`, `url`, `organization`, `job_title`
    the contact directory `people.toml` has a mistake: line 1: `ada` is not a person. hint: write `platform:workspace/user`, for example `slack:T01/U01`
    the contact directory `people.toml` has a mistake: line 1: missing field `given`
    the contact directory `people.toml` has a mistake: line 1: string values must be quoted, expected literal string
    ");
    assert!(matches!(
        Directory::open(folder.path().join("none.toml")),
        Err(directory::Error::Unreadable { .. })
    ));
}

/// Says always the same.
#[derive(Debug)]
struct Says(&'static str, Fetched);

#[async_trait]
impl ContactSource for Says {
    fn name(&self) -> &'static str {
        self.0
    }

    fn serves(&self, _person: &PersonId) -> bool {
        matches!(self.1, Fetched::Card(_))
    }

    async fn fetch(&self, _wanted: &Wanted) -> Fetched {
        self.1.clone()
    }
}

#[tokio::test]
async fn sources_are_asked_in_order_and_all_reasons_are_told() {
    let denied = || {
        let reason = "allow it in the system settings".to_owned();
        Box::new(Says("macos", Fetched::PermissionDenied { reason }))
    };
    let missing = || Box::new(Says("directory", Fetched::not_found("not in the directory")));
    let wanted = wanted(&[]);

    let contacts = Contacts::new(vec![denied(), missing(), Box::new(Profile::default())]);
    assert_eq!(contacts.names(), ["macos", "directory", "profile"]);
    assert!(matches!(contacts.fetch(&wanted).await, Fetched::Card(_)));

    let contacts = Contacts::new(vec![missing(), denied()]);
    let reason = "macos: allow it in the system settings".to_owned();
    assert_eq!(contacts.fetch(&wanted).await, Fetched::PermissionDenied { reason });

    let contacts = Contacts::new(vec![missing()]);
    let reason = "directory: not in the directory";
    assert_eq!(contacts.fetch(&wanted).await, Fetched::not_found(reason));
    let none = Fetched::not_found("no contact source is configured");
    assert_eq!(Contacts::default().fetch(&wanted).await, none);
}

/// A Mac whose `osascript` does as `does` says.
fn mac(does: &str) -> (MacContacts, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("osascript");
    std::fs::write(&program, format!("#!/bin/sh\n{does}\n")).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    // Behind it, so that the stand-in finds its own tools.
    let path = format!("{}:/usr/bin:/bin", folder.path().display());
    let script = Osascript::found_in(path, Duration::from_secs(2));
    let owner = PersonId::web("ada");
    (MacContacts::new(owner, Way::Script(script), Some("Terminal".to_owned())), folder)
}

/// What the script prints on a Mac, two cards of one name part.
const CARDS: &str = r#"[{"given":"Augusta","family":"Leigh","email":[],"phone":[],"address":[]},
{"given":"Ada","family":"Byron","email":[{"label":"_$!<Work>!$_","value":"ada@example.org"}],
"phone":[{"label":"iPhone","value":"+44 20 7946 0018"}],
"address":[{"label":"_$!<Home>!$_","parts":["12 St James's Square\nFloor 2","London","","SW1Y 4JH","United Kingdom"]}],
"organization":"Analytical Engines Ltd","jobTitle":"Programmer"}]"#;

#[tokio::test]
async fn a_script_reads_the_owners_card_where_there_is_no_framework() {
    let (mac, _folder) = mac(&format!("cat <<'CARDS'\n{CARDS}\nCARDS"));
    let mut wanted = wanted(&[]);
    wanted.specific = Some("ada byron".to_owned());
    insta::assert_snapshot!(card(mac, &wanted).await, @r#"
    {
      "name": {
        "given": "Ada",
        "family": "Byron"
      },
      "email": [
        {
          "label": "work",
          "value": "ada@example.org"
        }
      ],
      "phone": [
        {
          "label": "mobile",
          "value": "+44 20 7946 0018"
        }
      ],
      "address": [
        {
          "label": "home",
          "value": "12 St James's Square, Floor 2, London, SW1Y 4JH, United Kingdom"
        }
      ],
      "organization": "Analytical Engines Ltd",
      "jobTitle": "Programmer"
    }
    "#);
}

#[tokio::test]
async fn what_a_person_names_reaches_the_script_as_an_argument_and_never_as_code() {
    // Five arguments: the language, the script, the name.
    let (mac, _folder) =
        mac(r#"for last; do :; done; [ $# -eq 5 ] && printf '[{"given":"%s"}]' "$last""#);
    let mut wanted = wanted(&[]);
    wanted.specific = Some("$(reboot)".to_owned());
    insta::assert_snapshot!(card(mac, &wanted).await, @r#"
    {
      "name": {
        "given": "$(reboot)",
        "family": ""
      },
      "email": [],
      "phone": []
    }
    "#);
}

#[tokio::test]
async fn the_card_of_a_mac_is_for_its_owner_alone() {
    let (mac, folder) = mac(r#"touch "$(dirname "$0")/asked"; echo '[]'"#);
    let stranger = Wanted { person: PersonId::web("charles"), ..wanted(&[]) };
    insta::assert_snapshot!(card(mac, &stranger).await, @"not found: this computer's Contacts are only for its owner");
    assert!(!folder.path().join("asked").exists(), "Contacts was asked for a stranger");
}

#[tokio::test]
async fn what_stops_the_script_is_told_with_what_to_do() {
    let told = async |does: &str| {
        let (mac, _folder) = mac(does);
        card(mac, &wanted(&[])).await
    };
    let fails = |error: &str| format!("echo 'execution error: Error: {error}' >&2; exit 1");
    let denied = "Not authorized to send Apple events to Contacts. (-1743)";
    insta::assert_snapshot!(told(&fails(denied)).await, @"denied: macOS denies steering Contacts; the permission is that of the app that launched it, `Terminal`. hint: allow Contacts for that app under System Settings › Privacy & Security › Automation");
    insta::assert_snapshot!(told(&fails("No such object. (-1728)")).await, @"not found: Contacts has no such card. hint: choose your own under Card › Make This My Card");
    insta::assert_snapshot!(told(&fails("Application is not running. (-600)")).await, @"not found: `osascript` failed with error -600");
    insta::assert_snapshot!(told("echo '[]'").await, @"not found: Contacts has no such card. hint: choose your own under Card › Make This My Card");
    insta::assert_snapshot!(told("echo Ada").await, @"not found: `osascript` printed no cards");
    insta::assert_snapshot!(told("exec sleep 60").await, @"denied: nobody answered when macOS asked for access to Contacts; the permission is that of the app that launched it, `Terminal`. hint: start the bot once from Terminal, outside tmux and launchd, and answer there");
}

#[tokio::test]
async fn on_another_system_the_reason_is_told() {
    let ada = PersonId::web("ada");
    let nowhere = Osascript::found_in("/nowhere", Duration::from_secs(1));
    let script = MacContacts::new(ada.clone(), Way::Script(nowhere.clone()), None);
    insta::assert_snapshot!(card(script, &wanted(&[])).await, @"not found: there is no `osascript`; it is a program of macOS, and this is another system");
    if cfg!(not(target_os = "macos")) {
        let best = MacContacts::new(ada, Way::Best(nowhere), None);
        insta::assert_snapshot!(card(best, &wanted(&[])).await, @"not found: Contacts is an application of macOS, and this is another system");
    }
}
