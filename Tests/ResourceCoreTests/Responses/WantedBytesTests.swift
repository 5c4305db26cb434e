import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import Outcomes
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

/// What is decided about bytes that a response in progress still needs (C-22.1).
@Suite("Bytes that are still wanted") struct WantedBytesTests {
    private let bench = Workbench()

    /// A load of one range, whose head has come if `received` is given.
    private func load(
        _ number: UInt64,
        _ range: Range<Int64>,
        received: Int? = nil,
        tag: String = "\"v1\"",
        of part: StoredResponse? = nil,
        request: [(String, String)] = [],
        vary: String = ""
    ) -> LoadRecord {
        var plan = LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true)
        if let part { plan.basis = Boxed(LoadBasis(part: part, hole: range)) }
        let lines = request + [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
        let cause = bench.cause(lines, plan, vary: vary)
        var record = bench.record(number, cause)
        guard let received else { return record }
        let value = "bytes \(range.lowerBound)-\(range.upperBound - 1)/10"
        let fields = [("Cache-Control", "max-age=60"), ("ETag", tag), ("Content-Range", value)]
        _ = record.receive(bench.head(fields, status: 206, body: bench.body(received), for: cause))
        return record
    }

    private func decision(
        _ range: Range<Int64>,
        step: Int64 = 100,
        stored: [StoredResponse] = [],
        loads: [LoadRecord] = [],
        looksUp: Bool = false,
        mode: ServiceMode = .auto,
        request: [(String, String)] = []
    ) -> String {
        var configuration = Configuration()
        configuration.mode = mode
        let effective = EffectiveConfiguration(values: configuration, sources: [], partName: nil)
        var decider = Decider(state: ResourceState(looksUp: looksUp), context: bench.context.by(effective))
        for response in stored { _ = decider.state.variants.insert(response, limit: 10) }
        for record in loads { decider.state.ongoing.loads.begin(record) }
        var request = bench.request(request + [("Range", "bytes=0-9")])
        request.wanted = WantedBytes(range, of: bench.part(0..<1), step: step)
        return switch decider.decision(for: request) {
        case .serve(let response, let outcome, let refreshes):
            "serve \(response.extent?.text ?? "all")\(outcome == .hit ? "" : "?")\(refreshes ? " and refresh" : "")"
        case .lookUp: "look up"
        case .join(let number, _): "join \(number)"
        case .load(let plan): plan.hole.map { "load \($0)" } ?? "load all"
        case .answer(.refused(let refusal)): refusal.rawValue
        case .answer: "another answer"
        }
    }

    @Test("what is held by now is served, whoever brought it; else the store is looked into first")
    func held() {
        #expect(decision(3..<9, stored: [bench.part(2..<5)]) == "serve 2-4/10")
        #expect(decision(3..<9, stored: [bench.part(4..<5)]) == "load 3..<4")
        #expect(decision(3..<9, stored: [bench.part(2..<5, tag: "\"v2\"")]) == "load 3..<9")
        #expect(decision(3..<9, stored: [bench.part(2..<5)], looksUp: true) == "serve 2-4/10")
        #expect(decision(3..<9, looksUp: true) == "look up")
        #expect(decision(3..<9, mode: .offline) == "offline" && decision(3..<9, mode: .replay) == "replay")
    }

    @Test("without other loads as many bytes are asked for as the step says, up to what is held")
    func step() {
        #expect(decision(3..<9, step: 4) == "load 3..<7" && decision(3..<9, step: 6) == "load 3..<9")
        #expect(decision(3..<9) == "load 3..<9" && decision(3..<9, stored: [bench.part(0..<3)]) == "load 3..<9")
        #expect(decision(3..<9, stored: [bench.part(6..<8)]) == "load 3..<6")
    }

    @Test("a whole response is asked for in steps of up to 16 MiB, a range of it in steps of 1 MiB at first")
    func steps() {
        let decider = Decider(state: ResourceState(looksUp: false), context: bench.context)
        let whole = decider.firstHole(for: bench.request([]), in: bench.part(0..<3))
        #expect(whole?.range == 3..<10 && whole?.step == 16 << 20)
        let range = decider.firstHole(for: bench.request([("Range", "bytes=0-4")]), in: bench.part(0..<3))
        #expect(range?.range == 3..<5 && range?.step == 1 << 20)
    }

    @Test("a load that brings the first byte soon is joined, before and after its head")
    func joining() {
        #expect(decision(3..<9, loads: [load(5, 2..<8, received: 0)]) == "join 5")
        #expect(decision(3..<9, loads: [load(5, 2..<8, received: 6)]) == "join 5")
        #expect(decision(3..<9, loads: [load(5, 3..<4, received: 0)]) == "join 5")
        #expect(decision(3..<9, loads: [load(5, 2..<3, received: 1)]) == "load 3..<9")
        #expect(decision(3..<9, loads: [load(5, 3..<8, of: bench.part(0..<3))]) == "join 5")
        #expect(decision(3..<9, loads: [load(5, 3..<8, of: bench.part(0..<3, tag: "\"v2\""))]) == "load 3..<9")
        #expect(decision(3..<9, loads: [load(5, 3..<8)]) == "load 3..<9", "nobody knows what it brings")
    }

