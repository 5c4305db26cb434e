import Dispatch
import Glibc

/// A client's connection, for one request and its response.
///
/// Its calls block threads of Dispatch, and never those that tasks run on.
final class Connection: Sendable {
    private static let queue = DispatchQueue(label: "connections", attributes: .concurrent)
    private static let headLimit = 8192
    private static let patience = Duration.seconds(5)

    private let descriptor: Int32

    /// Owns `descriptor`, a connected socket.
    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var time = timeval(tv_sec: Int(Self.patience.components.seconds), tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    deinit { close(descriptor) }

    /// The first line of the request, whose fields are not needed; nil if none came in time.
    func requestLine() async -> Substring? { await run { self.readHead()?.split(separator: "\r\n").first } }

    /// Sends a response; if the client has gone, nothing is left to do.
    func send(_ response: OutgoingResponse) async { await run { self.write(response.bytes) } }

    private func run<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            Self.queue.async { continuation.resume(returning: work()) }
        }
    }

    /// Reads up to the empty line; blocks.
    private func readHead() -> String? {
        let end = ContinuousClock.now + Self.patience
        var head: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1024)
        while head.count < Self.headLimit, ContinuousClock.now < end {
            let count = recv(descriptor, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            head += piece.prefix(count)
            let text = String(decoding: head, as: UTF8.self)
            if text.contains("\r\n\r\n") { return text }
        }
        return nil
    }

    /// Sends all bytes; blocks.
    private func write(_ bytes: [UInt8]) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
