import HTTPCore

/// The entities of a program in an SQLite file, each under a key; used on one thread at a time.
///
/// Content is in a table of its own, so that a new timestamp rewrites no content (S-191). Checksums cover everything
/// that is read; an entity that does not match is removed, and counts as missing.
final class EntityTable {
