import HTTPCore

/// Rewrites references in a response to the form of the prefix gateway, so that clients stay with us (DESIGN.md §9).
enum PrefixReferences {
    /// `Location` and `Content-Location` become `/http://host/path`; `Alt-Svc` would lead clients around us and goes.
    static func rewrite(_ fields: inout Fields, of uri: TargetURI) {
        fields.remove(.altSvc)
        for field in [KnownField.location, .contentLocation] where fields.contains(field) {
            let values = fields.values(of: field)
            fields.remove(field)
            for value in values { fields.append(field, prefixed(value, of: uri)) }
        }
    }

    /// A reference that leads to http or https, as a path of ours; others stay as they are.
    private static func prefixed(_ reference: [UInt8], of uri: TargetURI) -> [UInt8] {
        guard let target = uri.resolving(reference) else { return reference }
        let fragment = reference.firstIndex(of: 0x23).map { Array(reference[$0...]) } ?? []
        return [0x2F] + target.octets + fragment
    }
}
