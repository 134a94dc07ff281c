//! Each control as people read it, open and closed, with the forms behind its buttons. How to read the drawings stands in
//! `emulator/draw.rs`.
#![expect(clippy::too_many_lines, reason = "drawings are long")]

use std::collections::BTreeMap;

use anteroom::{
    base::ids::{ArtifactId, CountingIds},
    chat::card::Reader,
    gateway::slack::render::{Cx, card, modal, post, rearranged},
    model::{
        transcript::Audience,
        ui::{
            Ask, Choice, Choose, Confirm, Control, Decide, Decision, DenialReader, Field, Form,
            Input, Prompt, Reply, Upload, Verdict,
        },
        wait::{Vote, Wait, WaitStatus},
    },
};
use serde_json::{Value, json};

use super::{ada, grace, wrong_with, wrong_with_view};
use crate::slack::{
    emulator::{Settings, Slack, draw, state::View},
    judges::{self, Case},
    questions::{answered, ask, choice, field, now, profile, timeline, wait},
};

/// Cards on a page, checked as they are put there.
struct Page {
    slack: Slack,
    text: String,
    cases: Vec<Case>,
}

impl Page {
    async fn new() -> Self {
        let slack = Slack::start(Settings::new()).await;
        Self { slack, text: String::new(), cases: Vec::new() }
    }

    fn put(&mut self, name: &str, drawing: &str) {
        self.text.extend(["── ", name, "\n", drawing.trim_end(), "\n\n"]);
    }

    fn card(&mut self, name: &str, wait: &Wait, cx: &Cx) {
        let message = card(wait, cx);
        assert_eq!(wrong_with(&message), Vec::<String>::new(), "{name}");
        let payload = Value::Array(message.blocks);
        let drawing = self.slack.look(|state| Some(draw::blocks(state, &payload, None)));
        self.put(name, &format!("{}\n(read out: {})", drawing.unwrap_or_default(), message.text));
        self.cases.push(Case { name: name.into(), target: "blocks", payload });
    }

    fn form(&mut self, wait: &Wait, action: &str) {
        let view =
            modal(wait, action, &Cx::default()).unwrap_or_else(|| panic!("{action} opens nothing"));
        self.view(action, view);
    }

    fn view(&mut self, name: &str, view: Value) {
        assert_eq!(wrong_with_view(&view), Vec::<String>::new(), "{name}");
        let shown = View { body: view.clone(), ..View::default() };
        let drawing = self.slack.look(|state| Some(draw::view(state, &shown)));
        self.put(name, &drawing.unwrap_or_default());
        self.cases.push(Case { name: name.into(), target: "modal", payload: view });
    }

    /// The page, once the judges have seen it.
    fn read(self) -> String {
        if let Some(complaints) = judges::complaints(&self.cases) {
            assert!(complaints.is_empty(), "{}", complaints.join("\n"));
        }
        self.text
    }
}

fn me() -> Cx {
    let reader = Reader { participant: Some(ada()), ..Reader::default() };
    Cx { reader, ..Cx::default() }
}

fn staff() -> Cx {
    Cx { reader: Reader { audience: Audience::Staff, ..me().reader }, ..me() }
}

fn chosen(ids: &[&str]) -> Reply {
    Reply::Chosen { ids: ids.iter().map(|id| (*id).to_owned()).collect(), free_text: None }
}

fn many(count: usize, multiple: bool) -> Wait {
    let choices = (1..=count).map(|n| choice(&format!("c{n}"), &format!("Team {n}"))).collect();
    ask(
        "Team",
        "Which team?",
        Control::Choose(Choose { choices, multiple, required: true, ..Choose::default() }),
    )
}

