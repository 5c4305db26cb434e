import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing

@testable import ResourceCore

/// Which loads a request may join (C-23.0), by the values alone.
@Suite("Loads that a request may join") struct JoiningTests {
    private let bench = Workbench()
    private static let credential = [("Authorization", "Basic a")]
    private static let range = [("Range", "bytes=0-1")]

    /// The load with number 1, if the request may join it.
    private func joins(
        _ request: ClientRequest,
        _ record: LoadRecord,
        isHitForMiss: Bool = false,
        hasStored: Bool = false,
        in bench: Workbench? = nil
    ) -> Bool {
        var loads = Loads()
        loads.begin(record)
        let context = (bench ?? self.bench).context
        let found = loads.joinable(by: request, isHitForMiss: isHitForMiss, hasStored: hasStored, context)
        if case .load(1, _)? = found { return true }
        return false
    }

    @Test("before the head a request joins one with its credentials and its values of the names in Vary")
    func alike() {
        #expect(joins(bench.request(), bench.record()))
        #expect(!joins(bench.request(Self.credential), bench.record()))
        #expect(joins(bench.request(Self.credential), bench.record(1, bench.cause(Self.credential))))
        let german = [("Accept-Language", "de")]
        let cause = bench.cause(german, vary: "Accept-Language")
        #expect(joins(bench.request(german), bench.record(1, cause)))
        #expect(!joins(bench.request([("Accept-Language", "en")]), bench.record(1, cause)))
        #expect(!joins(bench.request(), bench.record(1, cause)))
    }

    @Test("nobody joins the load of a POST, or one that is detached")
    func apart() {
        #expect(!joins(bench.request(), bench.record(1, bench.cause(isPost: true))))
        var detached = bench.record()
        detached.isDetached = true
        #expect(!joins(bench.request(), detached))
    }

    @Test(
        "a request with no-cache joins a load that was sent at its arrival or later, unless a rule ignores it (C-23.0)"
    )
    func reload() {
        let anew = [("Cache-Control", "no-cache")]
        let record = bench.record()
        #expect(joins(bench.request(anew), record))
        bench.world.timekeeper.advance(by: .nanoseconds(1))
        #expect(!joins(bench.request(anew), record) && joins(bench.request(), record))
        #expect(record.isOutdated(for: bench.request(anew), bench.context))
        #expect(!record.isOutdated(for: bench.request(), bench.context))
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", ignoresClientNoCache: true)]
        let lenient = Workbench(configuration)
        let older = lenient.record()
        lenient.world.timekeeper.advance(by: .seconds(1))
        #expect(!older.isOutdated(for: lenient.request(anew), lenient.context))
        #expect(joins(lenient.request(anew), older, in: lenient))
    }

    @Test("a Range waits for a validation of what is stored, and for nothing else (C-23.0)")
    func ranges() {
        let basis = Boxed(LoadBasis(offered: [bench.stored(1, [("ETag", "\"1\"")])]))
        let validating = bench.cause([], LoadPlan(forward: .stale, isHitForMiss: false, basis: basis))
        let request = bench.request(Self.range)
        #expect(joins(request, bench.record(1, validating), hasStored: true))
        #expect(!joins(request, bench.record(1, validating), hasStored: false))
        #expect(!joins(request, bench.record(), hasStored: true))
        #expect(!joins(bench.request([("Cache-Control", "no-store")]), bench.record(1, validating), hasStored: true))
    }

    // MARK: After the head

    private func follows(
        _ lines: [(String, String)],
        _ request: [(String, String)] = [],
        after pause: Duration = .zero,
        isComplete: Bool = false,
        to cause: [(String, String)] = []
    ) -> Bool {
        let cause = bench.cause(cause)
        var record = bench.record(1, cause)
        let body = bench.body(3, isComplete: isComplete)
        _ = record.receive(bench.head(lines, body: body, for: cause))
        bench.world.timekeeper.advance(by: pause)
        return joins(bench.request(request), record)
    }

    @Test("after the head a request follows what it could be served from the store (C-23.0)")
    func following() {
        let fresh = [("Cache-Control", "max-age=60")]
        #expect(follows(fresh))
        #expect(follows(fresh, after: .seconds(59)) && !follows(fresh, after: .seconds(60)))
        #expect(!follows([("Cache-Control", "no-store")]))
        #expect(!follows(fresh, Self.range) && !follows(fresh, [("Cache-Control", "no-store")]))
        #expect(follows(fresh, Self.credential), "what is for everybody serves a credential, too")
        #expect(!follows(fresh, to: Self.credential), "a credential's response is not for everybody")
        #expect(follows([("Cache-Control", "max-age=60, public")], to: Self.credential))
    }

    @Test("after the head the response's own Vary counts (C-11.1)")
    func varying() {
        let lines = [("Cache-Control", "max-age=60"), ("Vary", "Accept-Language")]
        let (german, english) = ([("Accept-Language", "de")], [("Accept-Language", "en")])
        #expect(follows(lines, german, to: german) && !follows(lines, english, to: german))
    }

    @Test("nobody joins amid an incremental response; once it is complete it is like any other (C-24.5)")
    func incremental() {
        let lines = [("Cache-Control", "max-age=60"), ("Incremental", "?1")]
        #expect(!follows(lines) && follows(lines, isComplete: true))
    }

