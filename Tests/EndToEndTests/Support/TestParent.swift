import TestSupport

/// A proxy that the daemon may reach origins through: it connects on to 127.0.0.1 whatever host it is asked for.
final class TestParent: Sendable {
    enum Kind { case http, socks }

    /// What it was asked.
    struct Visit: Sendable {
        /// The request line; of SOCKS `name HOST:PORT` or `address HOST:PORT`.
        var line: String
        var fields = FieldLines()
        /// `USER:PASSWORD` that SOCKS was given.
        var login: String?
    }

    /// Speaks in the proxy's place; an error closes the connection.
    typealias Script = @Sendable (WireReader) throws -> Void

    private let listener: TestListener
    private let visits = SharedValue<[Visit]>([])

    /// - Parameters:
    ///   - wantsLogin: of SOCKS.
    ///   - answer: given to requests with absolute targets.
    init(
        _ kind: Kind,
        wantsLogin: Bool = false,
        answer: @escaping @Sendable (MessageHead) -> String = { _ in "" }
    ) throws {
        listener = try TestListener()
        serve { [visits] reader in
            switch kind {
            case .http: try Self.http(reader, visits, answer)
            case .socks: try Self.socks(reader, visits, wantsLogin: wantsLogin)
            }
        }
    }

    init(script: @escaping Script) throws {
        listener = try TestListener()
        serve(script)
    }

    deinit { listener.interrupt() }

    var authority: String { "127.0.0.1:\(listener.port)" }
    var asked: [Visit] { visits.current }

    private func serve(_ script: @escaping Script) {
        let listener = listener
        _ = BackgroundThread {
            while let socket = listener.accept() {
                _ = BackgroundThread { try? script(WireReader(socket)) }
            }
        }
    }

    private static func http(
        _ reader: WireReader,
        _ visits: SharedValue<[Visit]>,
        _ answer: (MessageHead) -> String
    ) throws {
        while let head = try reader.head() {
            visits.update { $0.append(Visit(line: head.startLine, fields: head.fields)) }
            guard head.words[0] == "CONNECT" else {
                try reader.socket.send(answer(head))
                continue
            }
            let port = head.words[1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
            let far = try TestSocket(port: port)
            try reader.socket.send("HTTP/1.1 200 Connection established\r\n\r\n")
            return try relay(reader, far)
        }
    }

    private static func socks(_ reader: WireReader, _ visits: SharedValue<[Visit]>, wantsLogin: Bool) throws {
        let greeting = try reader.bytes(exactly: 2)
        let methods = try reader.bytes(exactly: Int(greeting[1]))
        var login: String?
        if wantsLogin {
            guard methods.contains(2) else { return try reader.socket.send([5, 0xFF]) }
            try reader.socket.send([5, 2])
            let user = try reader.bytes(exactly: Int(try reader.bytes(exactly: 2)[1]))
            let password = try reader.bytes(exactly: Int(try reader.bytes(exactly: 1)[0]))
            login = String(decoding: user + [0x3A] + password, as: UTF8.self)
            try reader.socket.send([1, 0])
        } else {
            try reader.socket.send([5, 0])
        }
        let kind = try reader.bytes(exactly: 4)[3]
        let host: String
        switch kind {
        case 1: host = try reader.bytes(exactly: 4).map { "\($0)" }.joined(separator: ".")
        case 3:
            host = String(decoding: try reader.bytes(exactly: Int(try reader.bytes(exactly: 1)[0])), as: UTF8.self)
        default: host = "v6 \(try reader.bytes(exactly: 16))"
        }
        let bytes = try reader.bytes(exactly: 2)
        let port = UInt16(bytes[0]) << 8 | UInt16(bytes[1])
        visits.update { $0.append(Visit(line: "\(kind == 3 ? "name" : "address") \(host):\(port)", login: login)) }
        let far = try TestSocket(port: port)
        try reader.socket.send([5, 0, 0, 1, 127, 0, 0, 1, 0, 0])
        try relay(reader, far)
    }

    /// Carries bytes both ways until both sides have ended.
    private static func relay(_ near: WireReader, _ far: TestSocket) throws {
        let socket = near.socket
        let back = BackgroundThread {
            while let bytes = try? far.receive(), !bytes.isEmpty, (try? socket.send(bytes)) != nil {}
            socket.finishSending()
        }
        while let bytes = try? near.bytes(upTo: 65_536), !bytes.isEmpty, (try? far.send(bytes)) != nil {}
        far.finishSending()
        try back.join()
    }
}
