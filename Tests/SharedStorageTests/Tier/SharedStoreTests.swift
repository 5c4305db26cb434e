import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing

@testable import SharedStorage

/// What the shared tier sees of the store of its node.
@Suite struct SharedStoreTests {
    /// Wants every row.
    private struct AnyRow: RowTest {
        func uri(of canonical: Span<UInt8>, status: UInt16, contentBytes: Int64) -> TargetURI? { nil }
        func wants(_ record: StoredSummary) -> Bool { true }
    }

    private let tier = SharedTier(SharedTierOptions(), timekeeper: ManualTimekeeper()) { _ in false }
    private let base = MemoryVariantStore()
    private let load: SharedLoad
    private let claim = Claim(token: "t", number: "n")
    private let told = LockedBox<[String]>([])

    init() throws { load = try #require(try SharedLoad.test()) }

    private func response() throws -> StoredRecord {
        var response = try RecordTests.response()
        response.selection = load.selection([])
        return response
    }

    /// Whether the response to the load, which is noted anew, has been offered to the tier.
    private func isOffered(_ work: () -> Void) -> Bool {
        tier.fills.note(load, claim, seen: .none)
        work()
        return !tier.fills.drop(claim, of: load.uri)
    }

    private func tell(_ name: String) -> @Sendable (Bool) -> Void {
        { [told] isDurable in told.change { $0.append("\(name) \(isDurable)") } }
    }

    @Test("what is stored or freshened goes to the store of the node, and to the tier", arguments: [true, false])
    func storing(hasBase: Bool) throws {
        let store = SharedStore(hasBase ? base : nil, tier)
        let response = try response()
        let isStoredOffered = isOffered { store.commit(response, durable: tell("stored")) }
        let isFreshenedOffered = isOffered { store.freshen(response, durable: tell("freshened")) }
        let isNothingOffered = isOffered {}
        #expect(isStoredOffered && isFreshenedOffered && !isNothingOffered)
        base.run()
        #expect(base.log == (hasBase ? ["commit", "freshen"] : []))
        #expect(told.value == ["stored \(hasBase)", "freshened \(hasBase)"])
    }

    @Test("removals, marks and uses go to the store of the node, and not to the tier")
    func changing() throws {
        let store = SharedStore(base, tier)
        let response = try response()
        base.put(response)
        let counts = LockedBox<[Int]>([])
        let isChangeOffered = isOffered {
            store.invalidate(response.uri, durable: tell("marked"))
            store.remove(response.uri, partition: .shared, selection: [9])
            store.touch(response.uri)
            store.remove(response.uri) { count in counts.change { $0.append(count) } }
        }
        #expect(!isChangeOffered)
        base.put(response)
        store.removeAll(where: { $0 == response.uri }) { count in counts.change { $0.append(count) } }
        base.run()
        #expect(base.log == ["invalidate", "remove", "touch", "removeAll"])
        #expect(told.value == ["marked true"] && counts.value == [1, 1])
    }

    @Test("a change that is announced is known to the tier from the call on")
    func announcing() throws {
        let store = SharedStore(base, tier)
        #expect(!tier.isBehind(load.uri))
        store.announce(.purge(load.uri))
        #expect(tier.isBehind(load.uri) && base.log.isEmpty)
    }

    @Test("what a look-up finds is marked until the node knows the purges of the others")
    func judging() throws {
        let store = SharedStore(base, tier)
        base.put(try response())
        let found = LockedBox<[Bool]>([])
        func lookUp() {
            store.lookUp(load.uri) { records in found.change { $0 += records.map(\.isInvalidated) } }
        }
        lookUp()
        base.run()
        tier.begin(from: KnownPurges.Position("1-0 0"))
        lookUp()
        base.run()
        // What the node catches up with meanwhile may be about it.
        lookUp()
        tier.didCatchUp()
        base.run()
        lookUp()
        base.run()
        #expect(found.value == [false, true, true, false])
    }

    @Test("a node without a store has nothing, and nothing waits for it")
    func withoutStore() throws {
        let store = SharedStore(nil, tier)
        let uri = load.uri
        let counts = LockedBox<[Int]>([])
        let count: @Sendable (Int) -> Void = { count in counts.change { $0.append(count) } }
        #expect(!store.mayHold(uri) && !store.keepsPrivate && !store.mayHoldQuestions(to: uri))
        #expect(store.makeBody(expected: nil) == nil && !store.acceptsBody(of: 0))
        store.invalidate(uri, durable: tell("marked"))
        store.remove(uri, partition: .shared, selection: [])
        store.touch(uri)
        store.remove(uri, count)
        store.removeQuestions(to: uri, count)
        store.removeAll(where: { _ in true }, count)
        store.removeAll(taggedBy: [], count)
        store.lookUp(uri) { count($0.count) }
        store.list(taggedBy: []) { count($0.count) }
        store.list(after: 0, limit: 10, where: AnyRow()) { count($0.entries.count + ($0.next == nil ? 0 : 1)) }
        store.listRenditions(of: uri) { count($0.count) }
        store.flush { count(9) }
        #expect(counts.value == [0, 0, 0, 0, 0, 0, 0, 0, 9] && told.value == ["marked true"])
    }
}
