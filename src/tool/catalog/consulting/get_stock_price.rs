//! `get_stock_price`: what the web says a share costs. The result is that of [`super::search_web`] with the symbol; the
//! query is `current stock price {SYMBOL} real-time quote`.

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};

use super::search_web::{searched, searching};
use crate::tool::{
    EffectClass, Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args,
};

/// Longest symbol, in characters: `BRK.B`, `0700.HK`, `RELIANCE.NS`.
const SYMBOL_MAX: usize = 15;

const CAUTION: &str = "These are pages on the web and not a quote of an exchange: figures may be delayed. Give the page and \
    its time with every figure; this is no advice.";

#[derive(Debug, Deserialize)]
struct Args {
    symbol: String,
}

/// Looks for prices of shares.
#[derive(Debug)]
pub(crate) struct GetStockPrice(ToolSpec);

impl Default for GetStockPrice {
    fn default() -> Self {
        let description = "Search the web for the current price of a share by its ticker symbol. Tell the price only as a \
            page of the result gives it, with that page; where none does, say that none was found.";
        Self(searching(ToolSpec::new("get_stock_price", description, EffectClass::Pure, schema())))
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["symbol"],
        "properties": {
            "symbol": {
                "type": "string",
                "minLength": 1,
                "maxLength": SYMBOL_MAX,
                "description": "Ticker symbol, such as TSLA"
            }
        }
    })
}

#[async_trait]
impl Tool for GetStockPrice {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let Args { symbol } = parse_args(args)?;
        let symbol = symbol.trim().trim_start_matches('$').to_ascii_uppercase();
        if !is_symbol(&symbol) {
            let why = "`/symbol`: expected a ticker symbol such as TSLA or BRK.B";
            return Err(ToolError::InvalidParameters(why.to_owned()));
        }
        let query = format!("current stock price {symbol} real-time quote");
        let mut told = searched(cx, query, Vec::new()).await?;
        if !told.results.is_empty() {
            if !told.note.is_empty() {
                told.note.push(' ');
            }
            told.note.push_str(CAUTION);
        }
        let mut value = json!(told);
        value["symbol"] = json!(symbol);
        Ok(Outcome::Immediate(value))
    }
}

fn is_symbol(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b".-^=".contains(&byte);
    (1..=SYMBOL_MAX).contains(&text.len())
        && text.bytes().all(fits)
        && text.bytes().any(|byte| byte.is_ascii_alphanumeric())
}
