//! `search_companies_by_location`: companies at a place, as the web tells of them. The result is that of
//! [`super::search_web`]; the query is `companies businesses in {location} {industry} {companyType} business directory`.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::search_web::{named, searched, searching};
use crate::tool::{EffectClass, Outcome, Tool, ToolCx, ToolResult, ToolSpec, parse_args};

/// Longest argument, in characters.
const WORDS_MAX: usize = 100;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Args {
    location: String,
    industry: Option<String>,
    company_type: Option<String>,
}

/// Searches for companies.
#[derive(Debug)]
pub(crate) struct SearchCompaniesByLocation(ToolSpec);

impl Default for SearchCompaniesByLocation {
    fn default() -> Self {
        let description = "Search the web for companies at a place, perhaps of one industry or kind. The results are pages \
            that name companies, not a register: give the address of the page with each company that you name.";
        let name = "search_companies_by_location";
        Self(searching(ToolSpec::new(name, description, EffectClass::Pure, schema())))
    }
}

fn schema() -> Value {
    let words = |description: &str| json!({ "type": "string", "minLength": 1, "maxLength": WORDS_MAX, "description": description });
    json!({
        "type": "object",
        "required": ["location"],
        "properties": {
            "location": words("City, region or country"),
            "industry": words("Industry, to narrow the search"),
            "companyType": words("Kind of company, such as startups")
        }
    })
}

#[async_trait]
impl Tool for SearchCompaniesByLocation {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { location, industry, company_type } = parse_args(args)?;
        let mut words = vec!["companies businesses in".to_owned()];
        words.push(named("location", &location, WORDS_MAX)?);
        for (name, given) in [("industry", industry), ("companyType", company_type)] {
            if let Some(given) = given {
                words.push(named(name, &given, WORDS_MAX)?);
            }
        }
        words.push("business directory".to_owned());
        Ok(Outcome::Immediate(json!(searched(cx, words.join(" "), Vec::new()).await?)))
    }
}
