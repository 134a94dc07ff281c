//! `calculate_roi`: what an investment comes to, by one of two ways of counting.
//!
//! ```json
//! { "success": true, "data": { "mode": "simplified", "annualSavings": 104000, "totalCost": 40000, "netSavings": 64000,
//!   "roiPercentage": 160, "paybackPeriodMonths": 4.6, "timelineMonths": 12, "currency": "USD",
//!   "arithmetic": ["2,080 hours a year × 50 USD = 104,000 USD a year", …], "assumptions": ["…"], "missing": [] } }
//! ```
//!
//! *Simplified*: savings a year are hours saved × the price of an hour; the cost is that of putting it in place. *Detailed*:
//! savings a year are those of staff, efficiency and retention together; the cost is what is invested at first and what it
//! costs every year. Both count over `timeline` months: net savings are savings less costs over that time, the return is
//! net savings ÷ costs, and the payback period is the first cost ÷ what is left over each month.
//!
//! | case | what comes out |
//! |---|---|
//! | savings of zero | the whole cost as a loss, a return of −100 %, no payback period |
//! | yearly costs above the savings | a negative return, no payback period |
//! | a cost of zero | no return (nothing was put in), a payback period of 0 |
//! | the cost was not said | the savings alone, and `missing` says what to ask |
//! | the savings were not said, or a number is below zero | an error that says what is wanted |
//! | figures of both ways | an error: which of the two is meant? |

use async_trait::async_trait;
use rust_decimal::Decimal;
use serde::Deserialize;
use serde_json::{Number, Value, json};

use super::{
    charts::with_chart,
    money::{json as number, length, money, months as in_months, plain, price, read, rounded},
};
use crate::{
    config::consulting::Consulting,
    ports::documents::{Bar, Chart},
    tool::{Outcome, Tool, ToolCx, ToolError, ToolResult, ToolSpec, parse_args},
};

/// Months in a year.
const MONTHS: Decimal = Decimal::from_parts(12, 0, 0, false, 0);

/// For a share as percentage.
const HUNDRED: Decimal = Decimal::from_parts(100, 0, 0, false, 0);

#[derive(Debug, Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Args {
    current_cost: Option<Number>,
    time_savings: Option<Number>,
    employee_cost_per_hour: Option<Number>,
    implementation_cost: Option<Number>,
    timeline: Option<u32>,
    initial_investment: Option<Number>,
    annual_cost: Option<Number>,
    staff_reduction_savings: Option<Number>,
    efficiency_savings: Option<Number>,
    retention_savings: Option<Number>,
}

/// What both ways of counting come down to.
struct Case {
    mode: &'static str,
    /// Savings in a year.
    savings: Decimal,
    /// What it costs once; `None` if nobody said so.
    once: Option<Decimal>,
    /// What it costs every year.
    yearly: Decimal,
    arithmetic: Vec<String>,
    assumptions: Vec<String>,
    missing: Vec<&'static str>,
}

/// What a case comes to over a time.
struct Return {
    costs: Decimal,
    net: Decimal,
    /// Percent; `None` if nothing is put in.
    percentage: Option<Decimal>,
    /// Months; `None` if it never pays back.
    payback: Option<Decimal>,
}

impl Case {
    fn of(args: &Args, offered: &Consulting) -> Result<Self, ToolError> {
        let simple = [
            ("timeSavings", &args.time_savings),
            ("implementationCost", &args.implementation_cost),
            ("employeeCostPerHour", &args.employee_cost_per_hour),
            ("currentCost", &args.current_cost),
        ];
        let detailed = [
            ("initialInvestment", &args.initial_investment),
            ("annualCost", &args.annual_cost),
            ("staffReductionSavings", &args.staff_reduction_savings),
            ("efficiencySavings", &args.efficiency_savings),
            ("retentionSavings", &args.retention_savings),
        ];
        match (given(&simple).as_slice(), given(&detailed).as_slice()) {
            ([], []) => Err(wanted(
                "expected figures: `timeSavings` (hours a year) and `implementationCost`, or \
                 `initialInvestment`, `annualCost` and savings",
            )),
            (_, []) => Self::simplified(args, offered),
            ([], _) => Self::detailed(args, &offered.currency),
            (one, other) => Err(wanted(&format!(
                "expected the figures of one way of counting; `{}` belongs to the simplified one, `{}` to the detailed one",
                one.join("`, `"),
                other.join("`, `")
            ))),
        }
    }