#[tokio::test]
async fn choices_are_buttons_then_a_menu_then_a_form() {
    let mut page = Page::new().await;
    let choices = vec![
        Choice { icon: Some("🤖".into()), ..choice("go", "Continue with the assistant") },
        Choice {
            description: Some("Somebody from the team writes to you.".into()),
            ..choice("human", "Talk to a person")
        },
        choice("later", "Not now"),
    ];
    let notice = Prompt {
        title: Some("Before we begin".into()),
        body: "You are talking to **software**. See [our notice](https://example.org/privacy)."
            .into(),
        control: Control::Choose(Choose {
            choices,
            multiple: false,
            required: true,
            ..Choose::default()
        }),
        notes: vec!["Nothing has been sent to a model yet.".into()],
    };
    let notice = wait(notice);
    page.card("a notice", &notice, &me());
    page.card("answered", &answered(&notice, chosen(&["go"]), ada(), "Ada"), &me());
    page.card("for staff", &notice, &staff());
    page.card("six", &many(6, false), &me());
    let several = vec![choice("a", "Art"), choice("b", "Books & <b>"), choice("c", "Chess")];
    let several = ask(
        "Interests",
        "What do you like?",
        Control::Choose(Choose {
            choices: several,
            multiple: true,
            required: false,
            ..Choose::default()
        }),
    );
    page.card("several", &several, &me());
    page.card("none of them", &answered(&several, chosen(&[]), ada(), "Ada"), &me());
    page.card("several of twelve", &many(12, true), &me());
    page.form(&many(12, true), "open");
    let long = vec![choice("a", &"A rather long label ".repeat(5)), choice("b", "Short")];
    page.card(
        "long labels",
        &ask(
            "Long",
            "",
            Control::Choose(Choose {
                choices: long,
                multiple: false,
                required: true,
                ..Choose::default()
            }),
        ),
        &me(),
    );
    insta::assert_snapshot!(page.read(), @"
    ── a notice
    # Before we begin
    You are talking to *software*. See our notice (https://example.org/privacy).
    *Talk to a person*: Somebody from the team writes to you.
    [🤖 Continue with the assistant] [Talk to a person] [Not now]
    · Nothing has been sent to a model yet.
    (read out: Before we begin — You are talking to software. See our notice. — Choices: Continue with the assistant, Talk to a person, Not now.)

    ── answered
    # Before we begin
    You are talking to *software*. See our notice (https://example.org/privacy).
    ✓ You answered: *Continue with the assistant* · 2 Nov 2026 14:05 UTC
    (read out: ✓ You answered: *Continue with the assistant* · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Before we begin — You are talking to software. See our notice.))

    ── for staff
    # Before we begin
    You are talking to *software*. See our notice (https://example.org/privacy).
    · Waiting for the participant.
    · Nothing has been sent to a model yet.
    (read out: Before we begin — You are talking to software. See our notice. — Choices: Continue with the assistant, Talk to a person, Not now.)

    ── six
    # Team
    Which team?
    {Team 1 | Team 2 | Team 3 | Team 4 | Team 5 | Team 6}
    (read out: Team — Which team? — Choices: Team 1, Team 2, Team 3, Team 4, Team 5, Team 6.)

    ── several
    # Interests
    What do you like?
    {☐ Art | Books & <b> | Chess}
    [+ Done] [Skip]
    (read out: Interests — What do you like? — Choices: Art, Books &amp; &lt;b&gt;, Chess.)

    ── none of them
    # Interests
    What do you like?
    ✓ You answered: *none of these* · 2 Nov 2026 14:05 UTC
    (read out: ✓ You answered: *none of these* · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Interests — What do you like?))

    ── several of twelve
    # Team
    Which team?
    [+ Choose…]
    (read out: Team — Which team? — Choices: Team 1, Team 2, Team 3, Team 4, Team 5, Team 6, Team 7, Team 8, Team 9, Team 10, Team 11, Team 12.)

    ── open
    ╔ Choose
    ║ # Team
    ║ Which team?
    ║ Your choices: {☐ Team 1 | Team 2 | Team 3 | Team 4 | Team 5 | Team 6 | Team 7 | Team 8 | Team 9 | Team 10 | Team 11 | Team 12}
    ╚ [Cancel] [Done]

    ── long labels
    # Long
    1. *A rather long label A rather long label A rather long label A rather long label A rather long label*
    2. *Short*
    [1. A rather long label A rather long label A rather long label A rather lo…] [Short]
    (read out: Long — Choices: 1. A rather long label A rather long label A rather long label A rather long label A rather long label, Short.)
    ");
}

#[tokio::test]
async fn questions_and_forms_open_from_a_button() {
    let mut page = Page::new().await;
    let question = ask(
        "",
        "What did *you* build?",
        Control::Ask(Ask {
            placeholder: Some("A sentence or two".into()),
            max: 2_000,
            required: false,
        }),
    );
    page.card("a question", &question, &me());
    page.form(&question, "open");
    page.card(
        "answered by typing",
        &answered(&question, Reply::Text { text: "An engine <b>".into() }, ada(), "Ada"),
        &me(),
    );
    page.card("skipped", &answered(&question, Reply::Skipped, ada(), "Ada"), &me());
    let sizes = vec![choice("s", "Small"), choice("l", "Large")];
    let countries = (1..=30).map(|n| choice(&format!("c{n}"), &format!("Country {n}"))).collect();
    let fields = vec![
        Field {
            required: true,
            hint: Some("As it stands in your passport".into()),
            ..field(
                "name",
                "Name",
                Input::Text { multiline: false, min: Some(2), max: Some(80) },
                json!("Ada"),
            )
        },
        field("mail", "E-mail", Input::Email, Value::Null),
        field("site", "Website", Input::Url, json!("https://ada.example")),
        field("since", "Since", Input::Date, json!("2019-03")),
        field("born", "Date of birth", Input::Day, json!("2001-05-31")),
        Field {
            required: true,
            ..field(
                "years",
                "Years",
                Input::Number { integer: true, min: Some(0.0), max: Some(60.0) },
                json!(7),
            )
        },
        Field { required: true, ..field("remote", "Remote?", Input::Bool, json!(true)) },
        field(
            "size",
            "Size",
            Input::Select { choices: sizes.clone(), multiple: false },
            Value::Null,
        ),
        field("sizes", "Sizes", Input::Select { choices: sizes, multiple: true }, json!(["l"])),
        field(
            "country",
            "Country",
            Input::Select { choices: countries, multiple: false },
            json!("c3"),
        ),
        field(
            "about",
            "About",
            Input::Text { multiline: true, min: None, max: Some(500) },
            Value::Null,
        ),
        field("langs", "Languages", Input::Lines, json!(["English", "French"])),
        field(
            "essay",
            "Essay",
            Input::Text { multiline: true, min: None, max: None },
            json!("word ".repeat(700)),
        ),
    ];
    let form = ask(
        "Preferences",
        "A few things.",
        Control::Form(Form {
            fields,
            submit: "Save my preferences, please".into(),
            skippable: true,
        }),
    );
    page.card("a form", &form, &me());
    page.form(&form, "open");
    let values = json!({ "name": "Ada", "remote": true, "size": "l" });
    let reply = Reply::Filled { values: values.as_object().unwrap().clone() };
    page.card("filled in", &answered(&form, reply, ada(), "Ada"), &me());
    let upload = Upload {
        upload_type: "resume".into(),
        accept: vec!["pdf".into(), "docx".into()],
        max_bytes: 25 << 20,
        max_files: 1,
        required: false,
    };
    let upload = ask("Your résumé", "Send it as a file.", Control::Upload(upload));
    page.card("an upload", &upload, &me());
    page.form(&upload, "open");
    let file = ArtifactId::mint(&CountingIds::default());
    let files = BTreeMap::from([(file, "résumé.pdf".into())]);
    let cx = Cx { reader: Reader { files, ..me().reader }, ..me() };
    page.card(
        "sent",
        &answered(&upload, Reply::Uploaded { artifacts: vec![file] }, ada(), "Ada"),
        &cx,
    );
    insta::assert_snapshot!(page.read(), @r#"
    ── a question
    What did _you_ build?
    · Type your answer here, or write it in a form.
    [Write an answer] [Skip]
    (read out: What did you build?)

    ── open
    ╔ Your answer
    ║ What did _you_ build?
    ║ Your answer (optional): ____ (A sentence or two)
    ╚ [Cancel] [Send]

    ── answered by typing
    What did _you_ build?
    ✓ You answered: *An engine <b>* · 2 Nov 2026 14:05 UTC
    (read out: ✓ You answered: *An engine &lt;b&gt;* · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (What did you build?))

    ── skipped
    What did _you_ build?
    ✓ You skipped this · 2 Nov 2026 14:05 UTC
    (read out: ✓ You skipped this · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (What did you build?))

    ── a form
    # Preferences
    A few things.
    · To fill in: Name, E-mail, Website, Since, Date of birth, Years, Remote?, Size, Sizes, Country, About, Languages, Essay
    [+ Fill in] [Skip]
    (read out: Preferences — A few things.)

    ── open
    ╔ Fill in
    ║ # Preferences
    ║ A few things.
    ║ Name: "Ada"
    ║   · As it stands in your passport
    ║ E-mail (optional): ____
    ║ Website (optional): "https://ada.example"
    ║ Since (optional): "2019-03"
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ Date of birth (optional): "2001-05-31"
    ║ Years: "7"
    ║ Remote?: {(Yes) | No}
    ║ Size (optional): {Small | Large | (No answer)}
    ║ Sizes (optional): {☐ Small | (Large)}
    ║ Country (optional): {No answer | Country 1 | Country 2 | (Country 3) | Country 4 | Country 5 | Country 6 | Country 7 | Country 8 | Country 9 | Country 10 | Country 11 | Country 12 | Country 13 | Country 14 | Country 15 | Country 16 | Country 17 | Country 18 | Country 19 | Country 20 | Country 21 | Country 22 | Country 23 | Country 24 | Country 25 | Country 26 | Country 27 | Country 28 | Country 29 | Country 30}
    ║ About (optional): ____
    ║ Languages (optional): "English
    ║ French"
    ║   · One entry per line.
    ║ Essay (optional): ____
    ║   · Too long to edit here. Leave it empty to keep it, or type a new version.
    ╚ [Cancel] [Save my preferences, pl…]

    ── filled in
    # Preferences
    A few things.
      *Name* Ada
      *Remote?* yes
      *Size* Large
    ✓ You submitted this form · 2 Nov 2026 14:05 UTC
    (read out: ✓ You submitted this form · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Preferences — A few things.))

    ── an upload
    # Your résumé
    Send it as a file.
    [+ Upload résumé] [Skip]
    · PDF, DOCX. One file, up to 25 MB. You can also drop the file into this conversation. No file at hand? Type it here instead.
    (read out: Your résumé — Send it as a file.)

    ── open
    ╔ Upload
    ║ # Your résumé
    ║ Send it as a file.
    ║ File: <a file>
    ║   · PDF, DOCX. One file, up to 25 MB. This form takes files up to 10 MB. Drop larger ones into the conversation.
    ╚ [Cancel] [Send]

    ── sent
    # Your résumé
    Send it as a file.
    ✓ You sent: *résumé.pdf* · 2 Nov 2026 14:05 UTC
    (read out: ✓ You sent: *résumé.pdf* · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Your résumé — Send it as a file.))
    "#);
}

#[tokio::test]
async fn reviews_are_read_edited_and_changed() {
    let mut page = Page::new().await;
    let review = ask("Profile", "Is this you?", Control::Review(profile()));
    page.card("a profile", &review, &me());
    page.form(&review, "edit");
    page.form(&review, "reject");
    let edited = Reply::Reviewed {
        verdict: Verdict::Modified,
        data: Some(json!({ "basics": { "name": "Ada Lovelace" } })),
        notes: Some("I married.".into()),
    };
    page.card(
        "changed",
        &answered(&review, edited, ada(), "Ada"),
        &Cx { reader: Reader { may_change: true, ..me().reader }, ..me() },
    );
    let roles = ask("Your time line", "", Control::Review(timeline(2)));
    page.card("roles", &roles, &me());
    page.form(&roles, "remove.0.0");
    page.form(&roles, "edit.r0.1");
    page.view(
        "add.0, then up.0.2",
        rearranged(&roles, "save+add.0", "up.0.2", &Cx::default()).unwrap(),
    );
    let crowd = ask("Your time line", "", Control::Review(timeline(40)));
    page.card("many roles", &crowd, &me());
    page.form(&crowd, "remove.0.7");
    insta::assert_snapshot!(page.read(), @r#"
    ── a profile
    # Profile
    Is this you?
      *Name* Ada Byron
      *E-mail* ada@example.org
      *Phone* — please check +44 20 7946 0018
    · Not filled in: Website
    [+ Looks right] [Edit] [Start over]
    (read out: Profile — Is this you?)

    ── edit
    ╔ Edit
    ║ # Profile
    ║ Name: "Ada Byron"
    ║ E-mail (optional): "ada@example.org"
    ║ Phone (please check) (optional): "+44 20 7946 0018"
    ║ Website (optional): ____
    ║ Note for the interviewer (optional): ____
    ╚ [Cancel] [Save]

    ── reject
    ╔ Start over
    ║ This draft is discarded, and the interviewer starts again.
    ║ What should be different? (optional): ____
    ╚ [Cancel] [Start over]

    ── changed
    # Profile
    Is this you?
      *Name* Ada Lovelace
    ✓ *Approved* by you · 2 Nov 2026 14:05 UTC
    · Note: I married.
    [Change]
    (read out: ✓ *Approved* by you · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Profile — Is this you?))

    ── roles
    # Your time line
    *Role 1*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1840-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove}
    *Role 2*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1841-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    [+ Looks right] [Edit] [Add a role] [Start over]
    (read out: Your time line)

    ── remove.0.0
    ╔ Remove
    ║ Remove *Role 1*?
    ║   *Employer* Analytical Engines Ltd
    ║   *Position* Analyst
    ║   *From* 1840-03
    ║   *Highlights* Wrote Note G, Found & fixed a slip
    ╚ [Cancel] [Remove]

    ── edit.r0.1
    ╔ Edit
    ║ # Role 2
    ║ Employer: "Babbage & Sons"
    ║ Position (optional): "Analyst"
    ║ From (please check) (optional): "1841-03"
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ To (optional): ____ (2019-03)
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ Highlights (optional): "Wrote Note G
    ║ Found & fixed a slip"
    ║   · One entry per line.
    ║ · Everything else stays as it is.
    ║ Note for the interviewer (optional): ____
    ╚ [Cancel] [Save]

    ── add.0, then up.0.2
    ╔ Edit
    ║ Saving will add a role.
    ║ Saving will move role 3 up.
    ║ # Role 1
    ║ Employer: "Analytical Engines Ltd"
    ║ Position (optional): "Analyst"
    ║ From (please check) (optional): "1840-03"
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ To (optional): ____ (2019-03)
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ Highlights (optional): "Wrote Note G
    ║ Found & fixed a slip"
    ║   · One entry per line.
    ║ [Remove]
    ║ # Role 2
    ║ Employer: ____
    ║ Position (optional): ____
    ║ From (optional): ____ (2019-03)
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ To (optional): ____ (2019-03)
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ Highlights (optional): ____
    ║   · One entry per line.
    ║ [Remove] [Move up]
    ║ # Role 3
    ║ Employer: "Babbage & Sons"
    ║ Position (optional): "Analyst"
    ║ From (please check) (optional): "1841-03"
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ To (optional): ____ (2019-03)
    ║   · For example 2019, 2019-03 or 2019-03-15.
    ║ Highlights (optional): "Wrote Note G
    ║ Found & fixed a slip"
    ║   · One entry per line.
    ║ [Remove] [Move up]
    ║ [Add a role]
    ║ Note for the interviewer (optional): ____
    ╚ [Cancel] [Save]

    ── many roles
    # Your time line
    *Role 1*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1840-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove}
    *Role 2*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1841-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 3*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1842-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 4*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1843-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 5*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1844-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 6*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1845-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 7*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1846-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 8*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1847-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 9*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1848-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 10*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1849-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 11*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1850-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 12*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1851-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 13*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1852-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 14*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1853-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 15*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1854-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 16*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1855-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 17*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1856-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 18*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1857-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 19*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1858-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 20*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1859-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 21*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1860-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 22*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1861-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 23*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1862-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 24*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1863-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 25*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1864-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 26*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1865-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 27*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1866-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 28*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1867-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 29*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1868-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 30*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1869-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 31*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1870-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 32*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1871-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 33*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1872-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 34*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1873-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 35*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1874-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 36*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1875-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 37*
      *Employer* Analytical Engines Ltd
      *Position* Analyst
      *From* — please check 1876-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 38*
      *Employer* Babbage & Sons
      *Position* Analyst
      *From* — please check 1877-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 39*
      *Employer* Lovelace <Weaving>
      *Position* Analyst
      *From* — please check 1878-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    *Role 40*
      *Employer* Self-employed
      *Position* Analyst
      *From* — please check 1879-03
      *Highlights* Wrote Note G, Found & fixed a slip {… Edit | Remove | Move up}
    [+ Looks right] {1. Role 1 | 2. Role 2 | 3. Role 3 | 4. Role 4 | 5. Role 5 | 6. Role 6 | 7. Role 7 | 8. Role 8 | 9. Role 9 | 10. Role 10 | 11. Role 11 | 12. Role 12 | 13. Role 13 | 14. Role 14 | 15. Role 15 | 16. Role 16 | 17. Role 17 | 18. Role 18 | 19. Role 19 | 20. Role 20 | 21. Role 21 | 22. Role 22 | 23. Role 23 | 24. Role 24 | 25. Role 25 | 26. Role 26 | 27. Role 27 | 28. Role 28 | 29. Role 29 | 30. Role 30 | 31. Role 31 | 32. Role 32 | 33. Role 33 | 34. Role 34 | 35. Role 35 | 36. Role 36 | 37. Role 37 | 38. Role 38 | 39. Role 39 | 40. Role 40} [Add a role] [Start over]
    (read out: Your time line)

    ── remove.0.7
    ╔ Remove
    ║ Remove *Role 8*?
    ║   *Employer* Self-employed
    ║   *Position* Analyst
    ║   *From* 1847-03
    ║   *Highlights* Wrote Note G, Found & fixed a slip
    ╚ [Cancel] [Remove]
    "#);
}

