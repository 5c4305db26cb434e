import Eventing
import Glibc
import HTTPCore
import Locking
import Platform

@testable import Eventing

/// A result that a test waits for; the first one counts.
final class Outcome<Value: Sendable>: Sendable {
    private struct State {
        var value: Result<Value, any Error>?
        var waiter: CheckedContinuation<Value, any Error>?
    }

    private let state = Lock(State())

    func succeed(_ value: Value) { finish(.success(value)) }

    func finish(_ result: Result<Value, any Error>) {
        let waiter = state.withLock { state -> CheckedContinuation<Value, any Error>? in
            guard state.value == nil else { return nil }
            state.value = result
            return state.waiter.take()
        }
        waiter?.resume(with: result)
    }

    func wait() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let ready = state.withLock { state -> Result<Value, any Error>? in
                if state.value == nil { state.waiter = continuation }
                return state.value
            }
            if let ready { continuation.resume(with: ready) }
        }
    }
}

/// Runs `body` on a loop with a thread of its own, and waits for the outcome; then the loop has ended.
func onLoop<Value: Sendable>(
    _ body: @escaping @Sendable (EventLoop, Outcome<Value>) throws -> Void
) async throws -> Value {
    let group = try LoopGroup(count: 1)
    let outcome = Outcome<Value>()
    group.handles[0].submit { loop in
        do { try body(loop, outcome) } catch { outcome.finish(.failure(error)) }
    }
    defer {
        group.stop()
        group.join()
    }
    return try await outcome.wait()
}

/// A delegate made of closures.
final class Scripted: StreamDelegate {
    var onRead: (Stream, [UInt8]) -> Int = { _, bytes in bytes.count }
    var onEnd: (Stream) -> Void = { _ in }
    var onDrain: (Stream) -> Void = { _ in }
    var onDeadline: (Stream) -> Void = { _ in }
    var onFail: (Stream, StreamError) -> Void = { _, _ in }

    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int { onRead(stream, [UInt8](copying: bytes)) }
    func streamDidReachEnd(_ stream: Stream) { onEnd(stream) }
    func streamDidDrain(_ stream: Stream) { onDrain(stream) }
    func streamDidReachDeadline(_ stream: Stream) { onDeadline(stream) }
    func stream(_ stream: Stream, didFail error: StreamError) { onFail(stream, error) }
}

extension Scripted {
    /// A delegate that reads to the end, and tells then what came.
    static func collecting(_ tell: @escaping ([UInt8]) -> Void) -> Scripted {
        let reader = Scripted()
        var got: [UInt8] = []
        reader.onRead = { _, bytes in
            got += bytes
            return bytes.count
        }
        reader.onEnd = { _ in tell(got) }
        return reader
    }
}

/// Two connected streams of one loop.
func makePair(_ loop: EventLoop) throws -> (Stream, Stream) {
    let (one, other) = try SocketCalls.makePair().get()
    return (Stream(adopting: one, loop: loop), Stream(adopting: other, loop: loop))
}

/// A stream connected over TCP to `address`, without the connector.
func connect(_ loop: EventLoop, to address: SocketAddress) throws -> Stream {
    let descriptor = try SocketCalls.makeSocket(family: address.family).get()
    if case .failed(let code) = SocketCalls.connect(descriptor, to: address) { throw SystemError(code) }
    return Stream(adopting: descriptor, loop: loop)
}

/// What decides how fast a TCP socket sends, such as `cubic`; nil for another socket.
func congestionControlName(of descriptor: Int32) -> String? {
    var name = [UInt8](repeating: 0, count: 16)
    var count = socklen_t(name.count)
    guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_CONGESTION, &name, &count) == 0 else { return nil }
    return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
}

let loopback = SocketAddress.ip(.v4(0x7F00_0001), port: 0)

extension NameResolver.Options {
    /// All names go to the function that stands for `getaddrinfo`.
    static var system: Self {
        var options = Self()
        options.kind = .system
        return options
    }
}
