//! What people picked and typed in Slack, as replies. Pure.
