//! The catalogue `recruiting`: two tools. No flow in the box has them; a flow switches them on by naming them, and
//! what scores people only if its policy allows that.

pub mod calculate_similarity;
pub mod extract_skills;

use std::sync::Arc;

use crate::tool::Tool;

/// All tools of the catalogue, in documentation order.
pub fn tools() -> Vec<Arc<dyn Tool>> {
    vec![
        Arc::new(extract_skills::ExtractSkills::default()),
        Arc::new(calculate_similarity::CalculateSimilarity::default()),
    ]
}
