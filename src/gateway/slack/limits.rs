//! What Slack accepts, each constant with its unit and source.
