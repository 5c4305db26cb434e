import Dispatch
import HTTPCaching
import HTTPCore
import Stores
import TestSupport
import Testing
import Transforms

@testable import Proxying

/// Stored streams, sent at the times of their pieces.
@Suite("Replay of streams") struct StreamReplayTests {
    private typealias Piece = StreamPieces.Piece

    private static func time(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: 5_000_000_000 + milliseconds * 1_000_000)
    }

    @Test(
        "a piece is due at its time divided by the speed, and all content after the last",
        arguments: [1, 4, 0.5] as [Double]
    )
    func schedule(speed: Double) {
        let pieces = StreamPieces([
            Piece(count: 3, milliseconds: 0), Piece(count: 5, milliseconds: 400), Piece(count: 1, milliseconds: 400),
            Piece(count: 2, milliseconds: 1200),
        ])
        func at(_ milliseconds: Double) -> MonotonicTime { Self.time(Int64(milliseconds / speed)) }
        var schedule = ReplaySchedule(pieces, speed: speed, begin: Self.time(0))
        #expect(schedule.due(at: at(0)) == 3)
        #expect(schedule.pause(at: at(0)) == at(400) - at(0))
        #expect(schedule.due(at: at(396)) == 3)
        #expect(schedule.pause(at: at(396)) == at(400) - at(396))
        // A client that was slow gets what it missed.
        #expect(schedule.due(at: at(400)) == 9)
        #expect(schedule.pause(at: at(1600)) == .zero)
        #expect(schedule.due(at: at(1600)) == .max && schedule.pause(at: at(1600)) == nil)
    }

    @Test("a time that is too far away for a clock is far away")
    func distant() {
        var schedule = ReplaySchedule(
            StreamPieces([Piece(count: 1, milliseconds: .max)]),
            speed: 0.01,
            begin: Self.time(0)
        )
        #expect(schedule.due(at: Self.time(1 << 40)) == 0)
        #expect(schedule.pause(at: Self.time(0)).map { $0 > .seconds(1 << 30) } == true)
    }

    // MARK: Over sockets

    private static let url = "http://origin.example/stream"
    private static let content = "data: 1\n\ndata: 2\n\n"

    /// A proxy whose store has a stream of two events, the second an hour after the first.
    private static func proxy(_ pace: ReplayPace, second: Int64 = 3_600_000) throws -> TestProxy {
        let uri = try TargetURI(parsing: url)
        return try TestProxy { setup in
            setup.service.caching.rules = [
                CachingRule(name: "r", ttlSeconds: 100_000_000_000, recordsStreams: true, replayPace: pace)
            ]
            setup.store = SeededStore(
                StoredRecord(
                    uri: uri,
                    partition: .shared,
                    selection: [],
                    status: 200,
                    reason: [],
                    fields: fields,
                    requestFields: Fields(),
                    requestTime: HTTPDate(seconds: 1_700_000_000),
                    responseTime: HTTPDate(seconds: 1_700_000_000),
                    isInvalidated: false,
                    body: .bytes(Array(content.utf8)),
                    pieces: StreamPieces([Piece(count: 9, milliseconds: 0), Piece(count: 9, milliseconds: second)])
                )
            )
        }
    }

    private static var fields: Fields {
        var fields = Fields()
        fields.append(name: "Content-Type", value: "text/event-stream")
        fields.append(name: "ETag", value: "\"1\"")
        return fields
    }

    @Test("a piece whose time has not come is not sent, and a client that leaves ends the replay")
    func waiting() throws {
        let proxy = try Self.proxy(.speed(1))
        for _ in 1...2 {
            let client = proxy.client()
            client.send(proxy.request("GET", Self.url))
            // This would go on until the limit of the test's socket if more had come with the first event.
            let text = client.receive(until: "data: 1\n\n")
            #expect(text.hasSuffix("\r\n\r\ndata: 1\n\n") && text.contains("Content-Length: 18\r\n"))
            client.resetOnClose()
        }
        #expect(proxy.drain())
    }

    @Test("HEAD, ranges and conditions of a stream with a pace are answered at once")
    func otherRequests() throws {
        let proxy = try Self.proxy(.speed(1))
        let connection = proxy.reader()
        #expect(connection.ask(proxy.request("GET", Self.url, ["Range: bytes=9-"]))?.content == "data: 2\n\n")
        #expect(connection.ask(proxy.request("GET", Self.url, ["If-None-Match: \"1\""]))?.status == 304)
        let client = proxy.client()
        client.send(proxy.request("HEAD", Self.url, ["Connection: close"]))
        #expect(client.receiveAll().text.hasSuffix("\r\n\r\n"))
    }

    @Test(
        "a stream is sent whole, at once or at its pace",
        arguments: [(.instant, 3_600_000), (.speed(1000), 3000), (.speed(1), 2)] as [(ReplayPace, Int64)]
    )
    func whole(pace: ReplayPace, second: Int64) throws {
        let proxy = try Self.proxy(pace, second: second)
        let connection = proxy.reader()
        for _ in 1...3 {
            let reply = connection.ask(proxy.request("GET", Self.url))
            #expect(reply?.content == Self.content && reply?.isHit == true)
        }
    }
}

/// A store with one record.
private final class SeededStore: VariantStore {
    let keepsPrivate = true
    private let record: StoredRecord

    init(_ record: StoredRecord) { self.record = record }

    private func later(_ work: @escaping @Sendable () -> Void) { DispatchQueue.global().async(execute: work) }

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {
        let found = uri == record.uri ? [record] : []
        later { completion(found) }
    }

    func makeBody(expected: Int64?) -> (any BodyWriter)? { nil }
    func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) { later { durable(true) } }
    func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) { later { durable(true) } }
    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) { later { durable(true) } }
    func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {}
    func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) { later { completion(0) } }

    func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {
        later { completion(0) }
    }

    func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) {
        later { completion(0) }
    }

    func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) { later { then([]) } }

    func list(
        after last: Int64,
        limit: Int,
        where: any RowTest,
        _ then: @escaping @Sendable (StoredPage) -> Void
    ) {
        later { then(StoredPage([], next: nil)) }
    }

    func flush(_ completion: @escaping @Sendable () -> Void) { later(completion) }
}
