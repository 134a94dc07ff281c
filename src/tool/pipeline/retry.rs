//! Attempts: each with a time limit, a panic is a failure like any other, and only what may pass is tried again.

use std::{future::Future, panic::AssertUnwindSafe, time::Duration};

use futures::FutureExt as _;

use super::Policy;
use crate::tool::{EffectClass, ToolError, ToolResult};

/// First pause between attempts; doubles each time.
const PAUSE: Duration = Duration::from_millis(500);

/// Longest pause that another side may ask for; beyond it the call fails now and can be made again later.
const PAUSE_MAX: Duration = Duration::from_secs(30);

/// Makes up to `policy.attempts` attempts; returns the last result and how many there were.
pub async fn attempts<F>(
    policy: Policy,
    class: EffectClass,
    mut attempt: impl FnMut() -> F,
) -> (ToolResult, u32)
where
    F: Future<Output = ToolResult> + Send,
{
    let mut made = 0;
    loop {
        made += 1;
        let result = limited(policy.limit, attempt()).await;
        let pause = match &result {
            Err(error) if made < policy.attempts => pause_after(error, class, made),
            _ => None,
        };
        let Some(pause) = pause else { return (result, made) };
        tokio::time::sleep(pause).await;
    }
}

async fn limited(limit: Duration, attempt: impl Future<Output = ToolResult> + Send) -> ToolResult {
    match tokio::time::timeout(limit, AssertUnwindSafe(attempt).catch_unwind()).await {
        Ok(Ok(result)) => result,
        // What a panic says may hold anything; it goes to the panic hook, not to the model.
        Ok(Err(_panic)) => {
            Err(ToolError::ExecutionFailed("the tool failed unexpectedly".to_owned()))
        }
        Err(_elapsed) => Err(ToolError::Timeout(limit)),
    }
}

/// How long to wait before the next attempt; `None` if another one cannot help or could do harm.
fn pause_after(error: &ToolError, class: EffectClass, made: u32) -> Option<Duration> {
    let own = PAUSE * 2_u32.pow(made - 1);
    match error {
        ToolError::Transient { retry_after, .. } => {
            Some(retry_after.unwrap_or(own)).filter(|pause| *pause <= PAUSE_MAX)
        }
        // Nobody knows what an attempt without an answer has done.
        ToolError::Timeout(_) => {
            matches!(class, EffectClass::Pure | EffectClass::Idempotent).then_some(own)
        }
        ToolError::InvalidParameters(_)
        | ToolError::ExecutionFailed(_)
        | ToolError::UserCancelled
        | ToolError::PermissionDenied(_)
        | ToolError::ForbiddenQuestion(_)
        | ToolError::NotConfigured(_)
        | ToolError::Changed => None,
    }
}
