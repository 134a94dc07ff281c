//! Money and hours as decimals: what people check with a pocket calculator has to come out the same.

use std::str::FromStr as _;

use rust_decimal::{Decimal, RoundingStrategy, prelude::ToPrimitive as _};
use serde_json::{Number, Value};

use crate::tool::ToolError;

/// Largest number that is taken. The largest product is that of two of them over ten years, in percent of something:
/// 10^24 × 120 × 100, and a [`Decimal`] holds 7.9 × 10^28.
pub const MOST: Decimal = Decimal::from_parts(0xD4A5_1000, 0x0000_00E8, 0, false, 0); // 10^12

/// Digits of money and hours after the point.
const PLACES: u32 = 2;

/// A number of the arguments, exactly as it was written; refuses what is below zero or beyond [`MOST`].
pub fn read(name: &str, number: &Number) -> Result<Decimal, ToolError> {
    let text = number.to_string();
    let read = Decimal::from_str(&text).or_else(|_| Decimal::from_scientific(&text));
    let wrong = |what: &str| ToolError::InvalidParameters(format!("`/{name}`: {what}"));
    let read = read.map_err(|_| wrong("expected a number of usual size"))?;
    if read.is_sign_negative() && !read.is_zero() {
        return Err(wrong("expected a number of 0 or more"));
    }
    if read > MOST {
        return Err(wrong("expected a number of usual size"));
    }
    Ok(read)
}

/// A price of the configuration.
pub fn price(written: f64) -> Decimal {
    Decimal::from_str(&written.to_string()).unwrap_or_default()
}

/// Rounded as invoices are: half a cent goes up.
pub(crate) fn rounded(amount: Decimal, places: u32) -> Decimal {
    amount.round_dp_with_strategy(places, RoundingStrategy::MidpointAwayFromZero).normalize()
}

/// A number of a result; whole ones stand without a point.
pub fn json(amount: Decimal) -> Value {
    let amount = rounded(amount, PLACES);
    if amount.is_integer()
        && let Some(whole) = amount.to_i64()
    {
        return Value::from(whole);
    }
    amount.to_f64().map_or(Value::Null, Value::from)
}

/// A length in a picture; what is written beside it is exact.
pub fn length(amount: Decimal) -> f64 {
    amount.to_f64().unwrap_or_default()
}

/// A number for people: `1,234.5`.
pub fn plain(amount: Decimal) -> String {
    let text = rounded(amount, PLACES).to_string();
    let (sign, digits) = text.strip_prefix('-').map_or(("", text.as_str()), |rest| ("-", rest));
    let (whole, rest) = digits.split_once('.').unwrap_or((digits, ""));
    let mut grouped = String::from(sign);
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    if !rest.is_empty() {
        grouped.push('.');
        grouped.push_str(rest);
    }
    grouped
}

/// A time for people: `1 month`, `4.6 months`.
pub fn months(count: Decimal) -> String {
    let word = if count == Decimal::ONE { "month" } else { "months" };
    format!("{} {word}", plain(count))
}

/// Money for people: `1,234.50 USD`; cents only where there are some.
pub fn money(amount: Decimal, currency: &str) -> String {
    let mut text = plain(amount);
    if let Some((_, cents)) = text.split_once('.')
        && cents.len() == 1
    {
        text.push('0');
    }
    format!("{text} {currency}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn money_reads_as_on_an_invoice() {
        for (amount, text) in [
            ("0", "0 USD"),
            ("999", "999 USD"),
            ("1000", "1,000 USD"),
            ("1234567.5", "1,234,567.50 USD"),
            ("-1234.005", "-1,234.01 USD"),
            ("0.004", "0 USD"),
            ("100000", "100,000 USD"),
        ] {
            assert_eq!(money(Decimal::from_str(amount).unwrap(), "USD"), text);
        }
    }

    #[test]
    fn numbers_are_taken_as_written() {
        let number = |text: &str| serde_json::from_str::<Number>(text).unwrap();
        assert_eq!(read("n", &number("0.1")).unwrap() * Decimal::from(3), Decimal::new(3, 1));
        assert_eq!(read("n", &number("1e3")).unwrap(), Decimal::from(1000));
        for refused in ["-1", "-0.01", "1000000000000.01", "1e13", "1e300"] {
            assert!(read("n", &number(refused)).is_err(), "{refused}");
        }
        assert_eq!(MOST, Decimal::from(1_000_000_000_000_i64));
        assert_eq!(read("n", &number("1e12")).unwrap(), MOST);
    }
}
