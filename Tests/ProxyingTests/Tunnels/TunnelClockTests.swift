import Eventing
import Glibc
import HTTPCore
import HTTPServer
import TestSupport
import Testing

@testable import Proxying

/// One end of a connection that never waits.
private final class StillSocket {
    let descriptor: Int32
    /// Whether the other side has ended its own.
    private(set) var hasEnded = false

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) -> Int { max(0, Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))) }

    func send(_ text: String) { _ = send(Array(text.utf8)) }

    func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// What has come.
    func receive() -> [UInt8] {
        var all: [UInt8] = []
        while true {
            var count = 0
            let new = [UInt8](unsafeUninitializedCapacity: 65_536) { buffer, filled in
                count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
                filled = max(0, count)
            }
            guard count > 0 else {
                if count == 0 || errno != EAGAIN { hasEnded = true }
                return all
            }
            all += new
        }
    }
}

/// A tunnel on a loop whose clock stands still, between a client that came by CONNECT and a far end of the test's own.
private final class TunnelLab {
    /// Keeps the request until the tunnel opens.
    private final class Keeper: Responder {
        var exchange: ServerExchange?

        func respond(to exchange: ServerExchange) { self.exchange = exchange }
    }

    let registry = TunnelRegistry()
    let client: StillSocket
    let far: StillSocket
    private let manual: ManualLoop
    private let directory = TemporaryDirectory()
    private let keeper = Keeper()
    private let listener: HTTPListener
    private let ours: Int32

    init() throws {
        var limits = ServerLimits()
        limits.idleTimeout = .seconds(86_400)
        manual = try ManualLoop()
        let path = directory.path("socket")
        listener = HTTPListener(
            loop: manual.loop,
            socket: try ListeningSocket(binding: .unix(path: path)),
            responder: keeper,
            connectionCounter: ConnectionCounter(limits: limits),
            limits: limits
        )
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        client = StillSocket(socket(AF_UNIX, type, 0))
        var pair: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, type, 0, &pair) == 0 else { throw HarnessError("socketpair: errno \(errno)") }
        (far, ours) = (StillSocket(pair[0]), pair[1])
        var name = sockaddr_un()
        name.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &name.sun_path) { $0.copyBytes(from: path.utf8) }
        let result = withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(client.descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard result == 0 else { throw HarnessError("connect \(path): errno \(errno)") }
        client.send("CONNECT far.example:1 HTTP/1.1\r\nHost: far.example:1\r\n\r\n")
        turn()
    }

    deinit {
        keeper.exchange = nil
        listener.close()
        manual.turn()
    }

    /// Opens the tunnel.
    func open(idle: Duration = .seconds(10), lifetime: Duration? = nil) throws {
        let exchange = try #require(keeper.exchange)
        keeper.exchange = nil
        exchange.start(200, fields: Fields(), content: .none)
        let near = try #require(exchange.takeOver())
        Tunnel(
            near: near,
            far: Eventing.Stream(adopting: ours, loop: manual.loop),
            target: Array("far.example:1".utf8),
            route: .connect,
            idleTimeout: idle,
            lifetime: lifetime,
            registry: registry
        ).start()
        turn()
        #expect(client.receive().starts(with: Array("HTTP/1.1 200 ".utf8)))
    }

    /// Runs all that is to do now.
    func turn() { for _ in 0..<4 { manual.turn() } }

    func advance(by duration: Duration) {
        manual.advance(by: duration)
        turn()
    }

    /// Whether neither side has seen an end.
    var isOpen: Bool {
        _ = (client.receive(), far.receive())
        return !client.hasEnded && !far.hasEnded
    }

    /// Whether both sides have seen the end.
    var isClosed: Bool {
        _ = (client.receive(), far.receive())
        return client.hasEnded && far.hasEnded
    }
}

/// How long tunnels last, by a clock that the test moves, and what is counted of them.
@Suite struct TunnelClockTests {
    @Test("a tunnel ends when nothing has moved for its idle time, in whichever direction (H-081)")
    func idle() throws {
        let lab = try TunnelLab()
        try lab.open(idle: .seconds(10))
        for number in 0..<4 {
            lab.advance(by: .milliseconds(9_900))
            (number % 2 == 0 ? lab.client : lab.far).send("x")
            lab.turn()
            #expect(lab.isOpen, "\(number)")
        }
        lab.advance(by: .milliseconds(9_900))
        #expect(lab.isOpen && lab.registry.open().count == 1)
        lab.advance(by: .milliseconds(300))
        #expect(lab.isClosed && lab.registry.totals == Self.totals(up: 2, down: 2))
    }

    @Test("a tunnel ends after its lifetime, however busy; without one it has none (H-081)", arguments: [true, false])
    func lifetime(isLimited: Bool) throws {
        let lab = try TunnelLab()
        try lab.open(idle: .seconds(10), lifetime: isLimited ? .seconds(20) : nil)
        for seconds in [9, 9, 1] {
            lab.advance(by: .seconds(seconds))
            lab.client.send("x")
            lab.turn()
        }
        #expect(lab.isOpen)
        lab.advance(by: .seconds(1))
        #expect(isLimited ? lab.isClosed : lab.isOpen)
    }

    @Test("bytes and end that came before the tunnel was open reach the far end (H-081)", arguments: ["", "early"])
    func early(text: String) throws {
        let lab = try TunnelLab()
        lab.client.send(text)
        lab.client.endSending()
        lab.turn()
        try lab.open()
        #expect(lab.far.receive() == Array(text.utf8) && lab.far.hasEnded)
        #expect(lab.registry.open().map(\.state) == [.clientEnded])
        lab.far.send("late")
        lab.far.endSending()
        lab.turn()
        #expect(lab.client.receive() == Array("late".utf8) && lab.client.hasEnded)
        #expect(lab.registry.totals == Self.totals(up: text.utf8.count, down: 4))
    }

    @Test("bytes that a side takes late are counted once, in the direction in which they go")
    func late() throws {
        let lab = try TunnelLab()
        try lab.open()
        let piece = [UInt8](repeating: 0x78, count: 65_536)
        let limit = 100 * piece.count
        var (sent, received) = (0, 0)
        // Nothing more is taken once all buffers on the way are full.
        while sent < limit, case let count = lab.far.send(piece), count > 0 {
            sent += count
            lab.turn()
        }
        #expect(sent < limit)
        for _ in 0..<1000 where received < sent {
            received += lab.client.receive().count
            lab.turn()
        }
        #expect(received == sent)
        lab.far.send("end")
        lab.turn()
        #expect(lab.client.receive() == Array("end".utf8) && lab.isOpen)
        let record = try #require(lab.registry.open().first)
        #expect(record.bytesDown == sent + 3 && record.bytesUp == 0)
    }

    private static func totals(up: Int, down: Int) -> TunnelRegistry.Totals {
        var totals = TunnelRegistry.Totals()
        (totals.opened, totals.bytesUp, totals.bytesDown) = (1, up, down)
        return totals
    }
}