    @Test("nobody joins a body whose first bytes are gone")
    func gone() {
        let body = bench.body(3)
        body.fail(ExchangeFailure(.responseIncomplete, "cut"))
        var record = bench.record()
        _ = record.receive(bench.head(body: body))
        #expect(!joins(bench.request(), record))
    }

    // MARK: Who waited for the head

    private func shares(
        _ lines: [(String, String)],
        _ request: [(String, String)],
        to cause: LoadCause,
        status: UInt16 = 200
    ) -> Bool {
        let head = bench.head(lines, status: status, body: bench.body(3), for: cause)
        return head.mayShare(with: bench.request(request), of: cause, bench.context)
    }

    @Test("who waited shares a response as far as its directives and its Vary allow (C-23.0)")
    func sharing() {
        let (fresh, cause) = ([("Cache-Control", "max-age=60")], bench.cause())
        #expect(shares(fresh, [], to: cause))
        #expect(!shares([("Cache-Control", "no-store")], [], to: cause))
        let varied = fresh + [("Vary", "Accept-Language")]
        #expect(shares(varied, [], to: cause) && !shares(varied, [("Accept-Language", "de")], to: cause))
        let personal = bench.cause(Self.credential)
        #expect(shares(fresh, Self.credential, to: personal))
        #expect(!shares(fresh, [("Authorization", "Basic b")], to: personal) && !shares(fresh, [], to: personal))
        #expect(shares([("Cache-Control", "max-age=60, public")], [], to: personal))
    }

    @Test("what belongs to cookies is shared by requests with the same cookies only (C-20.1b)")
    func cookies() {
        var configuration = Configuration()
        configuration.caching.cookies = .partition
        let bench = Workbench(configuration)
        let cause = bench.cause([("Cookie", "id=1")])
        let head = bench.head(for: cause)
        #expect(head.sharing == .sameCookies)
        #expect(head.mayShare(with: bench.request([("Cookie", "id=1")]), of: cause, bench.context))
        #expect(!head.mayShare(with: bench.request([("Cookie", "id=2")]), of: cause, bench.context))
    }

    @Test("a part that fills a hole is shared by all that may see it; another part by nobody (C-22.1)")
    func parts() {
        let hole = LoadPlan(
            forward: .partial,
            isHitForMiss: true,
            isRanged: true,
            basis: Boxed(LoadBasis(part: bench.part(0..<3), hole: 3..<6))
        )
        let range = [("Range", "bytes=3-5")]
        let lines = World.freshPart + [("Content-Range", "bytes 3-5/10")]
        let filling = bench.cause(range, hole)
        #expect(shares(lines, [], to: filling, status: 206))
        #expect(shares(lines, Self.credential, to: filling, status: 206))
        #expect(!shares(lines + [("Vary", "Accept")], [("Accept", "a/b")], to: filling, status: 206))
        #expect(!shares(World.freshPart, [], to: filling), "it is no part")
        #expect(!shares([("Cache-Control", "no-store")] + lines, [], to: filling, status: 206))
        let alone = bench.cause(range, LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true))
        #expect(!shares(lines, [], to: alone, status: 206))
    }

    @Test("the whole has a range if its length is known, above 0, and it will be stored as a 200")
    func wholeRange() {
        let fresh = [("Cache-Control", "max-age=60")]
        #expect(bench.head(fresh, length: 10).wholeRange == 0..<10)
        #expect(bench.head(fresh, length: 1).wholeRange == 0..<1 && bench.head(fresh, length: 0).wholeRange == nil)
        #expect(bench.head(fresh).wholeRange == nil)
        #expect(bench.head([("Cache-Control", "no-store")], length: 10).wholeRange == nil)
        #expect(bench.head(fresh, status: 404, length: 10).wholeRange == nil)
        let cause = bench.cause(
            [("Range", "bytes=0-9")],
            LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true)
        )
        let part = World.freshPart + [("Content-Range", "bytes 0-9/10")]
        #expect(bench.head(part, status: 206, length: 10, for: cause).wholeRange == nil)
    }

    // MARK: Refreshing

    @Test("a load refreshes what it is about, and what a request like its own is served (C-7.1)")
    func refreshing() {
        let (stored, other) = (bench.stored(1), bench.stored(2))
        let basis = Boxed(LoadBasis(selected: stored))
        let plan = LoadPlan(forward: .stale, isHitForMiss: false, basis: basis)
        var loads = Loads()
        loads.begin(bench.record(1, bench.cause(Self.credential, plan)))
        let (context, request) = (bench.context, bench.request())
        #expect(loads.isRefreshing(stored, for: request, context) && !loads.isRefreshing(other, for: request, context))
        #expect(loads.isRefreshing(other, for: bench.request(Self.credential), context))
        _ = loads.detachAll()
        #expect(!loads.isRefreshing(stored, for: request, context))
        let german = [("Accept-Language", "de")]
        loads.begin(bench.record(2, bench.cause(german, vary: "Accept-Language")))
        #expect(loads.isRefreshing(stored, for: bench.request(german), context))
        #expect(!loads.isRefreshing(stored, for: request, context))
    }
}