fn request() -> Wait {
    let request = "Move Ada Byron to “One piece of work in depth”?";
    let facts = [
        ("Person", "Ada Byron"),
        ("Flow", "Candidate onboarding"),
        ("Phase", "The basics"),
        ("Missing", "Education history, References"),
        (
            "The interviewer's reason",
            "She has no degree & says so.\nShe would <rather> talk about her engine.",
        ),
        ("Requested", "2026-11-02 13:00 UTC"),
        ("Expires", "2026-11-09 13:00 UTC"),
    ];
    let facts = facts.map(|(label, value)| (label.to_owned(), value.to_owned())).to_vec();
    let decide = Decide {
        request: request.into(),
        facts,
        approve: "Approve".into(),
        deny: "Deny".into(),
        deny_and_tell: Some("Deny and tell the interviewer".into()),
        denial_reader: DenialReader::default(),
    };
    ask(request, "Not everything in this phase is complete.", Control::Decide(decide))
}

#[tokio::test]
async fn decisions_fit_a_phone_and_end_in_words() {
    let mut page = Page::new().await;
    let open = request();
    page.card("a request", &open, &staff());
    page.form(&open, "deny_and_tell");
    let vote =
        Vote { by: grace(), by_name: "Grace".into(), decision: Decision::Approved, feedback: None };
    page.card("two must agree", &Wait { quorum: 2, votes: vec![vote], ..open.clone() }, &staff());
    let told = Reply::Decided {
        decision: Decision::DeniedWithFeedback,
        feedback: Some("Finish education.".into()),
    };
    page.card("denied", &answered(&open, told, grace(), "Grace"), &staff());
    page.card(
        "expired",
        &Wait { status: WaitStatus::Expired { at: now() }, ..open.clone() },
        &staff(),
    );
    let reason = "the missing objective was completed".to_owned();
    page.card(
        "withdrawn",
        &Wait { status: WaitStatus::Cancelled { reason, at: now() }, ..open.clone() },
        &staff(),
    );
    let erase = Control::Confirm(Confirm {
        yes: "Delete everything".into(),
        no: "Keep".into(),
        danger: true,
    });
    let erase = ask("Delete everything?", "Your answers, files and drafts go.", erase);
    page.card("a dangerous yes", &erase, &me());
    page.card("kept", &answered(&erase, Reply::Confirmed { yes: false }, ada(), "Ada"), &me());
    insta::assert_snapshot!(page.read(), @"
    ── a request
    # Move Ada Byron to “One piece of work in depth”?
    Not everything in this phase is complete.
      *Person* @Ada Byron
      *Flow* Candidate onboarding
      *Phase* The basics
      *Missing* Education history, References
      *Requested* 2 Nov 2026 13:00 UTC
      *Expires* 9 Nov 2026 13:00 UTC
    *The interviewer's reason*
    > She has no degree & says so.
    > She would <rather> talk about her engine.
    [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
    (read out: Move Ada Byron to “One piece of work in depth”? — Not everything in this phase is complete.)

    ── deny_and_tell
    ╔ Deny and tell
    ║ *Move Ada Byron to “One piece of work in depth”?*
    ║ What should the interviewer do next?: ____
    ║   · The interviewer will use this; Ada Byron won't see it.
    ╚ [Cancel] [Send to interviewer]

    ── two must agree
    # Move Ada Byron to “One piece of work in depth”?
    Not everything in this phase is complete.
      *Person* @Ada Byron
      *Flow* Candidate onboarding
      *Phase* The basics
      *Missing* Education history, References
      *Requested* 2 Nov 2026 13:00 UTC
      *Expires* 9 Nov 2026 13:00 UTC
    *The interviewer's reason*
    > She has no degree & says so.
    > She would <rather> talk about her engine.
    [+ Approve ?] [! Deny] [Deny and tell the interviewer] [Transcript]
    · 2 people must agree. @Grace Hopper approved.
    (read out: Move Ada Byron to “One piece of work in depth”? — Not everything in this phase is complete.)

    ── denied
    # Move Ada Byron to “One piece of work in depth”?
    Not everything in this phase is complete.
      *Person* @Ada Byron
      *Flow* Candidate onboarding
      *Phase* The basics
      *Missing* Education history, References
      *Requested* 2 Nov 2026 13:00 UTC
      *Expires* 9 Nov 2026 13:00 UTC
    *The interviewer's reason*
    > She has no degree & says so.
    > She would <rather> talk about her engine.
    ✗ *Denied with feedback* by @Grace Hopper · 2 Nov 2026 14:05 UTC
    · To the interviewer: Finish education.
    (read out: ✗ *Denied with feedback* by <@U0GRACE> · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Move Ada Byron to “One piece of work in depth”? — Not everything in this phase is complete.))

    ── expired
    # Move Ada Byron to “One piece of work in depth”?
    Not everything in this phase is complete.
      *Person* @Ada Byron
      *Flow* Candidate onboarding
      *Phase* The basics
      *Missing* Education history, References
      *Requested* 2 Nov 2026 13:00 UTC
      *Expires* 9 Nov 2026 13:00 UTC
    *The interviewer's reason*
    > She has no degree & says so.
    > She would <rather> talk about her engine.
    *Expired*: nobody answered in time. 2 Nov 2026 14:05 UTC
    [Reopen]
    (read out: *Expired*: nobody answered in time. <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Move Ada Byron to “One piece of work in depth”? — Not everything in this phase is complete.))

    ── withdrawn
    # Move Ada Byron to “One piece of work in depth”?
    Not everything in this phase is complete.
    *Request withdrawn*: the missing objective was completed. 2 Nov 2026 14:05 UTC
    (read out: *Request withdrawn*: the missing objective was completed. <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Move Ada Byron to “One piece of work in depth”? — Not everything in this phase is complete.))

    ── a dangerous yes
    # Delete everything?
    Your answers, files and drafts go.
    :warning: *This can't be undone.*
    [! Delete everything ?] [Keep]
    (read out: Delete everything? — Your answers, files and drafts go.)

    ── kept
    # Delete everything?
    Your answers, files and drafts go.
    ✓ You answered: *Keep* · 2 Nov 2026 14:05 UTC
    (read out: ✓ You answered: *Keep* · <!date^1793628300^{date_short_pretty}, {time}|2 Nov 2026 14:05 UTC> (Delete everything? — Your answers, files and drafts go.))
    ");
}

