import HTTPCore

/// Rewrites references in a response of a reverse proxy that name its origin, so that clients stay with us.
///
/// The origin is asked by its own name, and makes absolute references of that name.
enum GatewayReferences {
    /// References below the base become paths; relative references stay.
    ///
    /// The address of a token service gets the name that the client uses for us. `Alt-Svc` is removed, since its ports
    /// belong to another server.
    ///
    /// - Parameter client: evaluated only if needed; nil if the request names no host.
    static func rewrite(
        _ fields: inout Fields,
        of uri: TargetURI,
        below base: GatewayBase,
        for client: @autoclosure () -> GatewayClient?
    ) {
        fields.remove(.altSvc)
        for field in [KnownField.location, .contentLocation] where fields.contains(field) {
            let values = fields.values(of: field)
            let rewritten = values.map { reference($0, of: uri, base) }
            guard rewritten != values else { continue }
            fields.remove(field)
            for value in rewritten { fields.append(field, value) }
        }
        guard fields.contains(.wwwAuthenticate), let client = client() else { return }
        ChallengeReferences.rewrite(&fields) { realm, target in
            base.rest(of: target).map { client.base.dropLast() + $0 } ?? realm
        }
    }

    private static func reference(_ value: [UInt8], of uri: TargetURI, _ base: GatewayBase) -> [UInt8] {
        guard let target = uri.resolving(value) else { return value }
        // Byte for byte what the origin itself would have sent to the client.
        let isRelative =
            (try? TargetURI(parsing: value.prefix { $0 != 0x23 })) == nil && !value.starts(with: [0x2F, 0x2F])
        guard !isRelative || base.base.path != [0x2F] else { return value }
        let fragment = value.firstIndex(of: 0x23).map { Array(value[$0...]) } ?? []
        guard let rest = base.rest(of: target) else { return isRelative ? target.bytes + fragment : value }
        // Two slashes at the start would name another host.
        return (rest.starts(with: [0x2F, 0x2F]) ? [0x2F, 0x2E] : []) + rest + fragment
    }
}
