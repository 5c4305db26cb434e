import Eventing
public import HTTPCore

/// Error responses of ours: problem documents that no cache stores.
public enum ProblemResponse {
    /// The fields of a response with `problem`: type, `no-store`, `Proxy-Status`, `Date`.
    /// - Parameter status: our member of `Proxy-Status`; by default one that blames the request.
    public static func fields(_ problem: ProblemDocument, status: ProxyStatus? = nil, at now: HTTPDate) -> Fields {
        var fields = Fields()
        fields.append(.date, now.bytes)
        fields.append(.contentType, String(describing: ProblemDocument.mediaType))
        fields.append(.cacheControl, "no-store")
        fields.append(name: "X-Content-Type-Options", value: "nosniff")
        fields.append(.proxyStatus, (status ?? ProxyStatus(error: .httpRequestError, details: problem.detail)).bytes)
        return fields
    }

    /// Appends a complete response, if the request has no exchange.
    static func append(
        _ problem: ProblemDocument,
        fields: Fields,
        connection: ConnectionOption,
        to output: inout [UInt8]
    ) {
        let content = problem.json
        HeadSerializer.appendResponse(
            status: problem.status,
            fields: fields,
            framing: .length(Int64(content.count)),
            connection: connection,
            to: &output
        )
        output.append(contentsOf: content)
    }
}

extension ProblemDocument {
    /// The detail as a reason phrase, for CONNECT: clients show the phrase of a refused one, and drop the content.
    ///
    /// At most 200 bytes of visible ASCII and spaces (RFC 9112 §4); empty if the detail has none.
    var reasonPhrase: [UInt8] {
        detail.utf8.prefix(200).map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    }
}

extension ServerExchange {
    /// Responds with a problem document (RFC 9457), or with a page if a browser has opened the URL.
    ///
    /// Without effect once a response has begun. A client of SOCKS gets the reply that comes nearest.
    ///
    /// - Parameters:
    ///   - status: our member of `Proxy-Status`; by default one that blames the request.
    ///   - fields: further fields.
    public func respond(_ problem: ProblemDocument, status: ProxyStatus? = nil, fields: [(KnownField, String)] = []) {
        if socks != nil {
            reply(SOCKSReply(status: problem.status, error: status?.error), problem.status)
            return finish()
        }
        var all = ProblemResponse.fields(problem, status: status, at: loop.wallNow)
        for (field, value) in fields { all.append(field, value) }
        // No cache stores it, so it needs no Vary.
        let isPage = ProblemPage.isWanted(by: head)
        if isPage {
            all.set(.contentType, ProblemPage.mediaType)
            all.append(name: "Content-Security-Policy", value: ProblemPage.policy)
        }
        let bytes = isPage ? ProblemPage(problem: problem).bytes : problem.json
        respond(
            problem.status,
            reason: head.method == .connect ? problem.reasonPhrase : [],
            fields: all,
            content: ByteChunk(bytes)
        )
    }
}
