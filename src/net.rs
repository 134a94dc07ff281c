//! The network: outbound connections, a guarded HTTP client for addresses that somebody else chose, and a bounded
//! listener for connections from outside.

pub mod fetch;
pub mod listener;
pub mod outbound;
