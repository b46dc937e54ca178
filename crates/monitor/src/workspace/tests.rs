//! Rules of reading the folders and the configuration.
