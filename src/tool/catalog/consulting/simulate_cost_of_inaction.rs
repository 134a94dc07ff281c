//! `simulate_cost_of_inaction`: what the time costs that a process takes, and how soon an offer would have cost the same.
//!
//! ```json
//! { "success": true, "data": { "process": "manual data entry", "hoursPerMonth": 200, "hourlyRate": 50,
//!   "monthlyCost": 10000, "annualCost": 120000, "currency": "USD",
//!   "offers": [{ "offer": "workshop", "price": 10000, "breakEvenMonths": 1 }, …],
//!   "arithmetic": ["10 hours a week × 4 weeks × 5 people = 200 hours a month", …], "notes": [] } }
//! ```
//!
//! The formula counts four weeks a month; the result says so. It is arithmetic over what the person said, not a forecast:
//! nothing here says that an offer would save those hours.

use async_trait::async_trait;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Number, Value, json};

use super::{
    charts::with_chart,
    money::{json as number, length, money, months, plain, price, read, rounded},
};
use crate::{
    config::consulting::Consulting,
    ports::documents::{Bar, Chart},
    tool::{Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// Weeks in a month.
const WEEKS: Decimal = Decimal::from_parts(4, 0, 0, false, 0);

/// Months in a year.
const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

#[derive(Debug, Deserialize)]
struct Args {
    inefficient_process: String,
    hours_wasted_per_week: Number,
    team_size: u32,
}

/// Counts what it costs.
#[derive(Debug)]
pub(crate) struct SimulateCostOfInaction(ToolSpec);

impl Default for SimulateCostOfInaction {
    fn default() -> Self {
        let description = "Work out what the hours cost that a process takes now, from figures that the person gave. \
            Say whose figures they are, and show the arithmetic.";
        let spec = super::spec("simulate_cost_of_inaction", description, schema(), Some("roi"));
        Self(ToolSpec {
            doing: "Working out the figures…", done: "Worked out the figures", ..spec
        })
    }
}

fn schema() -> Value {
    json!({
        "type": "object",
        "required": ["inefficient_process", "hours_wasted_per_week", "team_size"],
        "properties": {
            "inefficient_process": {
                "type": "string", "minLength": 1, "maxLength": 500,
                "description": "The work by hand that the person spoke of"
            },
            "hours_wasted_per_week": {
                "type": "number", "minimum": 0, "maximum": 168,
                "description": "Hours that it takes each of them in a week"
            },
            "team_size": {
                "type": "integer", "minimum": 1, "maximum": 1_000_000,
                "description": "How many people do it"
            }
        }
    })
}

/// What arithmetic cannot say.
const UNKNOWN: &str =
    "These are the person's own figures; how much of that time an offer would save is not known.";

fn bar(label: &str, amount: Decimal, currency: &str) -> Bar {
    Bar { label: label.to_owned(), value: length(amount), text: money(amount, currency) }
}

/// The process, which has to be called something.
fn named(process: &str) -> Result<&str, ToolError> {
    let process = process.trim();
    if process.is_empty() {
        let message = "`/inefficient_process`: expected words".to_owned();
        return Err(ToolError::InvalidParameters(message));
    }
    Ok(process)
}

/// What the hours come to, and a picture of it beside the offers.
fn cost(args: &Args, offered: &Consulting) -> Result<(Value, Chart), ToolError> {
    let process = named(&args.inefficient_process)?;
    let currency = offered.currency.as_str();
    let each = read("hours_wasted_per_week", &args.hours_wasted_per_week)?;
    let rate = price(offered.hourly_rate);
    let team = Decimal::from(args.team_size);
    let hours = each * WEEKS * team;
    let monthly = hours * rate;
    let annual = monthly * MONTHS;
    let (an_hour, a_month) = (money(rate, currency), money(monthly, currency));
    let mut arithmetic = vec![
        format!(
            "{} hours a week × 4 weeks × {} people = {} hours a month",
            plain(each),
            plain(team),
            plain(hours)
        ),
        format!("{} hours × {an_hour} = {a_month} a month", plain(hours)),
        format!("{a_month} × 12 = {} a year", money(annual, currency)),
    ];
    let mut bars = vec![
        bar("Cost per month today", monthly, currency),
        bar("Cost per year today", annual, currency),
    ];
    let mut offers = Vec::new();
    for (offer, label, cost) in [
        ("workshop", "A workshop", offered.workshop),
        ("consulting", "Consulting", offered.engagement),
    ] {
        let cost = price(cost);
        bars.push(bar(label, cost, currency));
        let even = cost.checked_div(monthly).map(|time| rounded(time, 1));
        if let Some(time) = even {
            let (cost, time) = (money(cost, currency), months(time));
            arithmetic.push(format!("{offer}: {cost} ÷ {a_month} = {time}"));
        }
        let (price, even) = (number(cost), even.map(number));
        offers.push(json!({ "offer": offer, "price": price, "breakEvenMonths": even }));
    }
    let mut notes = vec![
        "A month counts as four weeks.".to_owned(),
        format!("Every hour costs {an_hour}, whoever works it."),
        UNKNOWN.to_owned(),
    ];
    if monthly.is_zero() {
        notes.push("By these figures, nothing is lost.".to_owned());
    }
    let title = "Cost of the hours".to_owned();
    let note = Some("By your own figures. How much an offer would save isn't known.".to_owned());
    let value = json!({
        "process": process,
        "hoursPerMonth": number(hours),
        "hourlyRate": number(rate),
        "monthlyCost": number(monthly),
        "annualCost": number(annual),
        "currency": currency,
        "offers": offers,
        "arithmetic": arithmetic,
        "notes": notes,
    });
    Ok((value, Chart { title, bars, note }))
}

#[async_trait]
impl Tool for SimulateCostOfInaction {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let args: Args = parse_args(args)?;
        let (value, chart) = cost(&args, &cx.services.consulting)?;
        let caption = "Cost of the hours, based on your figures.";
        Ok(with_chart(cx, value, ("cost.png", caption), chart).await)
    }
}
