//! The catalogue `consulting`, with parameter names and a shape of results of its own. The flow
//! `consulting-discovery` has them; others switch them on by naming them.
//!
//! ```json
//! { "success": true, "data": { "annualSavings": 104000, … } }
//! { "success": false, "error": "…" }
//! ```

pub mod analyze_competitor_gap;
pub mod analyze_website_tech_stack;
pub mod calculate_roi;
pub mod capture_screen_snapshot;
pub mod capture_webcam_snapshot;
pub mod case_studies;
mod charts;
pub mod draft_follow_up_email;
pub mod extract_action_items;
pub mod generate_architecture_diagram;
pub mod generate_custom_syllabus;
pub mod generate_executive_memo;
pub mod generate_proposal_draft;
pub mod generate_summary_preview;
pub mod get_booking_link;
pub mod get_dashboard_stats;
pub mod get_location;
pub mod get_stock_price;
pub mod get_weather;
pub mod money;
pub mod search_companies_by_location;
pub mod search_internal_case_studies;
pub mod search_web;
mod seeing;
pub mod simulate_cost_of_inaction;
mod writing;

use std::sync::Arc;

use serde_json::Value;

use crate::tool::{EffectClass, Tool, ToolSpec};

/// All tools of the catalogue, in their order.
pub fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(search_web::SearchWeb::default()),
        Arc::new(get_weather::GetWeather::default()),
        Arc::new(search_companies_by_location::SearchCompaniesByLocation::default()),
        Arc::new(get_stock_price::GetStockPrice::default()),
        Arc::new(get_location::GetLocation::default()),
        Arc::new(get_booking_link::GetBookingLink::default()),
        Arc::new(extract_action_items::ExtractActionItems::default()),
        Arc::new(calculate_roi::CalculateRoi::default()),
        Arc::new(generate_summary_preview::GenerateSummaryPreview::default()),
        Arc::new(draft_follow_up_email::DraftFollowUpEmail::default()),
        Arc::new(generate_proposal_draft::GenerateProposalDraft::default()),
        Arc::new(capture_screen_snapshot::CaptureScreenSnapshot::default()),
        Arc::new(capture_webcam_snapshot::CaptureWebcamSnapshot::default()),
        Arc::new(get_dashboard_stats::GetDashboardStats::default()),
        Arc::new(analyze_website_tech_stack::AnalyzeWebsiteTechStack::default()),
        Arc::new(generate_architecture_diagram::GenerateArchitectureDiagram::default()),
        Arc::new(search_internal_case_studies::SearchInternalCaseStudies::default()),
        Arc::new(generate_executive_memo::GenerateExecutiveMemo::default()),
        Arc::new(generate_custom_syllabus::GenerateCustomSyllabus::default()),
        Arc::new(analyze_competitor_gap::AnalyzeCompetitorGap::default()),
        Arc::new(simulate_cost_of_inaction::SimulateCostOfInaction::default()),
    ]
}

/// A tool of this catalogue: its result is in the shape of the catalogue, and what it is used for counts once it succeeds.
fn spec(
    name: &'static str,
    description: &'static str,
    parameters: Value,
    capability: Option<&'static str>,
) -> ToolSpec {
    let spec = ToolSpec::new(name, description, EffectClass::Pure, parameters);
    ToolSpec { enveloped: true, capability, ..spec }
}
