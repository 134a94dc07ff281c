//! A number of any length as the digits that were written, without its sign.

/// `digits × 10^power`; digits neither begin nor end with a nought, and nought has none.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Exact {
    digits: String,
    power: i32,
}

impl Exact {
    /// Of the digits before and after the point; `None` if something else stands there.
    pub(super) fn of(whole: &str, fraction: &str) -> Option<Self> {
        let digits = format!("{whole}{fraction}");
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let power = -i32::try_from(fraction.len()).ok()?;
        is_number.then(|| Self { digits, power }.tidied())
    }

    /// Of a number as JSON writes it: `-1250.5`, `4.3e-1`.
    pub(super) fn of_json(text: &str) -> Option<Self> {
        let text = text.trim_start_matches('-');
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let exponent: i32 = exponent.parse().ok()?;
        Some(Self::of(whole, fraction)?.shifted(exponent))
    }

    fn tidied(self) -> Self {
        let digits = self.digits.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        if kept.is_empty() {
            return Self::default();
        }
        let dropped = i32::try_from(digits.len() - kept.len()).unwrap_or(0);
        Self { digits: kept.to_owned(), power: self.power.saturating_add(dropped) }
    }

    /// Times ten to the power of `by`.
    pub(super) fn shifted(&self, by: i32) -> Self {
        if self.digits.is_empty() {
            return Self::default();
        }
        Self { digits: self.digits.clone(), power: self.power.saturating_add(by) }
    }

    /// The power of ten of its last digit.
    pub(super) const fn unit(&self) -> i32 {
        self.power
    }

    /// Rounded half up to a multiple of ten to the power of `unit`.
    pub(super) fn rounded(&self, unit: i32) -> Self {
        let Ok(dropped) = usize::try_from(unit.saturating_sub(self.power)) else {
            return self.clone();
        };
        let Some(kept) = self.digits.len().checked_sub(dropped) else { return Self::default() };
        let up = self.digits.as_bytes().get(kept).is_some_and(|next| *next >= b'5');
        let mut digits: Vec<u8> = self.digits.bytes().take(kept).collect();
        if up {
            let nines = digits.iter().rev().take_while(|digit| **digit == b'9').count();
            let last = digits.len() - nines;
            digits[last..].fill(b'0');
            match last.checked_sub(1).and_then(|at| digits.get_mut(at)) {
                Some(digit) => *digit += 1,
                None => digits.insert(0, b'1'),
            }
        }
        let digits = digits.into_iter().map(char::from).collect();
        Self { digits, power: unit.max(self.power) }.tidied()
    }

    /// About as much.
    pub(super) fn as_f64(&self) -> f64 {
        format!("0{}e{}", self.digits, self.power).parse().unwrap_or(f64::INFINITY)
    }
}
