import HTTPCore

/// Rewrites references in a response to the form of the prefix gateway, so that clients stay with us.
enum PrefixReferences {
    /// `Location` and `Content-Location` become `/http://host/path`.
    ///
    /// `Alt-Svc` is removed: it would lead clients around us.
    ///
    /// - Parameter client: nil for one that must get no absolute references to us, such as a browser.
    static func rewrite(_ fields: inout Fields, of uri: TargetURI, for client: GatewayClient? = nil) {
        fields.remove(.altSvc)
        for field in [KnownField.location, .contentLocation] where fields.contains(field) {
            let values = fields.values(of: field)
            fields.remove(field)
            for value in values { fields.append(field, prefixed(value, of: uri, for: client)) }
        }
        if let client { ChallengeReferences.rewrite(&fields, behind: client.base) }
    }

    /// Rewrites a reference that leads to http or https as a path of ours; others stay.
    private static func prefixed(_ reference: [UInt8], of uri: TargetURI, for client: GatewayClient?) -> [UInt8] {
        guard let target = uri.resolving(reference) else { return reference }
        let fragment = reference.firstIndex(of: 0x23).map { Array(reference[$0...]) } ?? []
        return GatewayClient.reference(to: target, from: uri, behind: [0x2F], for: client) + fragment
    }
}
