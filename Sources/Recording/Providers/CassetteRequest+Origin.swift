import Cassettes
import Exchanges
import HTTPCore

extension CassetteRequest {
    /// A request as it goes to an origin.
    ///
    /// What the proxy itself adds, or what differs between any two runs, is left out.
    init(_ request: OriginRequest, content: [UInt8]) {
        self.init(
            method: request.method.text,
            url: request.uri.text,
            fields: request.fields.recorded.filter { !Self.omitted.contains($0.name.lowercased()) },
            content: content
        )
    }

    private static let omitted: Set<String> = ["via", "traceparent", "tracestate"]
}

extension Fields {
    /// The lines as a cassette has them.
    var recorded: [CassetteField] {
        lines.map { line in
            CassetteField(
                String(decoding: name(of: line), as: UTF8.self),
                String(decoding: value(of: line), as: UTF8.self)
            )
        }
    }

    /// Fields of a cassette, without fields that concern one connection.
    init(_ recorded: [CassetteField]) {
        self.init()
        for field in recorded { append(name: field.name, value: field.value) }
        HopByHop.strip(response: &self)
    }
}

extension OriginRequest {
    /// Why an exchange like this is never recorded; nil if it may be.
    var unrecordableKind: String? {
        if upgrade != nil { return "WebSockets and other upgrades" }
        return isServerWide ? "requests for a server as a whole (OPTIONS *)" : nil
    }

    /// Whether no content follows.
    var hasNoContent: Bool { framing == .none || framing == .length(0) }
}
