/// A request's head, as RFC 9112 and our stricter rules read it.
public struct ReferenceRequest: Equatable, Sendable {
    public enum Form: Equatable, Sendable { case origin, absolute, authority, asterisk }

    public var method: [UInt8]
    /// 0 or 1.
    public var minor: Int
    public var form: Form
    public var target: [UInt8]
    public var scheme: String?
    /// Of the target, or of Host where the target has none; empty if there is neither.
    public var host: [UInt8]
    public var port: Int?
    public var path: [UInt8]
    public var fields: [ReferenceField]
    public var framing: ReferenceFraming
    public var isPersistent: Bool
    public var expectsContinue: Bool

    /// As read elsewhere, to be compared.
    public init(
        method: [UInt8],
        minor: Int,
        form: Form,
        target: [UInt8],
        scheme: String? = nil,
        host: [UInt8] = [],
        port: Int? = nil,
        path: [UInt8] = [],
        fields: [ReferenceField] = [],
        framing: ReferenceFraming = .none,
        isPersistent: Bool = false,
        expectsContinue: Bool = false
    ) {
        self.method = method
        self.minor = minor
        self.form = form
        self.target = target
        self.scheme = scheme
        self.host = host
        self.port = port
        self.path = path
        self.fields = fields
        self.framing = framing
        self.isPersistent = isPersistent
        self.expectsContinue = expectsContinue
    }

    /// Reads the request `input` begins with.
    public static func read(_ input: [UInt8], bounds: Bounds, hostMustMatchTarget: Bool) -> Verdict<ReferenceRequest> {
        do {
            var reader = RequestReader(input, bounds)
            let request = try reader.read(hostMustMatchTarget: hostMustMatchTarget)
            return .message(request, consumed: reader.at)
        } catch let refusal as Refusal {
            return .refused(refusal.statuses)
        } catch {
            return .incomplete
        }
    }
}

private struct RequestReader {
    let input: [UInt8]
    let bounds: Bounds
    var at = 0

    init(_ input: [UInt8], _ bounds: Bounds) {
        self.input = input
        self.bounds = bounds
    }

    mutating func read(hostMustMatchTarget: Bool) throws -> ReferenceRequest {
        try skipEmptyLines()
        var request = try requestLine()
        try SectionOfRequest(bounds: bounds, hostMustMatchTarget: hostMustMatchTarget)
            .read(input, from: &at, into: &request)
        return request
    }

    /// H-002.
    private mutating func skipEmptyLines() throws {
        var count = 0
        while true {
            guard at < input.count else { throw Unfinished() }
            guard input[at] == carriageReturn else { return }
            guard at + 1 < input.count else { throw Unfinished() }
            guard input[at + 1] == lineFeed else { throw Refusal(400) }
            count += 1
            if count > bounds.emptyLines { throw Refusal(400) }
            at += 2
        }
    }

    /// H-001 to H-014: method SP target SP version CRLF.
    private mutating func requestLine() throws -> ReferenceRequest {
        let method = try word(limit: bounds.method, tooLong: 400, isTokenCharacter)
        let target = try word(limit: bounds.target, tooLong: 414) { (33...126).contains($0) && $0 != byte("#") }
        let minor = try version()
        var request = ReferenceRequest(method: method, minor: minor, form: .origin, target: target)
        try judgeTarget(&request)
        return request
    }

    /// One word of allowed bytes, not empty, with the space behind it.
    private mutating func word(limit: Int, tooLong: Int, _ isAllowed: (UInt8) -> Bool) throws -> [UInt8] {
        var word: [UInt8] = []
        while true {
            guard at < input.count else { throw Unfinished() }
            let next = input[at]
            at += 1
            if isAllowed(next) {
                word.append(next)
                if word.count > limit { throw Refusal(tooLong) }
            } else if next == space, !word.isEmpty {
                return word
            } else {
                throw Refusal(400)
            }
        }
    }

    /// The minor version, 2 to 9 read as 1 (H-007 to H-009).
    private mutating func version() throws -> Int {
        let rest = Array(input[at...].prefix(10))
        for (place, found) in rest.enumerated() {
            let isRight =
                switch place {
                case 5, 7: isDigit(found)
                case 8: found == carriageReturn
                case 9: found == lineFeed
                default: found == bytes("HTTP/d.d")[place]
                }
            guard isRight else {
                // Another major version is that, whatever stands behind it.
                throw place > 5 && rest[5] != byte("1") ? Refusal(400, 505) : Refusal(400)
            }
        }
        if rest.count > 5, rest[5] != byte("1") { throw Refusal(505) }
        guard rest.count == 10 else { throw Unfinished() }
        at += 10
        return rest[7] == byte("0") ? 0 : 1
    }

    /// The four forms (H-010, H-017, H-061, H-079).
    private func judgeTarget(_ request: inout ReferenceRequest) throws {
        let target = request.target
        if request.method == bytes("CONNECT") {
            guard let authority = ReferenceAuthority(target), authority.port != nil else { throw Refusal(400) }
            (request.form, request.host, request.port) = (.authority, authority.host, authority.port)
        } else if target[0] == byte("/") {
            request.path = target
        } else if target == bytes("*") {
            guard request.method == bytes("OPTIONS") else { throw Refusal(400) }
            request.form = .asterisk
        } else {
            try judgeAbsolute(&request)
        }
    }

    private func judgeAbsolute(_ request: inout ReferenceRequest) throws {
        request.form = .absolute
        for scheme in ["http", "https"] {
            let prefix = bytes(scheme + "://")
            guard lowercased(Array(request.target.prefix(prefix.count))) == prefix else { continue }
            let rest = request.target.dropFirst(prefix.count)
            let end = rest.firstIndex { $0 == byte("/") || $0 == byte("?") } ?? rest.endIndex
            guard let authority = ReferenceAuthority(Array(rest[..<end])) else { throw Refusal(400) }
            (request.scheme, request.host, request.port) = (scheme, authority.host, authority.port)
            request.path = Array(rest[end...])
            return
        }
        throw Refusal(400)
    }
}
