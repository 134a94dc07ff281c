//! What an area asks of a website: what of it was found, and what was not, as observations.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{page::Page, prints::Detection};

/// An area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Focus {
    /// Where visitors could be answered or guided by a program.
    AiOpportunities,
    /// What marketing works with.
    MarketingStack,
}

/// What of an area was and was not found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Observations {
    /// The area.
    pub focus: Focus,
    /// What was found.
    pub found: Vec<String>,
    /// What was looked for and not found, one sentence each.
    pub not_found: Vec<&'static str>,
}

/// A thing that an area asks for.
struct Question {
    /// What is found, before the names.
    noun: &'static str,
    /// Any of these categories answers it.
    categories: &'static [&'static str],
    /// The page's own code may answer it as well, in these words.
    own: fn(&Page) -> Option<&'static str>,
    /// What is said where nothing does.
    none: &'static str,
}

const NOTHING: fn(&Page) -> Option<&'static str> = |_| None;

const AI: [Question; 5] = [
    Question {
        noun: "Chat assistant",
        categories: &["ai_chat"],
        own: NOTHING,
        none: "No chat assistant that answers by itself was found in the page's code.",
    },
    Question {
        noun: "Live chat",
        categories: &["chat", "ai_chat"],
        own: NOTHING,
        none: "No chat widget was found in the page's code.",
    },
    Question {
        noun: "Lead capture",
        categories: &["marketing", "forms"],
        own: |page| page.asks_for_email.then_some("a form that asks for an e-mail address"),
        none: "No form that asks for an e-mail address and no tool that captures leads was found.",
    },
    Question {
        noun: "Site search",
        categories: &["search"],
        own: |page| page.has_search.then_some("a search field"),
        none: "No search of the site was found.",
    },
    Question {
        noun: "Booking",
        categories: &["booking"],
        own: NOTHING,
        none: "No tool to book an appointment was found.",
    },
];

const MARKETING: [Question; 6] = [
    Question {
        noun: "Analytics",
        categories: &["analytics"],
        own: NOTHING,
        none: "No web analytics were found in the page's code.",
    },
    Question {
        noun: "Tag manager",
        categories: &["tag_manager"],
        own: NOTHING,
        none: "No tag manager was found.",
    },
    Question {
        noun: "Marketing and e-mail",
        categories: &["marketing"],
        own: NOTHING,
        none: "No tool for marketing automation or e-mail campaigns was found.",
    },
    Question {
        noun: "Advertising",
        categories: &["advertising"],
        own: NOTHING,
        none: "No pixel of an advertising network was found.",
    },
    Question {
        noun: "Tests and personalisation",
        categories: &["testing"],
        own: NOTHING,
        none: "No tool for A/B tests or personalisation was found.",
    },
    Question {
        noun: "Consent",
        categories: &["consent"],
        own: NOTHING,
        none: "No tool that asks visitors for consent was found.",
    },
];

impl Focus {
    pub(super) fn observe(self, technologies: &[Detection], page: &Page) -> Observations {
        let questions: &[Question] = match self {
            Self::AiOpportunities => &AI,
            Self::MarketingStack => &MARKETING,
        };
        let (mut found, mut not_found) = (Vec::new(), Vec::new());
        for question in questions {
            let names = technologies
                .iter()
                .filter(|technology| question.categories.contains(&technology.category.as_str()))
                .map(|technology| technology.name.as_str());
            let mut names: BTreeSet<&str> = names.collect();
            names.extend((question.own)(page));
            if names.is_empty() {
                not_found.push(question.none);
            } else {
                let names: Vec<&str> = names.into_iter().collect();
                found.push(format!("{}: {}", question.noun, names.join(", ")));
            }
        }
        Observations { focus: self, found, not_found }
    }
}
