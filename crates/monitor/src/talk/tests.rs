//! Following transcripts.
