/// The first message of a client's TLS connection (RFC 8446 §4.1.2), read before the server sends anything.
public struct ClientHello: Sendable, Hashable {
    /// The result of reading a client's first bytes.
    public enum Reading: Sendable, Hashable {
        /// This many bytes are needed, or more.
        case incomplete(needs: Int)
        /// The bytes are not TLS.
        case notTLS
        /// The bytes begin like TLS, but are not a valid ClientHello.
        case malformed
        case hello(ClientHello)
    }

    /// The host that the client wants (SNI), as sent; nil if it names none.
    public var serverName: [UInt8]?
    /// The protocols that the client offers by ALPN; nil if it offers none.
    public var protocols: [[UInt8]]?

    public init(serverName: [UInt8]? = nil, protocols: [[UInt8]]? = nil) {
        self.serverName = serverName
        self.protocols = protocols
    }

    /// Whether the client accepts HTTP/1.1.
    public var offersHTTP1: Bool { protocols?.contains(Array("http/1.1".utf8)) ?? true }

    /// The most bytes of a hello with its records; the largest of browsers, with post-quantum keys, have 2,000.
    private static let limit = 16_384

    /// Reads the first bytes of a connection without consuming them.
    ///
    /// Each call reads all bytes again: call it again only with as many as it needs.
    public static func read(_ input: Span<UInt8>) -> Reading {
        guard input.count > 0 else { return .incomplete(needs: 1) }
        // A record of the handshake (22), version 3.x.
        guard input[0] == 22, input.count < 2 || input[1] == 3 else { return .notTLS }
        guard let message = gather(input) else { return .malformed }
        guard message.count >= 4 else {
            return incomplete(input, missing: input.count < 5 ? 9 - input.count : 4 - message.count)
        }
        guard message[0] == 1 else { return .malformed }
        let length = Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
        guard length <= limit else { return .malformed }
        guard message.count >= 4 + length else { return incomplete(input, missing: 4 + length - message.count) }
        var reader = HelloReader(rest: message[4..<4 + length])
        return reader.hello().map { .hello($0) } ?? .malformed
    }

    private static func incomplete(_ input: Span<UInt8>, missing: Int) -> Reading {
        input.count < limit ? .incomplete(needs: min(input.count + missing, limit)) : .malformed
    }

    /// The content of the records received so far; nil if one of them is not a handshake record.
    private static func gather(_ input: Span<UInt8>) -> [UInt8]? {
        var message: [UInt8] = []
        var at = 0
        while at < input.count {
            guard input[at] == 22 else { return nil }
            guard at + 5 <= input.count else { break }
            let length = Int(input[at + 3]) << 8 | Int(input[at + 4])
            guard input[at + 1] == 3, (1...16_384).contains(length) else { return nil }
            for index in at + 5..<min(at + 5 + length, input.count) { message.append(input[index]) }
            at += 5 + length
            // Bytes after the hello are ignored.
            guard message.count < 4 || message.count < 4 + length24(message) else { break }
        }
        return message
    }

    private static func length24(_ message: [UInt8]) -> Int {
        Int(message[1]) << 16 | Int(message[2]) << 8 | Int(message[3])
    }
}

/// Reads one hello; every part must have the length it announces.
private struct HelloReader {
    var rest: ArraySlice<UInt8>

    mutating func hello() -> ClientHello? {
        // Version, random, session, ciphers, compressions.
        guard take(2) != nil, take(32) != nil, vector(1) != nil, let ciphers = vector(2), !ciphers.isEmpty,
            vector(1) != nil
        else { return nil }
        var hello = ClientHello()
        guard !rest.isEmpty else { return hello }
        guard let extensions = vector(2), rest.isEmpty else { return nil }
        var reader = HelloReader(rest: extensions)
        while !reader.rest.isEmpty {
            guard let kind = reader.number(2), let content = reader.vector(2) else { return nil }
            var inner = HelloReader(rest: content)
            switch kind {
            case 0:
                guard let name = inner.serverName() else { return nil }
                hello.serverName = name
            case 16:
                guard let protocols = inner.protocols() else { return nil }
                hello.protocols = protocols
            default: break
            }
        }
        return hello
    }

    /// Reads a list whose only kind of entry is a host name (RFC 6066 §3).
    private mutating func serverName() -> [UInt8]? {
        guard let list = vector(2) else { return nil }
        var reader = HelloReader(rest: list)
        guard reader.number(1) == 0, let name = reader.vector(2), !name.isEmpty else { return nil }
        return Array(name)
    }

    /// Reads the list of protocols (RFC 7301 §3.1).
    private mutating func protocols() -> [[UInt8]]? {
        guard let list = vector(2) else { return nil }
        var reader = HelloReader(rest: list)
        var protocols: [[UInt8]] = []
        while !reader.rest.isEmpty {
            guard let name = reader.vector(1), !name.isEmpty else { return nil }
            protocols.append(Array(name))
        }
        return protocols.isEmpty ? nil : protocols
    }

    private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
        guard rest.count >= count else { return nil }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    private mutating func number(_ bytes: Int) -> Int? { take(bytes)?.reduce(0) { $0 << 8 | Int($1) } }

    /// Reads bytes that follow their count.
    private mutating func vector(_ bytes: Int) -> ArraySlice<UInt8>? { number(bytes).flatMap { take($0) } }
}
