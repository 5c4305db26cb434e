import HTTPCore

/// Rewrites references in a response by a service's path or host, so that clients stay with us.
enum ServiceReferences {
    /// How references that lead out of the base are written.
    enum Elsewhere: Equatable {
        /// As absolute URLs.
        case absolute
        /// In the prefix form, after these bytes, such as `/`.
        case prefixed([UInt8])
    }

    /// - Parameters:
    ///   - mount: what the client puts before the rest of a target: `/NAME`, or nothing.
    ///   - client: a client that may use the prefix form, too.
    static func rewrite(
        _ fields: inout Fields,
        of uri: TargetURI,
        service: NamedService,
        mount: [UInt8],
        elsewhere: Elsewhere,
        for client: GatewayClient? = nil
    ) {
        fields.remove(.altSvc)
        for field in [KnownField.location, .contentLocation] where fields.contains(field) {
            let values = fields.values(of: field)
            fields.remove(field)
            for value in values {
                guard let reference = rewritten(value, of: uri, service, mount, elsewhere, client) else { continue }
                fields.append(field, reference)
            }
        }
        if case .prefixed(let before) = elsewhere, let base = before.count > 1 ? before : client?.base {
            ChallengeReferences.rewrite(&fields, behind: base)
        }
    }

    /// Returns nil for a reference that clients might wrongly read as a path of ours.
    private static func rewritten(
        _ reference: [UInt8],
        of uri: TargetURI,
        _ service: NamedService,
        _ mount: [UInt8],
        _ elsewhere: Elsewhere,
        _ client: GatewayClient?
    ) -> [UInt8]? {
        guard let target = uri.resolving(asBrowsersRead(reference)) else {
            return hasOtherScheme(reference) ? reference : nil
        }
        let fragment = reference.firstIndex(of: 0x23).map { Array(reference[$0...]) } ?? []
        // Clients also resolve encoded dots: those must not lead out of the mount.
        if let rest = service.rest(of: target).flatMap({ ServicePath.resolved(Array($0)) }) {
            return own(mount, rest) + fragment
        }
        switch elsewhere {
        case .absolute: return target.bytes + fragment
        case .prefixed(let before):
            return GatewayClient.reference(to: target, from: uri, behind: before, for: client) + fragment
        }
    }

    /// Replaces backslashes before the query by slashes: no URI has any there, and browsers read them so.
    private static func asBrowsersRead(_ reference: [UInt8]) -> [UInt8] {
        let end = reference.firstIndex { $0 == 0x3F || $0 == 0x23 } ?? reference.endIndex
        return reference[..<end].map { $0 == 0x5C ? 0x2F : $0 } + reference[end...]
    }

    /// Whether its scheme is one for which no client would ask us.
    private static func hasOtherScheme(_ reference: [UInt8]) -> Bool {
        guard let colon = reference.firstIndex(of: 0x3A), let first = reference.first,
            first.asciiLowercased &- 0x61 < 26
        else { return false }
        let scheme = reference[..<colon].map(\.asciiLowercased)
        let isScheme = scheme.allSatisfy { $0 &- 0x61 < 26 || $0 &- 0x30 < 10 || [0x2B, 0x2D, 0x2E].contains($0) }
        return isScheme && scheme != Array("http".utf8) && scheme != Array("https".utf8)
    }

    private static func own(_ mount: [UInt8], _ rest: [UInt8]) -> [UInt8] {
        guard mount.isEmpty else { return mount + rest }
        guard rest.first == 0x2F else { return [0x2F] + rest }
        // Two slashes at the start would name another host.
        return rest.starts(with: [0x2F, 0x2F]) ? [0x2F, 0x2E] + rest : rest
    }
}
