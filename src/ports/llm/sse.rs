//! Server-sent events out of bytes that come in any pieces.
//!
//! Follows the standard's grammar (<https://html.spec.whatwg.org/multipage/server-sent-events.html>) with one
//! leniency: an event that the end of the stream cuts short of its blank line is still delivered by
//! [`Decoder::finish`], for services leave the last one out. Whatever comes in, nothing but [`TooLong`] goes wrong, and
//! how the bytes are divided into pieces never makes a difference.

/// Takes bytes, gives events.
#[derive(Debug)]
pub(crate) struct Decoder {
    /// The line that has no end yet.
    line: Vec<u8>,
    /// The last byte was a CR: an LF that follows belongs to it.
    after_cr: bool,
    /// Nothing has come yet: a byte order mark may.
    at_start: bool,
    name: String,
    data: String,
    has_data: bool,
    max: usize,
}

/// One event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Event<'a> {
    /// Its type; empty for most.
    pub name: &'a str,
    /// Its data, lines joined by LF.
    pub data: &'a str,
}

/// A line or an event is longer than the bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is too long")]
pub(crate) struct TooLong;

impl Decoder {
    /// A decoder of events of at most `max` bytes.
    pub(crate) const fn new(max: usize) -> Self {
        Self {
            line: Vec::new(),
            after_cr: false,
            at_start: true,
            name: String::new(),
            data: String::new(),
            has_data: false,
            max,
        }
    }

    /// Takes the next bytes; `each` gets every event that they complete and may end the work with its own error.
    pub(crate) fn push<E: From<TooLong>>(
        &mut self,
        mut bytes: &[u8],
        each: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        while let Some(&first) = bytes.first() {
            if std::mem::take(&mut self.after_cr) && first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            let (head, rest) = bytes.split_at(end.unwrap_or(bytes.len()));
            if self.line.len() + head.len() > self.max {
                return Err(TooLong.into());
            }
            self.line.extend_from_slice(head);
            if let Some((&terminator, rest)) = rest.split_first() {
                self.after_cr = terminator == b'\r';
                self.end_line(each)?;
                bytes = rest;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The stream is over: what is left is an event if it has data.
    pub(crate) fn finish<E: From<TooLong>>(
        mut self,
        each: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        if !self.line.is_empty() {
            self.end_line(each)?;
        }
        self.dispatch(each)
    }

    fn end_line<E: From<TooLong>>(
        &mut self,
        each: &mut impl FnMut(Event<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let bytes = std::mem::take(&mut self.line);
        let mut line = bytes.as_slice();
        if std::mem::take(&mut self.at_start) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        let result = if line.is_empty() { self.dispatch(each) } else { Ok(self.field(line)?) };
        // The buffer is used again.
        self.line = bytes;
        self.line.clear();
        result
    }

    fn field(&mut self, line: &[u8]) -> Result<(), TooLong> {
        let colon = line.iter().position(|byte| *byte == b':');
        let (field, value) = line.split_at(colon.unwrap_or(line.len()));
        let value = value.strip_prefix(b":").unwrap_or(value);
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if self.data.len() + value.len() + 1 > self.max {
                    return Err(TooLong);
                }
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(&String::from_utf8_lossy(value));
            }
            b"event" => self.name = String::from_utf8_lossy(value).into_owned(),
            // Comments have no field; ids and times to wait are for reconnecting, which nobody does here.
            _ => {}
        }
        Ok(())
    }

    fn dispatch<E>(&mut self, each: &mut impl FnMut(Event<'_>) -> Result<(), E>) -> Result<(), E> {
        let result = if std::mem::take(&mut self.has_data) {
            each(Event { name: &self.name, data: &self.data })
        } else {
            Ok(())
        };
        self.name.clear();
        self.data.clear();
        result
    }
}

#[cfg(test)]
mod tests {
    use super::{Decoder, Event, TooLong};

    fn decoded(pieces: &[&[u8]]) -> Result<Vec<(String, String)>, TooLong> {
        let mut events = Vec::new();
        let mut each = |event: Event<'_>| {
            events.push((event.name.to_owned(), event.data.to_owned()));
            Ok(())
        };
        let mut decoder = Decoder::new(64);
        for piece in pieces {
            decoder.push(piece, &mut each)?;
        }
        decoder.finish(&mut each)?;
        Ok(events)
    }

    fn data(stream: &str) -> Vec<String> {
        decoded(&[stream.as_bytes()]).unwrap().into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn lines_end_in_three_ways() {
        assert_eq!(
            data("data: a\n\ndata: b\r\n\r\ndata: c\r\rdata: d\r\n\n"),
            ["a", "b", "c", "d"]
        );
    }

    #[test]
    fn data_may_have_lines_and_comments_are_nothing() {
        assert_eq!(data(": hello\n\ndata: a\n: still there\ndata:b\nid: 7\nretry\n\n"), ["a\nb"]);
        assert_eq!(data("\u{feff}data: a\n\n"), ["a"]);
        assert_eq!(data("data\n\n"), [""]);
        assert_eq!(data("\n\n\n"), Vec::<String>::new());
    }

    #[test]
    fn an_event_without_its_blank_line_counts_at_the_end() {
        assert_eq!(data("data: a\n\ndata: [DONE]"), ["a", "[DONE]"]);
    }

    #[test]
    fn characters_may_be_cut_in_two() {
        let stream = "event: x\r\ndata: Grüße 👋\r\n\r\n".as_bytes();
        let whole = decoded(&[stream]).unwrap();
        assert_eq!(whole, [("x".to_owned(), "Grüße 👋".to_owned())]);
        for cut in 0..=stream.len() {
            let (head, tail) = stream.split_at(cut);
            assert_eq!(decoded(&[head, tail]).unwrap(), whole, "cut at {cut}");
        }
    }

    #[test]
    fn a_line_without_end_is_refused() {
        assert_eq!(decoded(&[&[b'x'; 65]]), Err(TooLong));
        assert_eq!(decoded(&[&[b'x'; 40], &[b'x'; 40]]), Err(TooLong));
        let lines = "data: 0123456789\n".repeat(7);
        assert_eq!(decoded(&[lines.as_bytes()]), Err(TooLong));
    }
}
