import Glibc
import HTTPCore
import Locking
import Platform

@testable import Eventing

/// A name server on 127.0.0.1, by UDP and TCP, on threads of its own.
final class FakeNameServer: Sendable {
    /// What a question is answered with.
    struct Reply: Sendable {
        var code: UInt8 = 0
        var v4: [UInt32] = []
        var v6: [(UInt64, UInt64)] = []
        /// The name that the question's is an alias of.
        var alias: String?
        var timeToLive: UInt32 = 60
        /// Whether a datagram says that only TCP has the whole answer.
        var isTruncated = false
        /// Datagrams sent before the answer; their first two bytes are put in the place of the identifier, if there are
        /// any.
        var garbage: [[UInt8]] = []
        /// Whether an answer of another identifier, and one to another question, come first; both with the address
        /// 6.6.6.6.
        var isSpoofed = false
    }

    typealias Script = @Sendable (_ name: String, _ isV6: Bool) -> Reply?

    private let datagrams: Int32
    private let listener: Int32
    let address: SocketAddress
    private let state: Lock<(script: Script, asked: [String], byTCP: Int)>

    /// - Parameter script: nil for no answer at all.
    init(_ script: @escaping Script) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var found: (Int32, SocketAddress)?
        // A port that is free for both.
        for _ in 0..<50 where found == nil {
            let candidate = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
            let wish = SocketAddress.ip(.v4(0x7F00_0001), port: 0)
            _ = wish.withSockaddr { bind(candidate, $0, $1) }
            let bound = SocketAddress.reading { getsockname(candidate, $0, $1) }
            if let bound, bound.withSockaddr({ bind(listener, $0, $1) }) == 0 { found = (candidate, bound) }
        }
        guard let found else { throw EventError(.cannotOpen, "no port for a name server") }
        self.listener = listener
        (datagrams, address) = found
        listen(listener, 8)
        state = Lock((script, [], 0))
        let (one, other) = (datagrams, listener)
        _ = try Thread(name: "dns-udp") { [weak self] in Self.serveDatagrams(one, self) }
        _ = try Thread(name: "dns-tcp") { [weak self] in Self.serveStreams(other, self) }
    }

    deinit {
        shutdown(datagrams, Int32(SHUT_RDWR))
        shutdown(listener, Int32(SHUT_RDWR))
    }

    var script: Script {
        get { state.withLock { $0.script } }
        set { state.withLock { $0.script = newValue } }
    }
    /// The names asked for, IPv4 questions only.
    var asked: [String] { state.withLock { $0.asked } }
    var questionsByTCP: Int { state.withLock { $0.byTCP } }

    private static func serveDatagrams(_ descriptor: Int32, _ server: @autoclosure () -> FakeNameServer?) {
        var buffer = [UInt8](repeating: 0, count: 2048)
        while true {
            var count = 0
            let peer = SocketAddress.reading { address, size in
                count = recvfrom(descriptor, &buffer, buffer.count, 0, address, size)
                return count > 0 ? 0 : -1
            }
            guard let peer, count > 12 else { break }
            guard let server = server() else { break }
            for message in server.messages(Array(buffer[..<count]), byTCP: false) {
                _ = peer.withSockaddr { sendto(descriptor, message, message.count, 0, $0, $1) }
            }
        }
        close(descriptor)
    }

    private static func serveStreams(_ listener: Int32, _ server: @autoclosure () -> FakeNameServer?) {
        while true {
            let stream = accept(listener, nil, nil)
            guard stream >= 0 else { break }
            defer { close(stream) }
            while true {
                var head: [UInt8] = [0, 0]
                guard recv(stream, &head, 2, Int32(MSG_WAITALL)) == 2 else { break }
                var query = [UInt8](repeating: 0, count: Int(head[0]) << 8 | Int(head[1]))
                guard recv(stream, &query, query.count, Int32(MSG_WAITALL)) == query.count else { break }
                guard let message = server()?.messages(query, byTCP: true).last else { break }
                let framed = [UInt8(message.count >> 8), UInt8(message.count & 0xFF)] + message
                send(stream, framed, framed.count, Int32(MSG_NOSIGNAL))
            }
        }
        close(listener)
    }

    private func messages(_ query: [UInt8], byTCP: Bool) -> [[UInt8]] {
        var (labels, index) = ([String](), 12)
        while index < query.count, query[index] > 0 {
            labels.append(String(decoding: query[(index + 1)...(index + Int(query[index]))], as: UTF8.self))
            index += 1 + Int(query[index])
        }
        let (name, isV6) = (labels.joined(separator: "."), query[index + 2] == 28)
        let script = state.withLock { state in
            if !isV6 { state.asked.append(name) }
            if byTCP { state.byTCP += 1 }
            return state.script
        }
        guard let reply = script(name, isV6) else { return [] }
        let question = Array(query[12..<(index + 5)])
        var messages: [[UInt8]] = reply.garbage.map { $0.count < 2 ? $0 : Array(query[..<2] + $0[2...]) }
        if reply.isSpoofed, !isV6 {
            let false4 = Reply(v4: [0x0606_0606])
            messages.append(Self.message([query[0] ^ 1, query[1]], question, false4, isV6, byTCP))
            var other = question
            other[1] ^= 1
            messages.append(Self.message(Array(query[..<2]), other, false4, isV6, byTCP))
        }
        return messages + [Self.message(Array(query[..<2]), question, reply, isV6, byTCP)]
    }

    private static func message(
        _ id: [UInt8],
        _ question: [UInt8],
        _ reply: Reply,
        _ isV6: Bool,
        _ byTCP: Bool
    ) -> [UInt8] {
        func record(_ owner: [UInt8], _ type: UInt8, _ data: [UInt8]) -> [UInt8] {
            let life = (0..<4).map { UInt8(truncatingIfNeeded: reply.timeToLive >> (24 - 8 * UInt32($0))) }
            return owner + [0, type, 0, 1] + life + [UInt8(data.count >> 8), UInt8(data.count & 0xFF)] + data
        }
        var (answers, owner): ([[UInt8]], [UInt8]) = ([], [0xC0, 12])
        if let alias = reply.alias {
            var encoded: [UInt8] = []
            for label in alias.split(separator: ".") { encoded += [UInt8(label.utf8.count)] + Array(label.utf8) }
            encoded.append(0)
            answers.append(record(owner, 5, encoded))
            owner = encoded
        }
        if isV6 {
            for (high, low) in reply.v6 {
                answers.append(record(owner, 28, withUnsafeBytes(of: (high.bigEndian, low.bigEndian)) { Array($0) }))
            }
        } else {
            for bits in reply.v4 { answers.append(record(owner, 1, withUnsafeBytes(of: bits.bigEndian) { Array($0) })) }
        }
        let isCut = reply.isTruncated && !byTCP
        let flags: [UInt8] = [0x81 | (isCut ? 2 : 0), 0x80 | reply.code]
        if isCut { answers = [] }
        return id + flags + [0, 1, 0, UInt8(answers.count), 0, 0, 0, 0] + question + answers.flatMap { $0 }
    }
}
