import Dispatch
import Locking
import Testing

@Suite struct LockTests {
    private struct Failure: Error {}

    @Test("one thread at a time changes the value")
    func exclusion() {
        let lock = Lock(0)
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<10_000 { lock.withLock { $0 += 1 } }
        }
        #expect(lock.withLock { $0 } == 80_000)
    }

    @Test("what the closure returns is returned")
    func result() {
        let lock = Lock(["a"])
        let last = lock.withLock { value in
            value.append("b")
            return value.last
        }
        #expect(last == "b")
    }

    @Test("an error goes through, and the lock is free after it")
    func error() {
        let lock = Lock(1)
        #expect(throws: Failure.self) {
            try lock.withLock { value in
                value = 2
                throw Failure()
            }
        }
        #expect(lock.withLock { $0 } == 2)
    }

    @Test("values of every size and alignment are kept")
    func layout() {
        let empty = Lock(())
        empty.withLock { _ in }
        let byte = Lock(UInt8(7))
        #expect(byte.withLock { $0 } == 7)
        let wide = (0..<100).map { SIMD8<UInt64>(repeating: $0) }
        for value in wide {
            let lock = Lock((true, value))
            lock.withLock { $0.1 &+= 1 }
            #expect(lock.withLock { $0.0 && $0.1 == value &+ 1 })
        }
    }

    @Test("the value goes with the lock")
    func release() {
        final class Thing: Sendable {}
        weak var thing: Thing?
        do {
            let lock = Lock(Thing())
            thing = lock.withLock { $0 }
            #expect(thing != nil)
        }
        #expect(thing == nil)
    }
}