#[test]
fn a_decision_as_json() {
    insta::assert_json_snapshot!(card(&request(), &staff()).blocks, @r#"
    [
      {
        "type": "header",
        "text": {
          "type": "plain_text",
          "text": "Move Ada Byron to “One piece of work in depth”?"
        }
      },
      {
        "type": "section",
        "text": {
          "type": "mrkdwn",
          "text": "Not everything in this phase is complete.",
          "verbatim": true
        }
      },
      {
        "type": "section",
        "fields": [
          {
            "type": "mrkdwn",
            "text": "*Person*\n<@U0ADA>",
            "verbatim": true
          },
          {
            "type": "mrkdwn",
            "text": "*Flow*\nCandidate onboarding",
            "verbatim": true
          },
          {
            "type": "mrkdwn",
            "text": "*Phase*\nThe basics",
            "verbatim": true
          },
          {
            "type": "mrkdwn",
            "text": "*Missing*\nEducation history, References",
            "verbatim": true
          },
          {
            "type": "mrkdwn",
            "text": "*Requested*\n<!date^1793624400^{date_short_pretty}, {time}|2 Nov 2026 13:00 UTC>",
            "verbatim": true
          },
          {
            "type": "mrkdwn",
            "text": "*Expires*\n<!date^1794229200^{date_short_pretty}, {time}|9 Nov 2026 13:00 UTC>",
            "verbatim": true
          }
        ]
      },
      {
        "type": "section",
        "text": {
          "type": "mrkdwn",
          "text": "*The interviewer's reason*\n> She has no degree &amp; says so.\n> She would &lt;rather&gt; talk about her engine.",
          "verbatim": true
        }
      },
      {
        "type": "actions",
        "elements": [
          {
            "type": "button",
            "action_id": "v1.AAAAAAAAAAAAAAAAAAAAAQ.1.approve",
            "text": {
              "type": "plain_text",
              "text": "Approve"
            },
            "style": "primary",
            "confirm": {
              "title": {
                "type": "plain_text",
                "text": "Approve this?"
              },
              "text": {
                "type": "plain_text",
                "text": "Move Ada Byron to “One piece of work in depth”?"
              },
              "confirm": {
                "type": "plain_text",
                "text": "Yes, approve"
              },
              "deny": {
                "type": "plain_text",
                "text": "Cancel"
              },
              "style": "primary"
            }
          },
          {
            "type": "button",
            "action_id": "v1.AAAAAAAAAAAAAAAAAAAAAQ.1.deny",
            "text": {
              "type": "plain_text",
              "text": "Deny"
            },
            "style": "danger"
          },
          {
            "type": "button",
            "action_id": "v1.AAAAAAAAAAAAAAAAAAAAAQ.1.deny_and_tell",
            "text": {
              "type": "plain_text",
              "text": "Deny and tell the interviewer"
            }
          },
          {
            "type": "button",
            "action_id": "transcript.AAAAAAAAAAAAAAAAAAAAAg.last",
            "text": {
              "type": "plain_text",
              "text": "Transcript"
            }
          }
        ]
      }
    ]
    "#);
}

#[test]
fn a_post_is_words_in_sections() {
    let text = "# Done\n\nHere is **what** we have:\n\n- one\n- two <!here>\n\n[Read more](https://example.org)";
    insta::assert_json_snapshot!(post(text).into_iter().map(|m| (m.text, m.blocks)).collect::<Vec<_>>(), @r#"
    [
      [
        "*Done*\n\nHere is *what* we have:\n\n• one\n• two &lt;!here&gt;\n\nRead more (<https://example.org>)",
        [
          {
            "type": "section",
            "text": {
              "type": "mrkdwn",
              "text": "*Done*\n\nHere is *what* we have:\n\n• one\n• two &lt;!here&gt;\n\nRead more (<https://example.org>)",
              "verbatim": true
            }
          }
        ]
      ]
    ]
    "#);
    let long = post(&"A paragraph that goes on for a while, as they do.\n\n".repeat(500));
    assert_eq!(long.iter().map(|message| message.blocks.len()).collect::<Vec<_>>(), [3, 3, 3]);
}

#[test]
fn a_whole_day_is_picked_from_a_calendar() {
    let drawn = |value: Value| {
        let fields = vec![field("born", "Date of birth", Input::Day, value)];
        let form = Form { fields, submit: "Send".into(), skippable: false };
        let view = modal(&ask("You", "When?", Control::Form(form)), "open", &me()).unwrap();
        assert_eq!(wrong_with_view(&view), Vec::<String>::new());
        view.to_string()
    };
    assert!(drawn(Value::Null).contains(r#""type":"datepicker""#));
    let held = drawn(json!("2001-05-31"));
    assert!(held.contains(r#""initial_date":"2001-05-31""#), "{held}");
    // A calendar takes no other text: it is mended where it stands.
    let typed = drawn(json!("spring 2001"));
    assert!(typed.contains("plain_text_input") && typed.contains("spring 2001"), "{typed}");
}
