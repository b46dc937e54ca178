//! Safe reading (reliability G19): whatever has the names that are read, and whatever a request names, no byte from
//! outside the home gets into an answer, nothing waits, and unread files are reported.

mod bench;
mod odd;
mod swaps;
mod traversal;