    @Test("beside other loads the bytes before the next of them are asked for, whatever the step")
    func beside() {
        #expect(decision(3..<9, step: 1, loads: [load(5, 5..<8, received: 0)]) == "load 3..<5")
        #expect(decision(3..<9, loads: [load(5, 8..<9, received: 1), load(6, 6..<7, received: 0)]) == "load 3..<6")
        #expect(decision(3..<9, step: 1, loads: [load(5, 0..<2, received: 0)]) == "load 3..<9")
    }

    @Test("loads of other tags, partitions or variants, and those that are detached, bring nothing")
    func others() {
        #expect(decision(3..<9, loads: [load(5, 2..<8, received: 0, tag: "\"v2\"")]) == "load 3..<9")
        let own = [("Authorization", "Basic a")]
        #expect(decision(3..<9, loads: [load(5, 2..<8, received: 0, request: own)]) == "load 3..<9")
        let hole = load(5, 3..<8, of: bench.part(0..<3), request: own)
        #expect(
            decision(3..<9, loads: [hole]) == "load 3..<9" && decision(3..<9, loads: [hole], request: own) == "join 5"
        )
        let german = [("Accept-Language", "de")]
        let varied = load(5, 3..<8, of: bench.part(0..<3), request: german, vary: "Accept-Language")
        #expect(decision(3..<9, loads: [varied]) == "load 3..<9")
        #expect(decision(3..<9, loads: [varied], request: german) == "join 5")
        var detached = load(5, 2..<8, received: 0)
        detached.isDetached = true
        #expect(decision(3..<9, loads: [detached]) == "load 3..<9")
    }

    @Test("a load that ends early brings no bytes behind its end")
    func shortened() {
        var record = load(5, 2..<8, received: 0)
        record.end = 1
        #expect(decision(3..<9, loads: [record]) == "load 3..<9")
        record.end = 2
        #expect(decision(3..<9, loads: [record]) == "join 5")
        record.end = 100
        #expect(decision(7..<9, loads: [record]) == "join 5" && decision(8..<9, loads: [record]) == "load 8..<9")
    }

    @Test("a response that has begun goes on with what is stale by now")
    func stale() {
        let record = load(5, 2..<8, received: 0)
        bench.world.timekeeper.advance(by: .seconds(100))
        #expect(decision(3..<9, loads: [record]) == "join 5")
    }

    // MARK: Waiting for a part

    private func awaited(
        by range: String,
        _ record: LoadRecord,
        isHitForMiss: Bool = false,
        request: [(String, String)] = []
    ) -> Bool {
        var loads = Loads()
        loads.begin(record)
        let request = bench.request(request + (range.isEmpty ? [] : [("Range", "bytes=\(range)")]))
        let decision = loads.awaitedPart(by: request, isHitForMiss: isHitForMiss, bench.context)
        if case .join(5, _)? = decision { return true }
        return false
    }

    @Test("a request for more than a MiB waits for the head of a load of as much, and one for several for any (C-23.0)")
    func awaiting() {
        let mebibyte: Int64 = 1 << 20
        let (large, small) = (load(5, 0..<(mebibyte + 1)), load(5, 0..<mebibyte))
        #expect(awaited(by: "0-\(mebibyte)", large) && awaited(by: "7-", large))
        #expect(!awaited(by: "0-\(mebibyte - 1)", large) && !awaited(by: "0-\(mebibyte)", small))
        #expect(awaited(by: "0-1,5-6", small) && awaited(by: "0-1,5-6", large))
        #expect(!awaited(by: "0-1,5-6", small, isHitForMiss: true) && awaited(by: "0-1,5-6", large, isHitForMiss: true))
        #expect(!awaited(by: "", large))
        #expect(!awaited(by: "0-\(mebibyte)", load(5, 0..<(mebibyte + 1), received: 0)), "its head has come")
        #expect(!awaited(by: "0-\(mebibyte)", bench.record(5)), "that brings the whole")
        let own = [("Authorization", "Basic a")]
        #expect(!awaited(by: "0-\(mebibyte)", large, request: own))
        #expect(awaited(by: "0-\(mebibyte)", load(5, 0..<(mebibyte + 1), request: own), request: own))
        let varied = load(5, 0..<(mebibyte + 1), request: [("Accept-Language", "de")], vary: "Accept-Language")
        #expect(!awaited(by: "0-\(mebibyte)", varied))
        #expect(awaited(by: "0-\(mebibyte)", varied, request: [("Accept-Language", "de")]))
        var detached = large
        detached.isDetached = true
        #expect(!awaited(by: "0-\(mebibyte)", detached))
    }
}
