//! Text of documents, in a child process.
