import Eventing
import HTTPCore
import Locking
import Testing

@testable import HTTPServer

/// How many connections there may be, of all peers and of each.
@Suite struct ConnectionCountTests {
    private static func limits(_ all: Int, perPeer: Int? = nil) -> ServerLimits {
        var limits = ServerLimits()
        (limits.maxConnections, limits.maxConnectionsPerPeer) = (all, perPeer)
        return limits
    }

    @Test("who had to pause goes on once there is room, and not before")
    func room() {
        let counter = ConnectionCounter(limits: Self.limits(2))
        let calls = Lock(0)
        func isFull() -> Bool { counter.isFull { calls.withLock { $0 += 1 } } }
        #expect(counter.admit(nil) && !isFull() && counter.admit(nil) && isFull())
        #expect(counter.count == 2)
        counter.leave(nil)
        #expect(calls.withLock { $0 } == 1 && counter.count == 1)
        #expect(counter.admit(nil) && isFull())
        // A limit that only becomes as large as the number makes no room.
        counter.apply(Self.limits(1))
        counter.leave(nil)
        #expect(calls.withLock { $0 } == 1)
        counter.apply(Self.limits(1))
        #expect(calls.withLock { $0 } == 1)
        counter.apply(Self.limits(2))
        #expect(calls.withLock { $0 } == 2)
        counter.leave(nil)
        #expect(calls.withLock { $0 } == 2 && counter.count == 0)
        // There is room for one at least.
        counter.apply(Self.limits(0))
        #expect(!isFull())
    }

    @Test("a peer has so many connections and no more, until one of them has ended")
    func perPeer() {
        let counter = ConnectionCounter(limits: Self.limits(10, perPeer: 2))
        let (one, other) = (SocketAddress.ip(.v4(1), port: 0), SocketAddress.ip(.v4(2), port: 0))
        #expect(counter.admit(one) && counter.admit(one) && !counter.admit(one))
        #expect(counter.admit(other) && counter.count == 3)
        counter.leave(one)
        #expect(counter.admit(one) && !counter.admit(one))
        counter.apply(Self.limits(10, perPeer: 3))
        #expect(counter.admit(one) && !counter.admit(one))
        for _ in 0..<3 { counter.leave(one) }
        #expect(counter.admit(one) && counter.count == 2)
    }
}
