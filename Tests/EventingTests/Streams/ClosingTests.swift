import Glibc
import HTTPCore
import Platform
import Testing

@testable import Eventing

@Suite struct ClosingTests {
    @Test("after a lingering close the peer reads the answer although it is still sending (H-052)")
    func lingeringClose() async throws {
        let answer: [UInt8] = try await onLoop { loop, outcome in
            let listener = Listener(loop: loop, socket: try ListeningSocket(binding: loopback)) { accepted, _ in
                let server = Scripted()
                server.onRead = { stream, bytes in
                    stream.append { $0 += [4, 0, 0] }
                    stream.lingeringClose()
                    return bytes.count
                }
                accepted.delegate = server
            }
            let client = Scripted()
            var got: [UInt8] = []
            client.onRead = { _, bytes in
                got += bytes
                return bytes.count
            }
            client.onEnd = { stream in
                stream.close()
                outcome.succeed(got)
            }
            client.onFail = { _, error in outcome.finish(.failure(error)) }
            let stream = try connect(loop, to: listener.boundAddress)
            stream.delegate = client
            // Given a client that sends far more than the server reads
            stream.write(ByteChunk([UInt8](repeating: 1, count: 200_000)))
        }
        #expect(answer == [4, 0, 0])
    }

    @Test("a lingering close ends when its time is over or its bytes are read", arguments: [true, false])
    func lingeringCloseEnds(byTime: Bool) async throws {
        let isEnded: Bool = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let client = Scripted()
            client.onFail = { _, _ in outcome.succeed(true) }
            left.delegate = client
            let server = Scripted()
            server.onRead = { stream, bytes in
                if byTime {
                    stream.lingeringClose(time: .milliseconds(100))
                } else {
                    stream.lingeringClose(bytes: 1000, time: .seconds(600))
                }
                return bytes.count
            }
            right.delegate = server
            func send() {
                guard left.isOpen else { return }
                left.append { $0.append(contentsOf: [UInt8](repeating: 1, count: byTime ? 1 : 400)) }
                loop.schedule(after: .milliseconds(10), send)
            }
            send()
        }
        #expect(isEnded)
    }

    @Test("an aborted stream resets its peer")
    func abortResets() async throws {
        let error: StreamError = try await onLoop { loop, outcome in
            let listener = Listener(loop: loop, socket: try ListeningSocket(binding: loopback)) { stream, _ in
                stream.abort()
            }
            let stream = try connect(loop, to: listener.boundAddress)
            let client = Scripted()
            client.onFail = { _, error in outcome.succeed(error) }
            stream.delegate = client
        }
        #expect(error == .reset)
    }

    @Test("a reader that takes nothing for the send time-out is cut (H-128)")
    func sendTimeout() async throws {
        let error: StreamError = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            right.isReading = false
            let sender = Scripted()
            sender.onFail = { _, error in outcome.succeed(error) }
            left.delegate = sender
            left.setSendTimeout(.milliseconds(150))
            left.write(ByteChunk([UInt8](repeating: 0, count: 8 << 20)))
        }
        #expect(error == .sendTimeout)
    }

    @Test("a read deadline passes once and leaves the stream open")
    func readDeadline() async throws {
        let isOpen: Bool = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let reader = Scripted()
            reader.onDeadline = { stream in
                outcome.succeed(stream.isOpen)
                left.close()
            }
            right.delegate = reader
            right.setReadDeadline(after: .seconds(600))
            right.setReadDeadline(after: .milliseconds(20))
        }
        #expect(isOpen)
    }

    @Test("a drain notice can be asked for when everything is sent")
    func drainNotice() async throws {
        let unsent: Int = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            right.delegate = Scripted()
            let sender = Scripted()
            sender.onDrain = { stream in outcome.succeed(stream.unsentBytes) }
            left.delegate = sender
            left.lowWaterMark = 0
            left.write(ByteChunk([UInt8](repeating: 0, count: 3 << 20)))
            left.requestDrainNotice()
        }
        #expect(unsent == 0)
    }

    @Test("heads, chunks and file regions leave in the order written")
    func mixedOutput() async throws {
        let path = "/tmp/respite-eventing-\(getpid())-\(UInt64.random(in: 0 ... .max))"
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let file = fopen(path, "w")
        fwrite(content, 1, content.count, file)
        fclose(file)
        defer { unlink(path) }
        let read: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            right.delegate = Scripted.collecting { outcome.succeed($0) }
            let open = try FileDescriptor(path: path)
            left.append { $0.append(1) }
            for _ in 0..<100 { left.write(ByteChunk([UInt8](repeating: 2, count: 2000))) }
            left.write(FileRegion(file: open, offset: 10, count: 250_000))
            left.append { $0.append(3) }
            left.write(FileRegion(file: open, offset: 0, count: 2))
            left.closeAfterSending()
        }
        #expect(read == [1] + [UInt8](repeating: 2, count: 200_000) + content[10..<250_010] + [3, 0, 0])
    }

    @Test("a file shorter than its region breaks the stream")
    func shortFile() async throws {
        let error: StreamError = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            right.delegate = Scripted()
            let sender = Scripted()
            sender.onFail = { _, error in outcome.succeed(error) }
            left.delegate = sender
            left.write(FileRegion(file: try FileDescriptor(path: "/proc/self/exe"), offset: 1 << 40, count: 10))
        }
        #expect(error == .fileTruncated)
    }

    /// A file of its own without a name; gone with the last reference.
    private final class Scratch: Sendable {
        let descriptor: Int32

        init(_ content: [UInt8]) {
            var name = Array("/tmp/respite-eventing-XXXXXX".utf8CString)
            descriptor = mkstemp(&name)
            unlink(name)
            _ = write(descriptor, content, content.count)
        }

        deinit { close(descriptor) }

        func region(_ offset: Int, _ count: Int) -> FileRegion {
            FileRegion(owner: self, descriptor: descriptor, offset: Int64(offset), count: count)
        }
    }

    @Test("parts of files leave in the order written, among other bytes")
    func fileRegions() async throws {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let read: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            right.delegate = Scripted.collecting { outcome.succeed($0) }
            let file = Scratch(content)
            left.append { $0.append(1) }
            left.write(file.region(5, 2_500_000))
            left.write(file.region(0, 70_000))
            left.write(ByteChunk([UInt8](repeating: 2, count: 2000)))
            left.write(file.region(7, 1))
            left.append { $0.append(3) }
            left.closeAfterSending()
        }
        let expected = [1] + content[5..<2_500_005] + content[..<70_000] + [UInt8](repeating: 2, count: 2000) + [1, 3]
        // Not the arrays: what differs would be shown byte by byte.
        let isEqual = read == expected
        #expect(isEqual, "\(read.count) of \(expected.count) bytes")
    }

    @Test("a part of a file goes through memory if the system does not send files itself")
    func fileWithoutSendfile() async throws {
        let content = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
        let read: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            right.delegate = Scripted.collecting { outcome.succeed($0) }
            // With this flag, sendfile(2) does not accept the socket.
            let flags = fcntl(left.descriptor, F_GETFL)
            guard flags >= 0, fcntl(left.descriptor, F_SETFL, flags | O_APPEND) == 0 else { throw SystemError(errno) }
            left.write(Scratch(content).region(5, 150_000))
            left.closeAfterSending()
        }
        let isEqual = read == Array(content[5..<150_005])
        #expect(isEqual, "\(read.count) bytes")
    }

    @Test("what is written after the end of the writing side is dropped, and the stream still reads")
    func writeAfterEnd() async throws {
        let read: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let reader = Scripted()
            reader.onRead = { _, bytes in
                outcome.succeed(bytes)
                return bytes.count
            }
            reader.onFail = { _, _ in outcome.succeed([]) }
            left.delegate = reader
            left.closeWrite()
            let late: [UInt8] = [1]
            left.writeThrough(late.span)
            right.append { $0.append(7) }
        }
        #expect(read == [7])
    }

    @Test("what is sent at once does not overtake what was written before")
    func order() async throws {
        let read: [UInt8] = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            right.delegate = Scripted.collecting { outcome.succeed($0) }
            let (second, fourth): ([UInt8], [UInt8]) = ([2], [4])
            left.append { $0.append(1) }
            left.writeThrough(second.span)
            left.append { $0.append(3) }
            left.writeThrough(fourth.span)
            left.closeAfterSending()
        }
        #expect(read == [1, 2, 3, 4])
    }

    @Test(
        "a file that has become shorter breaks the stream, and what is not there is not made up",
        arguments: [50_000, 99_500]
    )
    func shortenedFile(left: Int) async throws {
        let (error, count, areRight): (StreamError?, Int, Bool) = try await onLoop { loop, outcome in
            let (sending, receiving) = try makePair(loop)
            let reader = Scripted()
            var got: [UInt8] = []
            var error: StreamError?
            func report() { outcome.succeed((error, got.count, got.allSatisfy { $0 == 1 })) }
            reader.onRead = { _, bytes in
                got += bytes
                if got.count == 100_000 { report() }
                return bytes.count
            }
            reader.onEnd = { _ in report() }
            reader.onFail = { _, _ in report() }
            receiving.delegate = reader
            let sender = Scripted()
            sender.onFail = { _, failure in error = failure }
            sending.delegate = sender
            let file = Scratch([UInt8](repeating: 1, count: 100_000))
            ftruncate(file.descriptor, off_t(left))
            sending.write(file.region(0, 100_000))
        }
        #expect(error == .fileTruncated && count <= left && areRight)
    }

    @Test("nothing that was put off to the end of the turn is delivered after close")
    func closeWhileDirty() async throws {
        let calls: Int = try await onLoop { loop, outcome in
            let (left, right) = try makePair(loop)
            let reader = Scripted()
            var calls = 0
            var isClosed = false
            reader.onRead = { stream, _ in
                if isClosed { calls += 1 }
                loop.atEndOfTurn {
                    stream.append { $0.append(1) }
                    stream.redeliver()
                    stream.requestDrainNotice()
                    stream.close()
                    isClosed = true
                }
                return 0
            }
            reader.onDrain = { _ in calls += 10 }
            reader.onEnd = { _ in calls += 100 }
            right.delegate = reader
            left.append { $0.append(1) }
            loop.schedule(after: .milliseconds(30)) { outcome.succeed(calls) }
        }
        #expect(calls == 0)
    }
}
