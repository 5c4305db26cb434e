/// The entries that applied, by number, and the resulting values (S-049, S-232).
extension EffectiveConfiguration: CustomStringConvertible {
    /// Names of fields, not their values: those may be credentials.
    public var description: String {
        let entries = sources.map { "\($0.number) [\($0.description)]" }
        var parts = [
            entries.isEmpty ? "no entries" : "entries \(entries.joined(separator: ", "))",
            "expirationTime \(values.expirationTime)", "retryTime \(values.retryTime)",
        ]
        parts += values.addedDescriptions
        return parts.joined(separator: "; ")
    }
}
