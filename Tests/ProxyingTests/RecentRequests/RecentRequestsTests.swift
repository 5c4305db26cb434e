import Eventing
import HTTPCore
import Observability
import ResourceCore
import TestSupport
import Testing

@testable import Proxying

/// What is kept of the latest requests.
@Suite struct RecentRequestsTests {
    private static func origin() -> RecordingOrigin {
        TestOrigin.answering { _ in response("200 OK", "Cache-Control: max-age=60", content: "hello") }
    }

    @Test("a miss, a hit and a POST are kept with target, status, sizes, times and Cache-Status")
    func facts() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 10 }
        let url = origin.url("/x")
        for _ in 0..<2 { #expect(proxy.ask(url)?.status == 200) }
        #expect(proxy.perform("POST", url, content: "abc")?.status == 200)
        let records = try #require(proxy.recentRequests()).records
        try #require(records.count == 3)
        #expect(records.map(\.outcome) == ["miss", "hit", "pass"])
        #expect(
            records.map { $0.cacheStatus?.text } == [
                "respite; fwd=uri-miss; fwd-status=200; stored", "respite; hit", "respite; fwd=method; fwd-status=200",
            ]
        )
        #expect(records.map { String(decoding: $0.target, as: UTF8.self) } == [url, url, url])
        #expect(records.map(\.status) == [200, 200, 200] && records.map(\.contentBytes) == [5, 5, 5])
        #expect(records.map(\.method) == [.get, .get, .post] && records.map(\.requestBytes) == [0, 0, 3])
        #expect(records.allSatisfy { $0.client == .v4(0x7F00_0001) && $0.route == "forward" && $0.isComplete })
        #expect(records.allSatisfy { $0.duration > 0 && ($0.headDuration ?? 0) <= $0.duration })
        // The POST uses the connection of the miss.
        #expect(records.map { $0.upstream.connect != nil } == [true, false, false])
        #expect(records.map { $0.upstream.firstByte != nil } == [true, false, true])
        #expect(records.allSatisfy { $0.upstream.queue == nil && $0.upstream.handshake == nil })
        #expect(records.map(\.id) == records.map(\.id).sorted() && Set(records.map(\.id)).count == 3)
        let now = Logger.wallMilliseconds
        #expect(records.allSatisfy { now - 60_000...now ~= $0.milliseconds })
    }

    @Test("a hit whose condition holds is kept with its 304, which has no content; one whose condition fails, whole")
    func conditions() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cache-Control: max-age=60", "ETag: \"1\"", content: "hello")
        }
        let proxy = try TestProxy { $0.recentRequests = 10 }
        let url = origin.url("/x")
        #expect(proxy.ask(url)?.status == 200)
        #expect(proxy.ask(url, "If-None-Match: \"1\"")?.status == 304)
        #expect(proxy.ask(url, "If-None-Match: \"2\"")?.status == 200)
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.outcome) == ["miss", "hit", "hit"])
        #expect(records.map(\.status) == [200, 304, 200] && records.map(\.contentBytes) == [5, 0, 5])
        #expect(records.allSatisfy { $0.target.elementsEqual(url.utf8) && $0.method == .get && $0.isComplete })
    }

    @Test("what the proxy itself responds is kept with its reason, and a target that is no URI as it came")
    func refused() throws {
        let proxy = try TestProxy { $0.recentRequests = 10 }
        #expect(proxy.ask("http://169.254.169.254/secret")?.status == 403)
        #expect(proxy.ask("/")?.status == 200)
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.outcome) == ["refused", "own"])
        #expect(records.map { String(decoding: $0.target, as: UTF8.self) } == ["http://169.254.169.254/secret", "/"])
        #expect(records.map(\.route) == ["forward", nil] && records[1].cacheStatus == nil)
        #expect(records[0].reason != nil || records[0].cacheStatus?.detail != nil)
    }

    @Test("a full ring has the latest requests, in order, and says which one went last")
    func wrap() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 3 }
        let reader = proxy.reader()
        var ids: [RequestID] = []
        for number in 0..<8 {
            #expect(reader.ask(proxy.request("GET", origin.url("/\(number % 2)")))?.status == 200)
            let recent = try #require(proxy.recentRequests())
            #expect(recent.records.count == min(3, number + 1) && recent.capacity == 3)
            ids.append(try #require(recent.records.last).id)
            #expect(recent.records.map(\.id) == ids.suffix(3))
            #expect(recent.lastDropped == (number < 3 ? .none : ids[number - 3]))
            #expect(recent.horizon >= ids[number])
        }
        #expect(try #require(proxy.recentRequests(after: ids[6])).records.map(\.id) == [ids[7]])
        #expect(try #require(proxy.recentRequests(after: ids[7])).records.isEmpty)
    }

    /// Two loops, each with a ring that records hits of one stored response.
    private final class TwoLoops {
        private let group: LoopGroup
        private let recent: RecentRequests
        private let rings: [LoopBound<RequestRing>]
        private let stored: StoredResponse

        init(capacity: Int, _ stored: StoredResponse) throws {
            let group = try LoopGroup(count: 2)
            let recent = RecentRequests()
            let made = WaitQueue<LoopBound<RequestRing>>()
            rings = try group.handles.map { handle in
                handle.submit { (loop: EventLoop) in
                    made.push(LoopBound(recent.makeRing(on: loop, capacity: capacity), loop: loop))
                }
                return try #require(made.pop())
            }
            self.group = group
            self.recent = recent
            self.stored = stored
        }

        deinit {
            group.stop()
            group.join()
        }

        /// Records a hit on one loop, and returns what is kept of both then.
        func record(on loop: Int) throws -> RecentRecords {
            let gathered = WaitQueue<RecentRecords>()
            rings[loop].submit { [stored, recent] ring in
                ring.recordHit(
                    stored,
                    status: 200,
                    contentBytes: 5,
                    form: .forward,
                    client: nil,
                    since: MonotonicTime.now,
                    notes: nil
                )
                recent.gather { gathered.push($0()) }
            }
            return try #require(gathered.pop())
        }
    }

    @Test("of the requests of all loops the latest are kept, and the last one that went is that of all, too")
    func loops() throws {
        let origin = Self.origin()
        let proxy = try TestProxy()
        #expect(proxy.ask(origin.url("/x"))?.status == 200)
        let uri = try TargetURI(parsing: origin.url("/x"))
        let loops = try TwoLoops(capacity: 3, try #require(proxy.service.resource(for: uri).latestResponse))
        var ids: [RequestID] = []
        // First the ring of no loop loses any, then that of one loop, then none again.
        for (number, loop) in [0, 1, 1, 1, 1, 0, 0].enumerated() {
            let recent = try loops.record(on: loop)
            ids.append(try #require(recent.records.last).id)
            #expect(recent.records.map(\.id) == ids.suffix(3) && recent.capacity == 3)
            #expect(recent.lastDropped == (number < 3 ? .none : ids[number - 3]), "\(number)")
        }
        #expect(Set(ids).count == 7 && ids == ids.sorted())
    }

    @Test("a change of the number keeps the latest requests; 0 keeps none, and later ones are kept again")
    func resize() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 4 }
        let reader = proxy.reader()
        func ask(_ count: Int) { for _ in 0..<count { _ = reader.ask(proxy.request("GET", origin.url("/x"))) } }
        func ids() throws -> [RequestID] { try #require(proxy.recentRequests()).records.map(\.id) }
        ask(6)
        let first = try ids()
        try #require(first.count == 4)
        proxy.keepRecentRequests(2)
        #expect(try ids() == first.suffix(2))
        #expect(proxy.recentRequests()?.lastDropped == first[1])
        ask(1)
        let second = try ids()
        #expect(second.count == 2 && second.first == first.last)
        proxy.keepRecentRequests(5)
        #expect(try ids() == second && proxy.recentRequests()?.lastDropped == first[2])
        ask(4)
        #expect(try ids().first == second.last)
        proxy.keepRecentRequests(0)
        ask(2)
        #expect(try ids().isEmpty && proxy.recentRequests()?.capacity == 0)
        let last = try #require(proxy.recentRequests()).lastDropped
        #expect(last > first[3])
        proxy.keepRecentRequests(3)
        #expect(proxy.recentRequests()?.lastDropped == last)
        ask(1)
        let third = try ids()
        #expect(third.count == 1 && proxy.recentRequests()?.lastDropped == last)
        // One that is not full loses nothing until the next request comes.
        proxy.keepRecentRequests(1)
        #expect(try ids() == third && proxy.recentRequests()?.lastDropped == last)
        ask(1)
        #expect(try ids().count == 1 && proxy.recentRequests()?.lastDropped == third[0])
    }

    @Test("a stale hit has no times of the refresh that it causes")
    func backgroundRefresh() throws {
        let origin = TestOrigin.answering { _ in
            response("200 OK", "Cache-Control: max-age=0, stale-while-revalidate=600", content: "hello")
        }
        let proxy = try TestProxy { $0.recentRequests = 10 }
        let url = origin.url("/x")
        for _ in 0..<2 { #expect(proxy.ask(url)?.status == 200) }
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.outcome) == ["miss", "stale"])
        #expect(records[0].upstream.firstByte != nil && records[1].upstream == UpstreamTimings())
        #expect(records.allSatisfy { ($0.upstream.firstByte ?? 0) <= $0.duration })
    }

    @Test("of a long target only the first bytes are kept, of a hit as of a miss")
    func longTarget() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 10 }
        let url = origin.url("/" + String(repeating: "a", count: 3000))
        for _ in 0..<2 { #expect(proxy.ask(url)?.status == 200) }
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.outcome) == ["miss", "hit"])
        let limit = Observability.RequestRecord.targetLimit
        #expect(records.allSatisfy { $0.isCut && $0.target.elementsEqual(url.utf8.prefix(limit)) })
    }

    @Test("a target of just the longest length is kept whole, of a hit as of a miss", arguments: [0, 1])
    func longestTarget(excess: Int) throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 10 }
        let limit = Observability.RequestRecord.targetLimit
        let path = "/" + String(repeating: "a", count: limit + excess - origin.url("/").utf8.count)
        for _ in 0..<2 { #expect(proxy.ask(origin.url(path))?.status == 200) }
        let records = try #require(proxy.recentRequests()).records
        #expect(records.map(\.outcome) == ["miss", "hit"] && records.map(\.requestBytes) == [0, 0])
        #expect(records.map(\.isCut) == [excess == 1, excess == 1])
        #expect(records.allSatisfy { $0.target.elementsEqual(origin.url(path).utf8.prefix(limit)) })
    }

    @Test("a kept hit holds neither the stored response nor its content")
    func retention() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 10 }
        for _ in 0..<2 { #expect(proxy.ask(origin.url("/x"))?.status == 200) }
        let resource = proxy.service.resource(for: try TargetURI(parsing: origin.url("/x")))
        weak let stored = resource.latestResponse
        #expect(stored != nil)
        let purged = WaitQueue<Int>()
        resource.purge { purged.push($0) }
        #expect(purged.pop() != nil)
        // What the loop held for its last turn is gone behind its answer.
        #expect(proxy.recentRequests()?.records.map(\.outcome) == ["miss", "hit"])
        #expect(stored == nil)
    }

    @Test("the text of an identifier can be read back, and no other text is one")
    func identifiers() {
        for number in [1, 35, 36, 0x1234_5678_9ABC, .max] as [UInt64] {
            #expect(RequestID(text: RequestID(number: number).text)?.number == number)
        }
        for text in ["", "-1", "+1", "A", "ä", "zzzzzzzzzzzzz", "00000000000001", "a b"] {
            #expect(RequestID(text: text) == nil, "\(text)")
        }
    }

    @Test("a request after a reload is kept with what is noted of it")
    func reload() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 10 }
        proxy.change { _ in }
        #expect(proxy.ask(origin.url("/x"))?.status == 200)
        #expect(try #require(proxy.recentRequests()).records.map(\.outcome) == ["miss"])
    }

    @Test("a kept request has the same time for all readers")
    func sameTime() throws {
        let origin = Self.origin()
        let proxy = try TestProxy { $0.recentRequests = 10 }
        #expect(proxy.ask(origin.url("/x"))?.status == 200)
        var times: Set<Int64> = []
        for _ in 0..<200 { times.insert(try #require(proxy.recentRequests()?.records.first).milliseconds) }
        #expect(times.count == 1)
    }
}
