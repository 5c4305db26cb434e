import Glibc
import HTTPCore
import Locking
import Platform
import TestSupport
import Testing

@testable import Eventing

/// Look-ups that occupy a thread each.
@Suite struct SystemLookUpsTests {
    @Test("one that waits is dropped by its number, and only that one; those that run or are unknown go on")
    func stopping() async throws {
        let workers = try WorkerPool(count: 1)
        var gate: [Int32] = [0, 0]
        try #require(pipe(&gate) == 0)
        let (held, release) = (gate[0], gate[1])
        let names = Lock<[String]>([])
        let answered = Lock<[UInt64]>([])
        let lookUps = SystemLookUps(workers: workers) { name in
            var byte: UInt8 = 0
            names.withLock { $0.append(name) }
            if name == "a" { _ = read(held, &byte, 1) }
            return .success([.v4(4)])
        }
        let outcome = Outcome<SystemLookUps.Resolution>()
        for (number, name) in ["a", "b", "c", "d"].enumerated() {
            lookUps.start(name, UInt64(number), for: nil) { answer in
                answered.withLock { $0.append(UInt64(number)) }
                if name == "d" { outcome.succeed(answer) }
            }
        }
        for number in [0, 2, 9] as [UInt64] { lookUps.stop(number) }
        close(release)
        #expect(try await outcome.wait() == .success([.v4(4)]))
        workers.stop()
        close(held)
        #expect(names.withLock { $0 } == ["a", "b", "d"] && answered.withLock { $0 } == [0, 1, 3])
    }

    @Test("one client occupies two of three threads at most, so that one is left for others")
    func shares() throws {
        let workers = try WorkerPool(count: 3)
        let begun = WaitQueue<String>()
        let names = ["a1", "a2", "a3", "a4", "b"]
        let gates = Dictionary(uniqueKeysWithValues: names.map { ($0, WaitQueue<Bool>()) })
        let lookUps = SystemLookUps(workers: workers) { name in
            begun.push(name)
            _ = gates[name]?.pop()
            return .success([])
        }
        for (number, name) in names.dropLast().enumerated() {
            lookUps.start(name, UInt64(number), for: .v4(1)) { _ in }
        }
        #expect([begun.pop() ?? "", begun.pop() ?? ""].sorted() == ["a1", "a2"])
        gates["a1"]?.push(true)
        #expect(begun.pop() == "a3")
        lookUps.start("b", 4, for: .v4(2)) { _ in }
        #expect(begun.pop() == "b")
        for gate in gates.values { gate.push(true) }
        #expect(begun.pop() == "a4")
        workers.stop()
    }

    @Test("once the threads have ended each one fails at once, and takes no place from the next")
    func ended() throws {
        let workers = try WorkerPool(count: 1)
        workers.stop()
        let lookUps = SystemLookUps(workers: workers) { _ in .success([]) }
        let answers = Lock<[SystemLookUps.Resolution]>([])
        for number in 0..<3 as Range<UInt64> {
            lookUps.start("a", number, for: .v4(1)) { answer in answers.withLock { $0.append(answer) } }
        }
        #expect(answers.withLock { $0 } == [.failure(.busy), .failure(.busy), .failure(.busy)])
    }
}
