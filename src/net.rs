//! The network: outbound connections, a guarded HTTP client for addresses that somebody else chose, a bounded listener for
//! connections from outside, and requests that are forwarded to another node.

pub mod fetch;
pub mod forward;
pub mod listener;
pub(crate) mod outbound;
