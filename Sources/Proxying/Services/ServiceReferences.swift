import HTTPCore

/// Rewrites references in a response that came by a service's path or host, so that clients stay with us.
enum ServiceReferences {
    /// How references that lead out of the base are written.
    enum Elsewhere: Equatable {
        /// As received.
        case untouched
        /// In the prefix form behind these octets, such as `/`.
        case prefixed([UInt8])
    }

    /// - Parameter mount: what stands before the rest of a target on the client's side: `/NAME`, or nothing.
    static func rewrite(
        _ fields: inout Fields,
        of uri: TargetURI,
        service: NamedService,
        mount: [UInt8],
        elsewhere: Elsewhere
    ) {
        fields.remove(.altSvc)
        for field in [KnownField.location, .contentLocation] where fields.contains(field) {
            let values = fields.values(of: field)
            fields.remove(field)
            for value in values {
                fields.append(field, rewritten(value, of: uri, service, mount, elsewhere))
            }
        }
    }

    private static func rewritten(
        _ reference: [UInt8],
        of uri: TargetURI,
        _ service: NamedService,
        _ mount: [UInt8],
        _ elsewhere: Elsewhere
    ) -> [UInt8] {
        guard let target = uri.resolving(reference) else { return reference }
        let fragment = reference.firstIndex(of: 0x23).map { Array(reference[$0...]) } ?? []
        if let rest = service.rest(of: target) { return own(mount, Array(rest)) + fragment }
        switch elsewhere {
        case .untouched: return reference
        case .prefixed(let before): return before + target.octets + fragment
        }
    }

    private static func own(_ mount: [UInt8], _ rest: [UInt8]) -> [UInt8] {
        guard mount.isEmpty else { return mount + rest }
        guard rest.first == 0x2F else { return [0x2F] + rest }
        // Two slashes at the start would name another host.
        return rest.starts(with: [0x2F, 0x2F]) ? [0x2F, 0x2E] + rest : rest
    }
}
