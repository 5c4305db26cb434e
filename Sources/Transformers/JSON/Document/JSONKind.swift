/// The kinds of JSON values.
///
/// `true` and `false` are two kinds.
enum JSONKind: Sendable { case object, array, string, number, `true`, `false`, null }
