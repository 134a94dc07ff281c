//! The connection: Socket Mode or HTTP, one code path behind both.
