import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

@testable import ResourceCore

@Suite("The stored responses of a resource, as a value")
struct VariantsTests {
    private let context: ResourceContext = World().resource().context

    /// A stored response that the load with this number brought.
    private func response(_ number: UInt64, selection: String = "", isInvalidated: Bool = false) -> StoredResponse {
        var fields = Fields()
        fields.append(.cacheControl, "max-age=60")
        let record = StoredRecord(
            uri: context.uri,
            partition: .shared,
            selection: Array(selection.utf8),
            status: 200,
            reason: [],
            fields: fields,
            requestFields: Fields(),
            requestTime: context.wallNow,
            responseTime: context.wallNow,
            isInvalidated: isInvalidated,
            body: .bytes([1])
        )
        let metadata = ResponseMetadata(
            status: 200,
            fields: fields,
            requestTime: context.wallNow,
            responseTime: context.wallNow,
            options: CachingOptions()
        )
        return StoredResponse(record: record, metadata: metadata, receivedAt: context.now, age: 0, loadNumber: number)
    }

    private func numbers(_ variants: Variants) -> [UInt64] { variants.stored.map(\.loadNumber) }

    @Test("a response takes the place of the one with its selection; past the limit the least recently used leaves")
    func inserting() {
        var variants = Variants(looksUp: false)
        let first = response(1, selection: "a")
        #expect(variants.insert(first, limit: 2).replaced == nil)
        _ = variants.insert(response(2, selection: "b"), limit: 2)
        variants.touch(first)
        #expect(numbers(variants) == [2, 1])
        #expect(variants.insert(response(3, selection: "a"), limit: 2).replaced === first)
        let result = variants.insert(response(4, selection: "c"), limit: 2)
        #expect(result.replaced == nil && result.evicted.map(\.loadNumber) == [2] && numbers(variants) == [3, 4])
        #expect(variants.changeCount == 4)
    }

    @Test("a response is the same as another one if nothing differs that tells two loads or variants apart")
    func sameness() {
        let first = response(1, selection: "a")
        func other(
            number: UInt64 = 1,
            receivedAt: Duration = .zero,
            isLocal: Bool = false,
            _ change: (inout StoredRecord) -> Void = { _ in }
        ) -> StoredResponse {
            var record = first.record
            change(&record)
            return StoredResponse(
                record: record,
                metadata: first.metadata,
                receivedAt: context.now + receivedAt,
                age: 0,
                isLocal: isLocal,
                loadNumber: number
            )
        }
        #expect(first.isSame(as: first) && first.isSame(as: other()))
        #expect(!first.isSame(as: other(number: 2)) && !first.isSame(as: other(receivedAt: .seconds(1))))
        #expect(!first.isSame(as: other(isLocal: true)))
        #expect(!first.isSame(as: other { $0.partition = .credential([1]) }))
        #expect(!first.isSame(as: other { $0.selection = [1] }))
    }

    @Test("what replaces, removes or resets counts as one change each; what touches or drops is none")
    func changes() {
        var variants = Variants(looksUp: false)
        #expect(variants.changeCount == 0 && !variants.isInvalidated && variants.lookUpNumber == 0)
        let (first, second) = (response(1, selection: "a"), response(2, selection: "b"))
        for stored in [first, second] { _ = variants.insert(stored, limit: 4) }
        #expect(variants.changeCount == 2)
        variants.touch(first)
        #expect(variants.changeCount == 2 && variants.remove(first) === first && variants.changeCount == 3)
        #expect(variants.remove(first) == nil && variants.changeCount == 3)
        variants.noteReset()
        #expect(variants.changeCount == 4)
        #expect(variants.drop(second, looksUp: false) === second && variants.changeCount == 4)
    }

    @Test("what a load brought is news unless a newer load has brought something in its place")
    func news() {
        var variants = Variants(looksUp: false)
        #expect(variants.isNews(response(1), of: 1))
        _ = variants.insert(response(2), limit: 2)
        #expect(!variants.isNews(response(1), of: 1) && variants.isNews(response(3), of: 3))
        #expect(variants.mayReplace(.shared, [], by: 2) && !variants.mayReplace(.shared, [], by: 1))
    }

    @Test("an invalidation marks all, and the mark stays until nothing that is marked is left")
    func invalidating() {
        var variants = Variants(looksUp: false)
        _ = variants.insert(response(1, selection: "a"), limit: 4)
        _ = variants.insert(response(2, selection: "b"), limit: 4)
        #expect(numbers(variants) == variants.invalidateAll(hasOther: false).map(\.loadNumber))
        #expect(variants.isInvalidated && variants.stored.allSatisfy(\.isInvalidated))
        _ = variants.insert(response(3, selection: "a"), limit: 4)
        #expect(variants.isInvalidated)
        _ = variants.insert(response(4, selection: "b"), limit: 4)
        #expect(!variants.isInvalidated)
        var empty = Variants(looksUp: false)
        #expect(empty.invalidateAll(hasOther: true).isEmpty && empty.isInvalidated)
    }

    @Test("a look-up counts once, and not if it was begun anew meanwhile; what memory drops is looked up again")
    func lookingUp() {
        var variants = Variants(looksUp: true)
        let first = variants.beginLookUp()
        #expect(first != nil && variants.isLooking && variants.beginLookUp() == nil)
        variants.restartLookUp(as: .unknown)
        let second = variants.beginLookUp()
        let counts = [first, second, second].map { number in number.map { variants.endLookUp($0) } }
        #expect(counts == [false, true, false])
        let stored = response(1)
        _ = variants.insert(stored, limit: 4)
        #expect(variants.drop(stored, looksUp: false) === stored && variants.lookUp == .known)
        _ = variants.insert(stored, limit: 4)
        #expect(variants.drop(stored, looksUp: true) === stored && variants.lookUp == .unknown)
        #expect(variants.drop(stored, looksUp: true) == nil)
    }

    @Test("what a store held stands before what came by loads, and the oldest of too many leave")
    func adding() {
        var variants = Variants(looksUp: false)
        _ = variants.insert(response(5, selection: "a"), limit: 4)
        let evicted = variants.add([response(0, selection: "b"), response(0, selection: "c")], limit: 2)
        #expect(evicted.map { String(decoding: $0.selection, as: UTF8.self) } == ["b"])
        #expect(variants.stored.last?.loadNumber == 5 && variants.stored.count == 2)
    }
}
