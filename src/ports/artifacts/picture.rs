//! Pictures are decoded and encoded anew: what is kept has no metadata, no place, no trailing data.

use std::io::Cursor;

use image::{
    DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, codecs::jpeg::JpegEncoder,
};

use super::check::{Kind, Refused, split};

/// A picture as it is kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// PNG or JPEG.
    pub kind: Kind,
    /// The file's name, with the extension of what it is now.
    pub filename: String,
    /// The file.
    pub bytes: Vec<u8>,
}

/// Widest and highest picture that is decoded, in pixels.
pub(crate) const SIDE_MAX: u32 = 8192;

/// Longer side of what is kept, in pixels; a larger picture is scaled down, a smaller one never up.
pub(crate) const SIDE_KEPT: u32 = 4096;

/// Memory for the pixels of one picture, and again for its decoder, in bytes: 27 million pixels of a photo. The limits
/// of a decoder do not count the pixels themselves, so they are counted before.
const ALLOC_MAX: u64 = 80 * 1024 * 1024;

/// Out of 100.
const JPEG_QUALITY: u8 = 88;

/// Re-encodes a picture, upright and without metadata. JPEG stays JPEG; PNG and GIF become PNG, WebP whichever
/// suits it. Of a moving picture the first frame is kept. Slow: call it off the async threads.
pub fn reencode(kind: Kind, filename: &str, bytes: &[u8]) -> Result<Picture, Refused> {
    let broken = || Refused(format!("*{filename}* cannot be opened as an image."));
    let format = match kind {
        Kind::Png => ImageFormat::Png,
        Kind::Jpeg => ImageFormat::Jpeg,
        Kind::Gif => ImageFormat::Gif,
        Kind::WebP => ImageFormat::WebP,
        Kind::Pdf | Kind::Docx | Kind::Text | Kind::Markdown | Kind::VCard => return Err(broken()),
    };
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(SIDE_MAX);
    limits.max_image_height = Some(SIDE_MAX);
    limits.max_alloc = Some(ALLOC_MAX);
    reader.limits(limits);
    let mut decoder = reader.into_decoder().map_err(|error| refused(filename, &error))?;
    if decoder.total_bytes() > ALLOC_MAX {
        return Err(too_many_pixels(filename));
    }
    let orientation = decoder.orientation().map_err(|_| broken())?;
    let mut picture =
        DynamicImage::from_decoder(decoder).map_err(|error| refused(filename, &error))?;
    // Before it is turned, which takes a copy.
    if picture.width().max(picture.height()) > SIDE_KEPT {
        picture = picture.thumbnail(SIDE_KEPT, SIDE_KEPT);
    }
    picture.apply_orientation(orientation);
    let to_jpeg = kind == Kind::Jpeg || (kind == Kind::WebP && !picture.color().has_alpha());
    let (kind, bytes) =
        if to_jpeg { (Kind::Jpeg, jpeg(picture)) } else { (Kind::Png, png(&picture)) };
    let bytes = bytes.map_err(|_| broken())?;
    Ok(Picture { kind, filename: renamed(filename, kind), bytes })
}

fn refused(filename: &str, error: &image::ImageError) -> Refused {
    match error {
        image::ImageError::Limits(_) => too_many_pixels(filename),
        _ => Refused(format!("*{filename}* cannot be opened as an image.")),
    }
}

fn too_many_pixels(filename: &str) -> Refused {
    Refused(format!(
        "*{filename}* has too many pixels. Please make it {SIDE_KEPT} by {SIDE_KEPT} or smaller, and send it again."
    ))
}

fn jpeg(picture: DynamicImage) -> image::ImageResult<Vec<u8>> {
    let mut bytes = Vec::new();
    let plain = DynamicImage::ImageRgb8(picture.into_rgb8());
    plain.write_with_encoder(JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY))?;
    Ok(bytes)
}

fn png(picture: &DynamicImage) -> image::ImageResult<Vec<u8>> {
    let mut bytes = Cursor::new(Vec::new());
    picture.write_to(&mut bytes, ImageFormat::Png)?;
    Ok(bytes.into_inner())
}

/// Keeps the name where its extension still fits.
fn renamed(filename: &str, kind: Kind) -> String {
    let (stem, extension) = split(filename);
    match extension.and_then(Kind::of_extension) {
        Some(named) if named == kind => filename.to_owned(),
        _ => format!("{stem}.{}", kind.extensions()[0]),
    }
}
