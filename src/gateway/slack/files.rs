//! Files: from Slack into a conversation, and copies back.
