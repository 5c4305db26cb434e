import Eventing
import Explaining
import Formats
import HTTPCaching
import HTTPCore
import HTTPServer
import ResourceCore

extension AdminResponder {
    /// `GET /v1/explain?url=…&header=…`: how a request with these fields would be answered now, and why; a GET, or the
    /// `method`.
    ///
    /// The request is handled as on the forward route, including the fields that services add to all requests.
    func explain(_ exchange: ServerExchange, _ request: AdminRequest) throws(AdminRefusal) {
        guard let text = request["url"], let uri = try? TargetURI(identifying: text) else {
            throw AdminRefusal(400, "`url` must be an absolute http or https URL")
        }
        var fields = Fields()
        for line in request.values(of: "header") {
            guard let (name, value) = Self.field(line) else {
                throw AdminRefusal(400, "`header` must be a field line such as Accept-Language: de")
            }
            fields.append(name: name, value: value)
        }
        let name = Array((request["method"] ?? "GET").utf8)
        guard Token.isToken(name.span) else { throw AdminRefusal(400, "`method` must be a method such as GET") }
        let method = Method(name.span)
        HopByHop.strip(request: &fields)
        let bound = LoopBound(exchange, loop: loop)
        let tunnel = uri.scheme == .https ? source.tunnelNote(uri) : nil
        source.service.resource(for: uri).explain(method, fields, source.forwarded) { [source, fields] explanation in
            source.withSharedNote(uri, method, fields) { shared in
                bound.submit { exchange in
                    exchange.reply { explanation.write(asked: uri, tunnel: tunnel, shared: shared, to: &$0) }
                }
            }
        }
    }

    private static func field(_ line: String) -> (name: [UInt8], value: [UInt8])? {
        let bytes = Array(line.utf8)
        guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = Array(bytes[..<colon])
        var value = bytes[(colon + 1)...]
        while let first = value.first, first == 0x20 || first == 0x09 { value.removeFirst() }
        while let last = value.last, last == 0x20 || last == 0x09 { value.removeLast() }
        guard Token.isToken(name.span), value.allSatisfy({ ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }) else {
            return nil
        }
        return (name, Array(value))
    }
}

extension AdminSource {
    /// Gives a sentence about what the shared server has for a request, on any thread; nil: nodes share nothing.
    func withSharedNote(
        _ uri: TargetURI,
        _ method: Method = .get,
        _ fields: Fields = Fields(),
        _ completion: @escaping @Sendable (String?) -> Void
    ) {
        guard let note = sharedNote else { return completion(nil) }
        note(service.resource(for: uri).facts(method, fields, forwarded)) { completion($0) }
    }
}

extension Explanation {
    /// - Parameters:
    ///   - tunnel: a sentence about what happens to a CONNECT to its origin.
    ///   - shared: one about what the shared server has.
    func write(asked: TargetURI, tunnel: String? = nil, shared: String? = nil, to writer: inout JSONWriter) {
        writer.member("url", bytes: asked.bytes)
        writer.member("key", bytes: uri.bytes)
        writer.member("method", bytes: method.bytes)
        if let service { writer.member("service", service) }
        writer.memberArray("rules") { writer in for rule in rules { writer.text(rule) } }
        writer.member("mode", mode.rawValue)
        writer.memberArray("partitions") { writer in
            for (name, fields) in partitions {
                writer.object { writer in
                    writer.member("name", name)
                    writer.memberArray("fields") { writer in for field in fields { writer.text(field) } }
                }
            }
        }
        writer.member("outcome", action.rawValue)
        if let cacheStatus { writer.member("cacheStatus", cacheStatus) }
        writer.memberArray("reasons") { Self.write(notes, to: &$0) }
        writer.memberArray("variants") { writer in
            for variant in variants {
                writer.object { writer in
                    writer.member("status", Int(variant.stored.status))
                    writer.member("partition", variant.partition ?? "another credential's")
                    writer.member("isSelected", variant.isSelected)
                    writer.memberArray("differsIn") { writer in for name in variant.differsIn { writer.text(name) } }
                    writer.member("ageSeconds", variant.ageSeconds)
                    writer.memberArray("tags") { writer in for tag in variant.tags { writer.text(tag) } }
                    writer.memberArray("reasons") { Self.write(variant.notes, to: &$0) }
                }
            }
        }
        if let tunnel { writer.member("tunnel", tunnel) }
        if let shared { writer.member("shared", shared) }
        writer.memberArray("text") { writer in
            for line in text { writer.text(line) }
            if let tunnel { writer.text(tunnel) }
            if let shared { writer.text(shared) }
        }
    }

    static func write(_ notes: [DecisionNote], to writer: inout JSONWriter) {
        for note in notes {
            writer.object { writer in
                writer.member("word", note.word)
                writer.member("sentence", note.sentence)
                writer.member("section", note.section)
                if let remedy = note.remedy { writer.member("remedy", remedy) }
            }
        }
    }
}
