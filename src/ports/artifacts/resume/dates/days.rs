//! Whole days with slashes, whose order only other dates of the same text can tell.

use std::borrow::Cow;

/// `01/02/2021` as `01.02.2021`, where a day such as `31/01/2021` stands somewhere in the text and none such as
/// `01/31/2021` does: so it is in February.
pub(in crate::ports::artifacts::resume) fn day_first(text: &str) -> Cow<'_, str> {
    let orders: Vec<(u32, u32)> = runs(text).filter_map(|(_, run)| day(run)).collect();
    let is_day_first = orders.iter().any(|(first, second)| *first > 12 && *second <= 12);
    let is_month_first = orders.iter().any(|(first, second)| *first <= 12 && *second > 12);
    if !is_day_first || is_month_first {
        return Cow::Borrowed(text);
    }
    let mut dotted = String::with_capacity(text.len());
    let mut from = 0;
    for (at, run) in runs(text).filter(|(_, run)| day(run).is_some()) {
        dotted.push_str(&text[from..at]);
        dotted.push_str(&run.replace('/', "."));
        from = at + run.len();
    }
    dotted.push_str(&text[from..]);
    Cow::Owned(dotted)
}

/// Digits and the slashes between them, and where they stand.
fn runs(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let is_part = |c: char| c.is_ascii_digit() || c == '/';
    let mut from = 0;
    std::iter::from_fn(move || {
        let begin = from + text[from..].find(is_part)?;
        let length = text[begin..].find(|c: char| !is_part(c));
        from = length.map_or(text.len(), |length| begin + length);
        Some((begin, &text[begin..from]))
    })
}

/// The two numbers before the year of a whole day.
fn day(run: &str) -> Option<(u32, u32)> {
    let mut parts = run.split('/');
    let (first, second, year) = (parts.next()?, parts.next()?, parts.next()?);
    let is_short = |part: &str| (1..=2).contains(&part.len());
    let is_whole = is_short(first) && is_short(second) && year.len() == 4;
    let numbers = (first.parse().ok()?, second.parse().ok()?);
    let fits = |number: u32| (1..=31).contains(&number);
    (is_whole && parts.next().is_none() && fits(numbers.0) && fits(numbers.1)).then_some(numbers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_past_the_twelfth_tells_the_order_of_all_others() {
        let text = "01/02/2021 – heute, 24/7 – 1/9/2016 – 31/01/2021";
        assert_eq!(day_first(text), "01.02.2021 – heute, 24/7 – 1.9.2016 – 31.01.2021");
        for text in ["01/02/2021 – 01/03/2022", "01/02/2021 – 01/31/2022", "2021/02/01, 31/12"]
        {
            assert_eq!(day_first(text), text);
        }
    }
}
