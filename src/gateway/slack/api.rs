//! The Web API: one call, with its token, its rates, its time limit.