    fn simplified(args: &Args, offered: &Consulting) -> Result<Self, ToolError> {
        let currency = offered.currency.as_str();
        let Some(hours) = &args.time_savings else {
            return Err(wanted("`/timeSavings`: expected the hours that are saved in a year"));
        };
        let hours = read("timeSavings", hours)?;
        let mut assumptions = Vec::new();
        let rate = if let Some(rate) = &args.employee_cost_per_hour {
            read("employeeCostPerHour", rate)?
        } else {
            let rate = price(offered.hourly_rate);
            assumptions.push(format!(
                "An hour is counted as {}, since nobody said what it costs.",
                money(rate, currency)
            ));
            rate
        };
        let savings = hours * rate;
        let mut arithmetic = vec![format!(
            "{} hours a year × {} = {} a year",
            plain(hours),
            money(rate, currency),
            money(savings, currency)
        )];
        if let Some(current) = &args.current_cost {
            let current = read("currentCost", current)?;
            if let Some(share) = (savings * HUNDRED).checked_div(current) {
                arithmetic.push(format!(
                    "{} of {} a year is {} %",
                    money(savings, currency),
                    money(current, currency),
                    plain(rounded(share, 1))
                ));
            }
            if savings > current {
                assumptions.push(
                    "The savings are larger than what it costs today: one of the two figures is not right.".to_owned(),
                );
            }
        }
        let once = args.implementation_cost.as_ref();
        let once = once.map(|cost| read("implementationCost", cost)).transpose()?;
        let missing = if once.is_none() { vec!["implementationCost"] } else { Vec::new() };
        let mode = "simplified";
        Ok(Self { mode, savings, once, yearly: Decimal::ZERO, arithmetic, assumptions, missing })
    }

    fn detailed(args: &Args, currency: &str) -> Result<Self, ToolError> {
        let parts = [
            ("staffReductionSavings", &args.staff_reduction_savings),
            ("efficiencySavings", &args.efficiency_savings),
            ("retentionSavings", &args.retention_savings),
        ];
        let mut savings = Decimal::ZERO;
        let mut terms = Vec::new();
        for (name, part) in parts {
            if let Some(part) = part {
                let part = read(name, part)?;
                savings += part;
                terms.push(money(part, currency));
            }
        }
        if terms.is_empty() {
            return Err(wanted(
                "expected savings in a year: `staffReductionSavings`, `efficiencySavings` or `retentionSavings`",
            ));
        }
        let read_if = |name, number: &Option<Number>| {
            number.as_ref().map(|number| read(name, number)).transpose()
        };
        let once = read_if("initialInvestment", &args.initial_investment)?;
        let yearly = read_if("annualCost", &args.annual_cost)?;
        let mut assumptions = Vec::new();
        if yearly.is_none() {
            assumptions.push(
                "It is counted as costing nothing every year, since nobody said so.".to_owned(),
            );
        }
        let arithmetic =
            vec![format!("{} = {} a year", terms.join(" + "), money(savings, currency))];
        let missing = if once.is_none() { vec!["initialInvestment"] } else { Vec::new() };
        let yearly = yearly.unwrap_or_default();
        Ok(Self { mode: "detailed", savings, once, yearly, arithmetic, assumptions, missing })
    }

    /// What it comes to over `months`; `None` if the first cost is not known.
    fn over(&mut self, months: Decimal, currency: &str) -> Option<Return> {
        let once = self.once?;
        let share = |yearly: Decimal| yearly * months / MONTHS;
        let costs = once + share(self.yearly);
        let saved = share(self.savings);
        let net = saved - costs;
        self.arithmetic.push(format!(
            "{} in {} months − {} of costs = {}",
            money(saved, currency),
            plain(months),
            money(costs, currency),
            money(net, currency)
        ));
        let percentage = (net * HUNDRED).checked_div(costs).map(|share| rounded(share, 1));
        if let Some(share) = percentage {
            let (net, costs) = (money(net, currency), money(costs, currency));
            self.arithmetic.push(format!("{net} ÷ {costs} = {} %", plain(share)));
        }
        let left = (self.savings - self.yearly) / MONTHS;
        let payback = if once.is_zero() && self.savings >= self.yearly {
            Some(Decimal::ZERO)
        } else if left > Decimal::ZERO {
            once.checked_div(left).map(|months| rounded(months, 1))
        } else {
            None
        };
        if let Some(time) = payback.filter(|time| !time.is_zero()) {
            self.arithmetic.push(format!(
                "{} ÷ {} a month = {}",
                money(once, currency),
                money(left, currency),
                in_months(time)
            ));
        }
        Some(Return { costs, net, percentage, payback })
    }
}

