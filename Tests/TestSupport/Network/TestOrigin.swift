import Glibc
import Locking

/// A server that runs a script for each connection, on a thread of its own.
///
/// It serves until `close()`, also without a reference to it.
public final class TestOrigin: Sendable {
    public var port: UInt16 { listener.port }
    private let listener: TestListener
    private let accepted = Lock(0)

    /// How many connections clients have made.
    public var connections: Int { accepted.withLock { $0 } }

    /// - Parameters:
    ///   - site: makes it speak TLS.
    ///   - script: gets each connection with its number, from 0; the connection closes when the script returns.
    public init(site: TestSite? = nil, _ script: @escaping @Sendable (OriginPeer, Int) -> Void) {
        do {
            listener = try TestListener(backlog: 128)
        } catch {
            preconditionFailure("\(error)")
        }
        BackgroundThread { [self] in serve(site, script) }
    }

    private func serve(_ site: TestSite?, _ script: @escaping @Sendable (OriginPeer, Int) -> Void) {
        while let descriptor = listener.acceptDescriptor() {
            let number = accepted.withLock { count in
                defer { count += 1 }
                return count
            }
            // The handshake, too, is on the connection's own thread.
            BackgroundThread { script(OriginPeer(TestSocket(adopting: descriptor, site: site)), number) }
        }
    }

    /// Accepts no more connections.
    public func close() { listener.interrupt() }
}

/// One connection at a `TestOrigin`; its calls block.
///
/// `@unchecked Sendable`: one thread at a time reads, and one at a time sends.
public final class OriginPeer: @unchecked Sendable {
    private let socket: TestSocket
    private var unread: [UInt8] = []

    init(_ socket: TestSocket) {
        self.socket = socket
        socket.setTimeout(seconds: 60)
    }

    /// Our end of TLS; nil: plain TCP.
    public var security: BlockingTLS? { socket.security }

    private func receive() -> Bool {
        guard case .bytes(let bytes) = socket.receiveSome() else { return false }
        unread += bytes
        return true
    }

    /// Whether the connection ends, no matter what arrives before; false if nothing arrives for a minute.
    public func hasEnded() -> Bool {
        while true {
            switch socket.receiveSome() {
            case .bytes: continue
            case .end, .reset: return true
            case .timeout: return false
            }
        }
    }

    /// Bytes up to the end of `suffix`; nil if the connection ends first.
    public func read(through suffix: String) -> String? {
        let wanted = Array(suffix.utf8)
        while true {
            if unread.count >= wanted.count {
                for end in wanted.count...unread.count where Array(unread[end - wanted.count..<end]) == wanted {
                    defer { unread.removeFirst(end) }
                    return String(decoding: unread[..<end], as: UTF8.self)
                }
            }
            guard receive() else { return nil }
        }
    }

    /// Whether there are bytes that nobody has read.
    public var hasInput: Bool {
        var byte: UInt8 = 0
        return !unread.isEmpty || recv(socket.descriptor, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)) > 0
    }

    /// A request's head.
    public func readHead() -> String? { read(through: "\r\n\r\n") }

    /// Exactly `count` bytes; fewer only at the end of the connection.
    public func read(_ count: Int) -> [UInt8] {
        while unread.count < count, receive() {}
        defer { unread.removeFirst(min(count, unread.count)) }
        return Array(unread.prefix(count))
    }

    /// Everything up to the end of the connection.
    public func readAll() -> String {
        while receive() {}
        defer { unread = [] }
        return String(decoding: unread, as: UTF8.self)
    }

    /// Sends all bytes; false if the connection broke.
    @discardableResult
    public func send(_ bytes: [UInt8]) -> Bool { (try? socket.send(bytes)) != nil }

    @discardableResult
    public func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends no more; reading continues.
    public func shutdownWrite() { socket.finishSending() }

    /// Makes the connection end with a reset.
    public func reset() { socket.resetWhenClosed() }
}
