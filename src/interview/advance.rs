//! advance
