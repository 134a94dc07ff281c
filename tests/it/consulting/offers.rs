//! `get_booking_link` and `get_dashboard_stats`.

use std::sync::Arc;

use anteroom::{
    config::consulting::{Booking, Consulting},
    model::{
        effect::Handout,
        session::{PersonId, Platform},
        transcript::Origin,
    },
    ports::llm::Models,
    tool::{
        Policy, Services,
        catalog::{consulting, interview},
    },
};
use chrono::TimeDelta;
use serde_json::{Value, json};

use super::bench::{Bench, data, error};

fn with(booking: Booking) -> Bench {
    let consulting = Arc::new(Consulting { booking, ..Consulting::default() });
    Bench::with(Services { consulting, ..Services::default() }, Models::default())
}

#[tokio::test]
async fn a_link_is_handed_over_and_nothing_is_booked() {
    let mut bench = with(Booking {
        consultation: Some("https://cal.example.org/first".to_owned()),
        strategy_call: Some("https://cal.example.org/strategy".to_owned()),
        ..Booking::default()
    });
    let found = bench.call("get_booking_link", json!({})).await;
    assert_eq!(data(&found)["url"], "https://cal.example.org/first");
    assert!(data(&found)["note"].as_str().unwrap().contains("Nothing is booked"));
    let found = bench.call("get_booking_link", json!({ "meetingType": "strategy-call" })).await;
    assert_eq!(data(&found)["url"], "https://cal.example.org/strategy");
    let Handout::Link { url, label } = &bench.handed[1].what else { panic!("no link") };
    assert_eq!(
        (url.as_str(), label.as_str()),
        ("https://cal.example.org/strategy", "Choose a time")
    );
    assert_eq!(bench.handed[1].text, "You can choose a time for a strategy talk here.");
    // What is not there is said, with what is.
    let found = bench.call("get_booking_link", json!({ "meetingType": "workshop" })).await;
    assert_eq!(
        error(&found),
        "there is no calendar for `workshop`; there is one for `consultation`, `strategy-call`"
    );
    let found = bench.call("get_booking_link", json!({ "meetingType": "dinner" })).await;
    assert!(error(&found).contains("/meetingType"), "{found}");
    assert_eq!(bench.handed.len(), 2);
}

#[tokio::test]
async fn without_calendars_the_link_is_not_configured() {
    let found = with(Booking::default()).call("get_booking_link", json!({})).await;
    assert_eq!(error(&found), "A calendar to book in is not configured. Please skip for now.");
}

