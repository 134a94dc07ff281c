//! A text in pieces that any model for vectors reads whole, and one vector for all of them.

/// Longest piece, in bytes: some 400 tokens of English, where the smallest windows hold 512.
const PIECE_MAX: usize = 1_500;

/// The text in pieces, cut at the last end of a paragraph, a sentence or a word in each; one piece where it is short.
pub(super) fn of(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text.trim();
    while rest.len() > PIECE_MAX {
        let (piece, left) = rest.split_at(end(rest));
        pieces.push(piece.trim_end());
        rest = left.trim_start();
    }
    if !rest.is_empty() {
        pieces.push(rest);
    }
    pieces
}

/// Where the first piece ends. Not before its middle, so that pieces stay few.
fn end(text: &str) -> usize {
    let head = &text[..text.floor_char_boundary(PIECE_MAX)];
    let ends =
        ["\n\n", "\n", ". ", " "].iter().filter_map(|mark| Some(head.rfind(mark)? + mark.len()));
    let mut ends = ends.filter(|end| *end > PIECE_MAX / 2);
    ends.next().unwrap_or(head.len())
}

/// The mean of the pieces' directions, each as heavy as it is long; `None` if vectors are of several kinds or one
/// points nowhere.
pub(super) fn mean(pieces: &[&str], vectors: &[Vec<f32>]) -> Option<Vec<f32>> {
    if let [vector] = vectors {
        return Some(vector.clone());
    }
    let mut mean = vec![0.0_f64; vectors.first()?.len()];
    for (piece, vector) in pieces.iter().zip(vectors) {
        let length = vector.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
        let weight = f64::from(u32::try_from(piece.len()).ok()?) / length;
        if vector.len() != mean.len() || !weight.is_finite() {
            return None;
        }
        for (sum, x) in mean.iter_mut().zip(vector) {
            *sum += weight * f64::from(*x);
        }
    }
    let length = mean.iter().map(|x| x * x).sum::<f64>().sqrt();
    #[expect(clippy::cast_possible_truncation, reason = "a direction: each number is from -1 to 1")]
    let direction = mean.iter().map(|x| (x / length) as f32).collect();
    Some(direction)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_text_is_one_piece_and_a_long_one_loses_nothing() {
        assert_eq!(of(" Rust and Go. "), ["Rust and Go."]);
        for sentence in ["Ten years of Rust. ", "Zehn Jahre für Größeres\n\n", "äöü"] {
            let text = sentence.repeat(500);
            let pieces = of(&text);
            assert!(pieces.len() > 1 && pieces.len() < 30, "{}", pieces.len());
            assert!(pieces.iter().all(|piece| piece.len() <= PIECE_MAX && !piece.is_empty()));
            let plain = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(plain(&pieces.concat()), plain(&text));
        }
        assert!(
            of("Ten years of Rust. And more. ".repeat(99).trim()).iter().all(|p| p.ends_with('.'))
        );
    }

    #[test]
    fn a_mean_is_as_heavy_as_its_pieces_are_long() {
        let mean = |vectors: &[Vec<f32>]| mean(&["abc", "d"], vectors);
        let found = mean(&[vec![2.0, 0.0], vec![0.0, 8.0]]).unwrap();
        assert!((f64::from(found[0]) / f64::from(found[1]) - 3.0).abs() < 1e-5, "{found:?}");
        assert_eq!(mean(&[vec![1.0, 0.0], vec![1.0]]), None);
        assert_eq!(mean(&[vec![1.0, 0.0], vec![0.0, 0.0]]), None);
    }
}
