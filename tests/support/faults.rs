//! What goes wrong on the way to a platform: for some calls, or until somebody mends it.

/// Faults to come, in the order in which they are tried; `F` is what a platform can do wrong.
#[derive(Debug)]
pub(crate) struct Faults<F>(Vec<Planned<F>>);

#[derive(Debug)]
struct Planned<F> {
    /// A method or a route; `*` for any.
    call: String,
    /// Where: anywhere where it is empty.
    place: String,
    /// How often; none for as long as nobody mends it.
    times: Option<usize>,
    fault: F,
}

impl<F> Default for Faults<F> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<F: Copy> Faults<F> {
    /// The next calls fail.
    pub(crate) fn plan(&mut self, call: &str, times: usize, fault: F) {
        self.add(call, "", Some(times), fault);
    }

    /// Every call fails from now on.
    pub(crate) fn lasting(&mut self, call: &str, place: &str, fault: F) {
        self.add(call, place, None, fault);
    }

    /// The next call in a place fails.
    pub(crate) fn once(&mut self, call: &str, place: &str, fault: F) {
        self.add(call, place, Some(1), fault);
    }

    fn add(&mut self, call: &str, place: &str, times: Option<usize>, fault: F) {
        let (call, place) = (call.to_owned(), place.to_owned());
        self.0.push(Planned { call, place, times, fault });
    }

    /// Forgets what has not happened, and what lasts.
    pub(crate) fn clear(&mut self) {
        self.0.clear();
    }

    /// How this call fails.
    pub(crate) fn take(&mut self, call: &str, place: &str) -> Option<F> {
        let fits = |one: &Planned<F>| {
            (one.call == call || one.call == "*") && (one.place.is_empty() || one.place == place)
        };
        // What is planned comes before what lasts.
        let planned = self.0.iter().position(|one| one.times.is_some() && fits(one));
        let at = planned.or_else(|| self.0.iter().position(fits))?;
        let fault = self.0[at].fault;
        if let Some(times) = &mut self.0[at].times {
            *times -= 1;
            if *times == 0 {
                self.0.remove(at);
            }
        }
        Some(fault)
    }
}
