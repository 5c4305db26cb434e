import HTTPCore

/// Keeps web pages of other sites from using a service, with a credential or without.
enum ServiceGuard {
    /// What a page may do with a service.
    enum Verdict: Equatable {
        /// The request comes from no page, or from a page of our own origin.
        case own
        /// The request comes from a page of this listed origin, spelt as sent.
        case listed([UInt8])
        case refused(Refusal)
    }

    /// - Parameter ownOrigin: the origin whose pages may use the service anyway, in lower case.
    static func verdict(_ head: RequestHead, _ service: NamedService, ownOrigin: [UInt8]) -> Verdict {
        let page = RequestingPage(head.fields)
        let origins = page.origins
        if service.isOpenToAllPages {
            return origins.count == 1 ? .listed(origins[0]) : origins.isEmpty ? .own : refused(service)
        }
        if origins.count == 1, service.route.allowOrigins.contains(origins[0].map(\.asciiLowercased)) {
            return .listed(origins[0])
        }
        return origins.count <= 1 && page.isOf(ownOrigin) && !page.isOfOtherSite ? .own : refused(service)
    }

    private static func refused(_ service: NamedService) -> Verdict {
        .refused(
            Refusal(
                403,
                "another web site may not use this service\(service.injects ? ", which adds a credential" : ""); "
                    + "`allow-origins` of [service.\(service.route.name)] lists the sites that may, whose pages then read its "
                    + "answers"
            )
        )
    }

    /// Limits the fields that let pages of other origins read a response to the listed origin, exactly.
    static func limitSharing(_ fields: inout Fields, of service: NamedService, with origin: [UInt8]?) {
        let copy = fields
        let prefix = Array("access-control-".utf8)
        let allowOrigin = Array("access-control-allow-origin".utf8)
        fields.removeLines { line in
            let name = copy.name(of: line).map(\.asciiLowercased)
            return name.starts(with: prefix) && (origin == nil || name == allowOrigin)
        }
        if let origin { fields.append(name: Array("Access-Control-Allow-Origin".utf8), value: origin) }
        guard !service.route.allowOrigins.isEmpty else {
            // Browsers that do not say which page asks learn from this field which pages may have the response.
            let policy = Array("Cross-Origin-Resource-Policy".utf8)
            fields.remove(named: policy)
            return fields.append(name: policy, value: Array("same-origin".utf8))
        }
        let varies = ListMembers.members(of: .vary, in: fields).contains { member in
            member == [0x2A] || Token.matches(member.span, "origin")
        }
        if !varies { fields.append(.vary, "Origin") }
    }
}
