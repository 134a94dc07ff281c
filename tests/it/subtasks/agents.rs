//! `deploy_agent` and the agents in the box.

use insta::{assert_json_snapshot, assert_snapshot};
use serde_json::{Value, json};

use super::{TALK, tail, talk};
use crate::{
    llm::scripted::{Scripted, Turn},
    world::World,
};

fn deploy(agent: &str, input: &Value) -> Turn {
    Turn::calls("deploy_agent", &json!({ "agentType": agent, "input": input }))
}

/// What each agent gives back.
fn outputs() -> [(&'static str, Value); 4] {
    [
        (
            "artifact_ingestion",
            json!({ "summary": "S", "documents": [{ "artifact_id": "upload_1", "kind": "letter",
                "facts": [{ "fact": "F", "quote": "Q" }] }], "gaps": [] }),
        ),
        (
            "code_analysis",
            json!({ "summary": "S", "languages": ["Rust"],
                "observations": [{ "observation": "O", "evidence": "fn main() {}" }] }),
        ),
        (
            "knowledge_card_generation",
            json!({ "title": "A mill", "achievements": [{ "claim": "C",
                "evidence": { "quote": "I built it" } }] }),
        ),
        (
            "writing_sample_analysis",
            json!({ "summary": "S", "tone": "plain",
                "observations": [{ "aspect": "words", "observation": "O", "quote": "Q" }] }),
        ),
    ]
}

#[tokio::test]
async fn every_agent_answers_in_the_form_of_the_specification() {
    for (agent, output) in outputs() {
        let model = Scripted::new();
        let mut world = talk(&model).await;
        model.next(deploy(agent, &json!({ "notes": "N" })));
        model.next(Turn::says(&output.to_string())).next(Turn::says("Done."));
        world.say("Go.").await;
        model.assert_played();
        let results = world.results().await;
        let result = &results.last().unwrap().1;
        let id = result["agentId"].as_str().unwrap();
        assert!(id.starts_with("agent_"), "{id}");
        assert_eq!(*result, json!({ "agentId": id, "status": "completed", "result": output }));
        assert_eq!(world.children().await[0].flow.id, agent);
    }
}

#[tokio::test]
async fn an_agent_that_fails_says_so_in_the_same_form() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(deploy("code_analysis", &json!({})));
    model.next(Turn::says("{}")).next(Turn::says("{}")).next(Turn::says("It failed."));
    world.say("Go.").await;
    model.assert_played();
    assert_json_snapshot!(world.results().await.last().unwrap().1, { ".agentId" => "agent_…" }, @r#"
    {
      "agentId": "agent_…",
      "status": "failed",
      "result": {
        "error": "the result does not have the promised form: `/`: \"summary\" is a required property; `/`: \"languages\" is a required property; `/`: \"observations\" is a required property",
        "code": "invalid_output"
      }
    }
    "#);
}

#[tokio::test]
async fn without_a_model_an_agent_is_not_available_and_the_script_goes_on() {
    let flow = crate::world::PROBING.replace(
        "tool = \"TOOL\"",
        "tool = \"deploy_agent\"\n  args = { agentType = \"code_analysis\", input = {} }",
    );
    let mut world = World::with(&flow.replace("TOOL", "deploy_agent"), None).await;
    world.press("Yes").await;
    assert_json_snapshot!(world.results().await.last().unwrap().1, @r#"
    {
      "error": "Running agents is not configured. Please skip for now.",
      "code": "not_configured"
    }
    "#);
    assert!(world.screen().contains("Was it good?"), "{}", world.screen());
}

#[tokio::test]
async fn a_script_waits_for_the_agent_that_it_deploys() {
    let flow = crate::world::PROBING.replace(
        "tool = \"TOOL\"",
        "tool = \"deploy_agent\"\n  args = { agentType = \"code_analysis\", input = { of = \"it\" } }",
    );
    let model = Scripted::new();
    let flow = flow.replace("TOOL", "deploy_agent");
    let mut world = World::delegating((&flow, &[]), &model, None).await;
    let [_, (_, output), ..] = outputs();
    model.next(Turn::says(&output.to_string()));
    world.press("Yes").await;
    model.assert_played();
    assert!(world.screen().contains("Was it good?"), "{}", world.screen());
    world.press("It was").await;
    world.assert_at_rest().await;
}

#[tokio::test]
async fn a_phase_names_the_agents_that_it_lets_be_deployed() {
    let flow = TALK.replace("prompt = \"Have", "agents = [\"code_analysis\"]\nprompt = \"Have");
    let model = Scripted::new();
    model.next(Turn::says("Hello."));
    let mut world = World::delegating((&flow, &[]), &model, None).await;
    model.next(deploy("artifact_ingestion", &json!({}))).next(Turn::says("No."));
    world.say("Go.").await;
    model.assert_played();
    assert_snapshot!(tail(&model, 2, 1), @r#"c00000001 -> {"error":"`artifact_ingestion` is not deployed in this phase; there are `code_analysis`","code":"permission_denied"}"#);
}

#[tokio::test]
async fn an_agent_reads_the_files_of_the_conversation() {
    let model = Scripted::new();
    let mut world = talk(&model).await;
    model.next(Turn::says("Thank you."));
    world.upload("letter.txt", b"I built a mill that adds.").await.unwrap();
    let file = world.state().await.artifacts[0].id.to_string();
    model.next(deploy("artifact_ingestion", &json!({ "files": [file] })));
    model.next(Turn::calls("extract_document", &json!({ "artifact_id": file })));
    let [(_, output), ..] = outputs();
    model.next(Turn::says(&output.to_string())).next(Turn::says("Read."));
    world.say("Go.").await;
    model.assert_played();
    let read = tail(&model, 4, 1);
    assert!(read.contains("I built a mill that adds."), "{read}");
}
