//! Every tool, in documentation order.

#[cfg(feature = "consulting")]
pub mod consulting;
pub mod interview;
pub mod recruiting;

use std::sync::Arc;

use crate::tool::Tool;

/// The catalogues with their tools, in documentation order. A flow switches a tool on by naming it.
pub fn catalogues() -> Vec<(&'static str, Vec<Arc<dyn Tool>>)> {
    Vec::from([
        ("interview", interview::tools()),
        ("recruiting", recruiting::tools()),
        #[cfg(feature = "consulting")]
        ("consulting", consulting::tools()),
    ])
}

/// The tools of all catalogues.
pub fn tools() -> Vec<Arc<dyn Tool>> {
    catalogues().into_iter().flat_map(|(_, tools)| tools).collect()
}
