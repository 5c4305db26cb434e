import Glibc
import HTTPCore
import Testing

@testable import Eventing

@Suite struct StreamTests {
    @Test("what one side writes in a turn the other reads in one piece")
    func gathersWrites() async throws {
        let read: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let reader = Scripted()
            reader.onRead = { _, bytes in
                outcome.succeed(bytes)
                return bytes.count
            }
            right.delegate = reader
            left.append { $0.append(contentsOf: [1, 2]) }
            left.write(ByteChunk([UInt8](repeating: 3, count: 2000)))
            left.append { $0.append(4) }
        }
        #expect(read == [1, 2] + [UInt8](repeating: 3, count: 2000) + [4])
    }

    @Test("a stream may have descriptor 0, as in a program that begins without standard input")
    func descriptorZero() async {
        // In a process of its own, which does without standard input.
        await #expect(processExitsWith: .success) {
            let count: Int = try await onLoop { loop, outcome in
                close(0)
                let (left, right) = try makePair(loop)
                guard left.descriptor == 0 else { exit(2) }
                right.delegate = Scripted.collecting { outcome.succeed($0.count) }
                // More than the system takes at once.
                left.write(ByteChunk([UInt8](repeating: 1, count: 8 << 20)))
                left.closeWrite()
                loop.schedule(after: .seconds(20)) { exit(3) }
            }
            guard count == 8 << 20 else { exit(1) }
        }
    }

    @Test("of many streams that others write to in one turn, sixteen send at once and do not wait for the rest")
    func burst() async throws {
        let sent: Int = try await onLoop { loop, outcome in
            let asking = try (0..<20).map { _ in try makePair(loop) }
            let answering = try (0..<20).map { _ in try makePair(loop) }
            var relayed = 0
            let relay = Scripted()
            relay.onRead = { _, bytes in
                answering[relayed].0.append { $0 += bytes }
                relayed += 1
                if relayed == 20 { outcome.succeed(answering.count { $0.1.readIdleInput() != .none }) }
                return bytes.count
            }
            for (left, right) in asking {
                right.delegate = relay
                left.append { $0.append(1) }
            }
        }
        #expect(sent == 16)
    }

    @Test("bytes left unread come again, before the new ones")
    func keepsLeftover() async throws {
        let read: [[UInt8]] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let reader = Scripted()
            var seen: [[UInt8]] = []
            reader.onRead = { _, bytes in
                seen.append(bytes)
                if seen.count == 1 { left.append { $0.append(contentsOf: [4, 5]) } }
                if seen.count == 2 { outcome.succeed(seen) }
                return 1
            }
            right.delegate = reader
            left.append { $0.append(contentsOf: [1, 2, 3]) }
        }
        #expect(read == [[1, 2, 3], [2, 3, 4, 5]])
    }

    @Test("bytes left unread may be more than one read brings: what the delegate writes then is sent at once")
    func answersBehindLeftover() async throws {
        let answer: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let total = 3 * ReadBuffer.capacity
            let server = Scripted()
            server.onRead = { stream, bytes in
                guard bytes.count == total else { return 0 }
                stream.append { $0.append(9) }
                return total
            }
            right.delegate = server
            let client = Scripted()
            client.onRead = { _, bytes in
                outcome.succeed(bytes)
                return bytes.count
            }
            left.delegate = client
            left.write(ByteChunk([UInt8](repeating: 1, count: total)))
        }
        #expect(answer == [9])
    }

    @Test("a stream that does not read keeps its bytes until it is resumed")
    func resumesWithLeftover() async throws {
        let read: [[UInt8]] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let reader = Scripted()
            var seen: [[UInt8]] = []
            reader.onRead = { stream, bytes in
                seen.append(bytes)
                if seen.count == 1 {
                    stream.isReading = false
                    loop.schedule(after: .milliseconds(5)) { stream.isReading = true }
                    return 1
                }
                outcome.succeed(seen)
                return bytes.count
            }
            right.delegate = reader
            left.append { $0.append(contentsOf: [1, 2, 3]) }
        }
        #expect(read == [[1, 2, 3], [2, 3]])
    }

    @Test("a half-closed stream still answers")
    func halfClose() async throws {
        let answer: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let server = Scripted()
            var asked: [UInt8] = []
            server.onRead = { _, bytes in
                asked += bytes
                return bytes.count
            }
            server.onEnd = { stream in
                stream.append { $0 += asked + [9] }
                stream.closeWrite()
            }
            right.delegate = server
            let client = Scripted()
            var got: [UInt8] = []
            client.onRead = { _, bytes in
                got += bytes
                return bytes.count
            }
            client.onEnd = { _ in outcome.succeed(got) }
            left.delegate = client
            left.append { $0 += [7, 8] }
            left.closeWrite()
        }
        #expect(answer == [7, 8, 9])
    }

    @Test("64 MiB arrive whole at a slow reader, and the producer stops at the high-water mark (H-128)")
    func slowReader() async throws {
        let total = 64 << 20
        let result: SlowReader.Report = try await onLoop { loop, outcome in
            let producer = Producer(total: total)
            let listener = Listener(loop: loop, socket: try ListeningSocket(binding: loopback)) { accepted, _ in
                accepted.delegate = producer
                producer.produce(accepted)
            }
            let client = try connect(loop, to: listener.boundAddress)
            client.delegate = SlowReader { received, isWhole in
                outcome.succeed(.init(received: received, isWhole: isWhole, mostUnsent: producer.mostUnsent))
            }
        }
        #expect(result.received == total)
        #expect(result.isWhole)
        #expect(result.mostUnsent <= Stream.highWaterMark + 65536)
    }

    @Test("a delegate may close its stream in any call, and hears nothing more; both are then freed")
    func closesInCallback() async throws {
        final class Watched {
            weak var stream: Stream?
            weak var delegate: Scripted?
        }
        let freed: [Bool] = try await onLoop { loop, outcome in
            let watched = Watched()
            func start() throws {
                let (left, right) = try makePair(loop)
                let reader = Scripted()
                var calls = 0
                reader.onRead = { stream, bytes in
                    calls += 1
                    stream.append { $0.append(1) }
                    stream.close()
                    return 0
                }
                reader.onEnd = { _ in calls += 100 }
                reader.onFail = { _, _ in calls += 100 }
                right.delegate = reader
                watched.stream = right
                watched.delegate = reader
                let other = Scripted()
                func report(_ stream: Stream) {
                    stream.close()
                    loop.schedule(after: .milliseconds(1)) {
                        outcome.succeed([watched.stream == nil, watched.delegate == nil, calls == 1])
                    }
                }
                other.onEnd = report
                other.onFail = { stream, _ in report(stream) }
                left.delegate = other
                left.append { $0.append(contentsOf: [1, 2]) }
            }
            try start()
        }
        #expect(freed == [true, true, true])
    }
}
