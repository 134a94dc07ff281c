//! Takes in what people do in Slack: finds the conversation, checks rights, hands it to the engine.
