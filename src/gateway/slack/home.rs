//! App Home: own conversations, open questions, and for staff the overview.