#[tokio::test]
async fn leads_are_counted_for_staff_by_a_stated_rule() {
    let mut bench = Bench::of_staff();
    let head = bench.head.clone();
    let lead = |score: Option<u8>, days: i64, capabilities: &[&str]| {
        let mut head = head.clone();
        head.score = score;
        head.created_at = bench.now - TimeDelta::days(days);
        head.capabilities = capabilities.iter().map(|name| (*name).to_owned()).collect();
        head
    };
    let mut trial = lead(Some(100), 0, &["roi"]);
    trial.test = true;
    *bench.past.heads.lock().unwrap() = vec![
        trial,
        lead(None, 0, &["roi"]),
        lead(Some(90), 0, &["roi", "search"]),
        lead(Some(70), 2, &["roi"]),
        lead(Some(69), 6, &[]),
        lead(Some(20), 20, &["doc"]),
    ];
    let found = bench.call("get_dashboard_stats", json!({})).await;
    insta::assert_json_snapshot!(data(&found), @r#"
    {
      "totalLeads": 3,
      "qualifiedLeads": 2,
      "conversionRate": 0.67,
      "averageLeadScore": 76.3,
      "engagementRate": 0.67,
      "topCapabilities": [
        {
          "capability": "roi",
          "leads": 2
        },
        {
          "capability": "search",
          "leads": 1
        }
      ],
      "period": "7d",
      "notes": [
        "Leads are conversations begun here since 2026-11-14T09:00:00Z.",
        "Qualified from 70 points on; conversion is qualified ÷ all."
      ]
    }
    "#);
    let of = async |bench: &mut Bench, period: &str| {
        let found = bench.call("get_dashboard_stats", json!({ "period": period })).await;
        let found = data(&found).clone();
        json!([found["totalLeads"], found["qualifiedLeads"], found["averageLeadScore"]])
    };
    assert_eq!(of(&mut bench, "1d").await, json!([1, 1, 90.0]));
    assert_eq!(of(&mut bench, "30d").await, json!([4, 2, 62.3]));
    let refused = bench.call("get_dashboard_stats", json!({ "period": "2d" })).await;
    assert!(error(&refused).contains("/period"), "{refused}");
    // Nobody at all.
    bench.past.heads.lock().unwrap().clear();
    let found = bench.call("get_dashboard_stats", json!({})).await;
    assert_eq!(data(&found)["conversionRate"], Value::Null);
}

#[tokio::test]
async fn the_list_of_what_there_is_names_no_tool_for_staff() {
    let tools = || [consulting::tools(), interview::tools()].concat();
    let none = || (Services::default(), Models::default());
    for (staff, is_named) in [(false, false), (true, true)] {
        let mut bench = Bench::between(staff, Policy::CHAT, tools(), none());
        let refused = bench.call("request_user_input", json!({ "prompt": "Why?" })).await;
        let told = refused["error"].as_str().unwrap();
        assert!(told.contains("in this phase there are") && told.contains("`calculate_roi`"));
        assert_eq!(told.contains("get_dashboard_stats"), is_named, "{told}");
    }
}

/// Whoever is staff here need not be so there.
#[tokio::test]
async fn leads_of_another_workspace_are_not_counted() {
    let mut bench = Bench::of_staff();
    let mut head = bench.head.clone();
    (head.score, head.created_at) = (Some(90), bench.now);
    let lead = |platform: Platform, workspace: &str| {
        let mut head = head.clone();
        (head.place.platform, head.place.workspace) = (platform, workspace.to_owned());
        head
    };
    *bench.past.heads.lock().unwrap() = vec![
        lead(Platform::Web, "local"),
        lead(Platform::Web, "other"),
        lead(Platform::Slack, "local"),
        lead(Platform::Slack, "T01"),
        lead(Platform::Discord, "11"),
    ];
    let found = bench.call("get_dashboard_stats", json!({})).await;
    assert_eq!(data(&found)["totalLeads"], 1);
}

#[tokio::test]
async fn nobody_but_staff_is_told_figures_of_leads() {
    let mut bench = Bench::new();
    let by = || Origin::Person { by: PersonId::web("ada"), may_decide: false };
    for (origin, args) in [
        (Origin::Model { round: 1 }, json!({})),
        // Not even what is wrong with the arguments is told.
        (Origin::Model { round: 1 }, json!({ "period": "2d" })),
        (by(), json!({})),
        (Origin::Step { step: "figures".to_owned() }, json!({})),
    ] {
        let unknown = bench.called_by(origin.clone(), "get_no_stats", args.clone()).await;
        let refused = bench.called_by(origin, "get_dashboard_stats", args).await;
        assert_eq!(
            refused,
            json!({ "error": "unknown tool `get_dashboard_stats`", "code": "invalid_parameters" })
        );
        assert_eq!(refused["code"], unknown["code"]);
    }
    // They are not even shown that there is such a tool.
    let flow = super::bench::flow();
    let shown =
        bench.pipeline.toolbox.phase_schemas(&flow, "only", anteroom::tool::Partner::Participant);
    let names: Vec<&str> =
        shown.iter().filter_map(|tool| tool["function"]["name"].as_str()).collect();
    assert!(
        names.contains(&"calculate_roi") && !names.contains(&"get_dashboard_stats"),
        "{names:?}"
    );
}
