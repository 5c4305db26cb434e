/// The field section of a request: what it says of routing, framing and the connection.
struct SectionOfRequest {
    let bounds: Bounds
    let hostMustMatchTarget: Bool

    private struct Findings {
        var host: ReferenceAuthority?
        var length: Int64?
        var isChunked = false
        var connection = ReferenceConnection()
        var expectsContinue = false
    }

    func read(_ input: [UInt8], from at: inout Int, into request: inout ReferenceRequest) throws {
        var section = FieldSection(input, from: at, limit: bounds.section, tooLarge: 431)
        var findings = Findings()
        while let field = try section.next() {
            if resemblesFraming(field.name) { continue }
            if request.fields.count == bounds.lines { throw Refusal(431) }
            if try note(field, &findings, request) { request.fields.append(field) }
        }
        at = section.at
        try settle(findings, &request)
    }

    /// Whether the line is kept.
    private func note(_ field: ReferenceField, _ findings: inout Findings, _ request: ReferenceRequest) throws -> Bool {
        let name = String(decoding: lowercased(field.name), as: UTF8.self)
        switch name {
        case "host":
            // H-056 to H-058.
            guard findings.host == nil, let authority = ReferenceAuthority(field.value) else { throw Refusal(400) }
            findings.host = authority
        case "content-length":
            // H-032 to H-036, H-050.
            guard findings.length == nil, !findings.isChunked, !field.value.isEmpty, field.value.allSatisfy(isDigit)
            else { throw Refusal(400) }
            guard let length = number(field.value), length <= bounds.content ?? .max else { throw Refusal(413) }
            findings.length = length
        case "transfer-encoding":
            // H-036 to H-038.
            guard !findings.isChunked, findings.length == nil, request.minor == 1 else { throw Refusal(400) }
            switch judgeCodings(field.value) {
            case .chunked: findings.isChunked = true
            case .unknown: throw Refusal(501)
            case .wrong: throw Refusal(400)
            }
        case "connection":
            findings.connection.note(field.value)
            if findings.connection.isOdd { throw Refusal(400) }
        case "expect":
            // H-075.
            if field.value.isEmpty { break }
            guard lowercased(field.value) == bytes("100-continue") else { throw Refusal(417) }
            findings.expectsContinue = true
        case "authorization", "range", "if-range", "max-forwards":
            // H-026: twice with one value is once.
            for earlier in request.fields where lowercased(earlier.name) == bytes(name) {
                if earlier.value != field.value { throw Refusal(400) }
                return false
            }
        default: break
        }
        return true
    }

    private func settle(_ findings: Findings, _ request: inout ReferenceRequest) throws {
        let isConnect = request.form == .authority
        if isConnect, findings.isChunked || findings.length ?? 0 > 0 { throw Refusal(400) }
        if findings.host == nil, request.minor == 1 { throw Refusal(400) }
        if let host = findings.host {
            switch request.form {
            case .origin, .asterisk: (request.host, request.port) = (host.host, host.port)
            case .authority:
                // H-066: a Host without a port is that of the usual one.
                guard agree(host, request, whereNone: [443, 80]) else { throw Refusal(400) }
            case .absolute:
                guard !hostMustMatchTarget || agree(host, request, whereNone: [request.scheme == "https" ? 443 : 80])
                else { throw Refusal(400) }
            }
        }
        request.framing = findings.isChunked ? .chunked : findings.length.map { .length($0) } ?? .none
        request.isPersistent = findings.connection.isPersistent(minor: request.minor)
        request.expectsContinue = findings.expectsContinue && request.minor == 1
    }

    private func agree(_ host: ReferenceAuthority, _ request: ReferenceRequest, whereNone ports: [Int]) -> Bool {
        guard lowercased(host.host) == lowercased(request.host) else { return false }
        switch (host.port, request.port) {
        case (let one?, let other?): return one == other
        case (nil, nil): return true
        case (let port?, nil), (nil, let port?): return ports.contains(port)
        }
    }
}