/// Costs, savings and what is left, over the time.
fn chart(found: &Return, months: u32, currency: &str) -> Chart {
    let bar = |label: &str, amount: Decimal| Bar {
        label: label.to_owned(),
        value: length(amount),
        text: money(amount, currency),
    };
    let share = found.percentage.map(|share| format!("{} %", plain(share)));
    let share = share.map(|share| format!("Return: {share}"));
    let back = found.payback.map(|time| format!("pays back after {}", in_months(time)));
    let note: Vec<String> = share.into_iter().chain(back).collect();
    Chart {
        title: format!("Return over {months} months"),
        bars: vec![
            bar("Costs", found.costs),
            bar("Savings", found.net + found.costs),
            bar("Net gain", found.net),
        ],
        note: (!note.is_empty()).then(|| note.join("; ")),
    }
}

fn given(figures: &[(&'static str, &Option<Number>)]) -> Vec<&'static str> {
    figures.iter().filter(|(_, figure)| figure.is_some()).map(|(name, _)| *name).collect()
}

fn wanted(text: &str) -> ToolError {
    ToolError::InvalidParameters(text.to_owned())
}

/// Works out a return.
#[derive(Debug)]
pub(crate) struct CalculateRoi(ToolSpec);

impl Default for CalculateRoi {
    fn default() -> Self {
        let description = "Work out the return on an investment from figures that the person gave: either hours saved in \
            a year and the cost of putting it in place, or the investment, its yearly cost and the savings by kind. Never \
            make a figure up; ask for what is missing.";
        let spec = super::spec("calculate_roi", description, schema(), Some("roi"));
        Self(ToolSpec {
            doing: "Working out the figures…",
            done: "Worked out the figures",
            cacheable: true,
            ..spec
        })
    }
}

fn schema() -> Value {
    let amount = |what: &str| json!({ "type": "number", "minimum": 0, "description": what });
    json!({
        "type": "object",
        "properties": {
            "currentCost": amount("Simplified: what it costs in a year today"),
            "timeSavings": amount("Simplified: hours saved in a year"),
            "employeeCostPerHour": amount("Simplified: what an hour costs"),
            "implementationCost": amount("Simplified: what putting it in place costs, once"),
            "timeline": {
                "type": "integer", "minimum": 1, "maximum": 120, "default": 12,
                "description": "Over how many months it is counted"
            },
            "initialInvestment": amount("Detailed: what is invested at first"),
            "annualCost": amount("Detailed: what it costs every year"),
            "staffReductionSavings": amount("Detailed: savings of staff in a year"),
            "efficiencySavings": amount("Detailed: savings by efficiency in a year"),
            "retentionSavings": amount("Detailed: savings by keeping people or customers, in a year")
        }
    })
}

#[async_trait]
impl Tool for CalculateRoi {
    fn spec(&self) -> &ToolSpec {
        &self.0
    }

    async fn execute(&self, cx: &ToolCx<'_>, args: Value) -> ToolResult {
        let args: Args = parse_args(args)?;
        let offered = &cx.services.consulting;
        let currency = offered.currency.as_str();
        let timeline = args.timeline.unwrap_or(12);
        let mut case = Case::of(&args, offered)?;
        let found = case.over(Decimal::from(timeline), currency);
        let chart = found.as_ref().map(|found| chart(found, timeline, currency));
        let Case { mode, savings, arithmetic, assumptions, missing, .. } = case;
        let value = json!({
            "mode": mode,
            "annualSavings": number(savings),
            "totalCost": found.as_ref().map(|found| number(found.costs)),
            "netSavings": found.as_ref().map(|found| number(found.net)),
            "roiPercentage": found.as_ref().and_then(|found| found.percentage).map(number),
            "paybackPeriodMonths": found.as_ref().and_then(|found| found.payback).map(number),
            "timelineMonths": timeline,
            "currency": currency,
            "arithmetic": arithmetic,
            "assumptions": assumptions,
            "missing": missing,
        });
        let Some(chart) = chart else { return Ok(Outcome::Immediate(value)) };
        let caption = format!("Return over {timeline} months, based on your figures.");
        Ok(with_chart(cx, value, ("return.png", &caption), chart).await)
    }
}
