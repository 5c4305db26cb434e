import Glibc
import Platform
import TestSupport
import Testing

@testable import Eventing

/// A listener on a loop by hand, and connections to it.
private final class Doorstep {
    let manual: ManualLoop
    private let directory = TemporaryDirectory()
    private let socket: ListeningSocket
    private(set) var accepted = 0
    /// Called for each connection that is accepted.
    var onAccept: () -> Void = {}
    private(set) lazy var listener = Listener(loop: manual.loop, socket: socket) { [weak self] stream, _ in
        stream.close()
        self?.accepted += 1
        self?.onAccept()
    }

    init() throws {
        manual = try ManualLoop()
        socket = try ListeningSocket(binding: .unix(path: directory.path("socket")))
        _ = listener
    }

    /// Makes so many connections, which are in the backlog then; their clients leave at once.
    func connect(_ count: Int) throws {
        for _ in 0..<count {
            let client = try SocketCalls.makeSocket(family: AF_UNIX).get()
            defer { SocketCalls.close(client) }
            guard SocketCalls.connect(client, to: socket.address) == .done else { throw SystemError(errno) }
        }
    }

    /// How many connections the next turn accepts, after so many more were made.
    func turn(_ count: Int = 0) throws -> Int {
        try connect(count)
        let before = accepted
        manual.turn()
        return accepted - before
    }
}

/// What a listener accepts in one turn of its loop, and when it accepts nothing.
@Suite("Turns of a listener") struct ListenerTurnTests {
    @Test("one connection is accepted per turn; after 16 turns twice as many each time, 64 at most, until none is left")
    func batches() throws {
        let doorstep = try Doorstep()
        for _ in 0..<16 { #expect(try doorstep.turn(2) == 1) }
        let turns = [
            (0, 2), (0, 4), (0, 8), (30, 16), (30, 32), (60, 64), (60, 64), (0, 6), (10, 6), (0, 4), (0, 0), (6, 4),
        ]
        for (number, (made, accepted)) in turns.enumerated() {
            #expect(try doorstep.turn(made) == accepted, "turn \(number)")
        }
    }

    @Test("a listener that is paused or closed amid a turn accepts no more", arguments: [true, false])
    func amidTurn(isPaused: Bool) throws {
        let doorstep = try Doorstep()
        for _ in 0..<16 { #expect(try doorstep.turn(1) == 1) }
        doorstep.onAccept = { [weak doorstep] in
            if isPaused { doorstep?.listener.pause() } else { doorstep?.listener.close() }
        }
        // A turn might accept two by now.
        #expect(try doorstep.turn(3) == 1)
        #expect(try doorstep.turn() == 0)
        doorstep.onAccept = {}
        doorstep.listener.resume()
        #expect(try doorstep.turn() == (isPaused ? 2 : 0))
    }

    @Test("while descriptors are short, a resumed listener waits for them; one that is paused stays so (H-156)")
    func shortage() async {
        // In a process of its own: the limit holds for all of it.
        await #expect(processExitsWith: .success) {
            let doorstep = try Doorstep()
            let (listener, manual) = (doorstep.listener, doorstep.manual)
            let limit = Descriptors.limit
            try doorstep.connect(1)
            Descriptors.setLimit(0)
            manual.turn()
            guard listener.shortages == 1, !listener.watchesReads else { exit(1) }
            listener.pause()
            listener.resume()
            guard !listener.watchesReads else { exit(2) }
            // As long as there is none it looks again every 200 ms, and that is the same shortage.
            for _ in 0..<3 { manual.advance(by: .milliseconds(200)) }
            guard listener.shortages == 1, !listener.watchesReads, doorstep.accepted == 0 else { exit(3) }
            Descriptors.setLimit(limit)
            manual.advance(by: .milliseconds(199))
            guard !listener.watchesReads, doorstep.accepted == 0 else { exit(4) }
            manual.advance(by: .milliseconds(1))
            guard listener.watchesReads, doorstep.accepted == 1 else { exit(5) }

            try doorstep.connect(1)
            Descriptors.setLimit(0)
            manual.turn()
            guard listener.shortages == 2, !listener.watchesReads else { exit(6) }
            listener.pause()
            Descriptors.setLimit(limit)
            manual.advance(by: .milliseconds(200))
            guard !listener.watchesReads, doorstep.accepted == 1 else { exit(7) }
            listener.resume()
            guard listener.watchesReads else { exit(8) }
            manual.turn()
            guard doorstep.accepted == 2 else { exit(9) }
        }
    }

    @Test("the limit of descriptors is read again before connections can use up the reserve (H-156)")
    func loweredLimit() async {
        await #expect(processExitsWith: .success) {
            let doorstep = try Doorstep()
            let listener = doorstep.listener
            listener.descriptorReserve = 8
            guard try doorstep.turn(1) == 1, let next = Descriptors.nextNumber() else { exit(1) }
            let limit = Descriptors.limit
            Descriptors.setLimit(next + 1)
            // So many are half of the reserve.
            for _ in 0..<4 {
                guard try doorstep.turn(1) == 1, listener.shortages == 0, listener.watchesReads else { exit(2) }
            }
            guard try doorstep.turn(1) == 1, listener.shortages == 1, !listener.watchesReads else { exit(3) }
            Descriptors.setLimit(limit)
        }
    }
}
