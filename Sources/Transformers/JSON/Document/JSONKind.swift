/// The kinds of JSON values; `true` and `false` are two.
enum JSONKind: Sendable { case object, array, string, number, `true`, `false`, null }
