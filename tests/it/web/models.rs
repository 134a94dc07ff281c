//! What a health check is told of models that cannot be used.

use anteroom::ports::llm::{Models, Silent};
use chrono::TimeDelta;
use reqwest::StatusCode;
use serde_json::{Value, json};

use super::site::{FLOW, Site};
use crate::llm::{
    ask, endpoints, means,
    provider::{Provider, Reply},
};

fn refused(status: u16, code: &str) -> Reply {
    let error: Value = json!({ "error": { "message": "No.", "code": code, "type": code } });
    Reply::json(status, &error)
}

#[tokio::test]
async fn readiness_names_each_trouble_of_a_model_until_it_is_over() {
    let down = || Reply::json(500, &json!({ "error": { "message": "Down." } }));
    let troubles = [
        (
            vec![refused(401, "invalid_api_key")],
            "its provider doesn't take requests. hint: check the key, `model` and `base_url`",
        ),
        (
            vec![refused(429, "insufficient_quota")],
            "the account with its provider is used up. hint: top it up",
        ),
        ((0..5).map(|_| down()).collect(), "its provider has failed several times in a row"),
    ];
    for (replies, wanted) in troubles {
        let times = replies.len();
        let replies: Vec<Reply> = replies.into_iter().chain([Reply::says("Yes")]).collect();
        let provider = Provider::start(&replies).await;
        let config = format!(
            "[llm.interview]\nbase_url = \"{}\"\nmodel = \"m\"\nattempts = 1\n",
            provider.url
        );
        let (means, jumps) = means();
        let models = Models::open(&endpoints(&config), &means).unwrap();
        let model = models.interview.clone().unwrap();
        let site = Site::modelled(FLOW, models).await;
        let ready = async || {
            let answer = site.visitor().fetch("/readyz").await;
            (answer.status(), answer.text().await.unwrap())
        };
        assert_eq!(ready().await, (StatusCode::OK, "ready".to_owned()));
        for _ in 0..times {
            model.chat(&ask("Hello"), &mut Silent).await.unwrap_err();
        }
        let (status, words) = ready().await;
        // People are served by scripts.
        assert_eq!(status, StatusCode::OK);
        let line = format!("degraded\nthe model of `interview` can't be used: {wanted}");
        assert!(words.starts_with(&line), "{words}");

        jumps.advance(TimeDelta::minutes(1));
        model.chat(&ask("Hello"), &mut Silent).await.unwrap();
        assert_eq!(ready().await.1, "ready");
    }
}
