import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing

@testable import ResourceCore

/// Which of a resource's stored responses a request or a load meets.
@Suite("Finding stored responses, by the values alone") struct VariantsFindingTests {
    private let bench = Workbench()
    private let credential = Partition.credential([1])

    private func variants(_ responses: StoredResponse...) -> Variants {
        var variants = Variants(looksUp: false)
        for response in responses { _ = variants.insert(response, limit: 100) }
        return variants
    }

    private func numbers(_ responses: some Sequence<StoredResponse>) -> [UInt64] { responses.map(\.loadNumber) }

    private func dated(_ seconds: Int64) -> [(String, String)] {
        let date = String(decoding: HTTPDate(seconds: bench.context.wallNow.seconds - seconds).bytes, as: UTF8.self)
        return [("Cache-Control", "max-age=60"), ("Date", date)]
    }

    @Test("a response is found by its partition and its selection, both")
    func finding() {
        let (shared, own) = (bench.stored(1), bench.stored(2) { $0.partition = .credential([1]) })
        let chosen = bench.stored(3) { $0.selection = [7] }
        let variants = variants(shared, own, chosen)
        #expect(variants.find(.shared, []) === shared && variants.find(credential, []) === own)
        #expect(variants.find(.shared, [7]) === chosen && variants.find(credential, [7]) == nil)
    }

    @Test("the latest of a partition is the whole response that was received last, wherever it stands")
    func latest() {
        let first = bench.stored(1) { $0.selection = [1] }
        bench.world.timekeeper.advance(by: .seconds(1))
        let second = bench.stored(2) { $0.selection = [2] }
        let same = bench.stored(3) { $0.selection = [3] }
        bench.world.timekeeper.advance(by: .seconds(1))
        let own = bench.stored(4) { $0.partition = .credential([1]) }
        let part = bench.part(0..<3)
        #expect(variants(second, first, own, part).latest(in: .shared) === second)
        #expect(variants(first, second, own, part).latest(in: .shared) === second)
        #expect(variants(first, second, same).latest(in: .shared) === second)
        #expect(variants(first, own).latest(in: credential) === own && variants(part).latest(in: .shared) == nil)
    }

    @Test("a request meets its own partition first, then the latest Date, then what was received last (C-11.5, C-20.3)")
    func order() {
        // Given responses under rules that changed Vary, so that several match
        let partitions = Partitions(own: .credential([1]), credential: .credential([2]))
        let older = bench.stored(1, dated(20)) { $0.selection = [1] }
        let common = bench.stored(2, dated(10)) { $0.selection = [2] }
        let login = bench.stored(3, dated(30)) { $0.partition = .credential([2]) }
        let own = bench.stored(4, dated(40)) { $0.partition = .credential([1]) }
        bench.world.timekeeper.advance(by: .milliseconds(10))
        let later = bench.stored(5, dated(10)) { $0.selection = [3] }
        let foreign = bench.stored(6, dated(0)) { $0.partition = .credential([3]) }
        var request = bench.request()
        request.partitions = partitions
        let all = [older, common, login, own, later, foreign]
        for turned in [all, all.reversed()] {
            var variants = Variants(looksUp: false)
            for response in turned { _ = variants.insert(response, limit: 100) }
            #expect(numbers(variants.matches(request, bench.context)) == [4, 3, 5, 2, 1])
            #expect(numbers(variants.matches(bench.request(), bench.context)) == [5, 2, 1])
        }
    }

    @Test("a request meets the responses whose Vary fits its fields, and none that is redacted for others (C-11.1)")
    func selecting() {
        let lines = [("Cache-Control", "max-age=60"), ("Vary", "Accept")]
        let one = bench.stored(1, lines, to: [("Accept", "a/b")])
        let other = bench.stored(2, lines, to: [("Accept", "c/d")])
        let redacted = bench.stored(3) { record in
            record.rendition = [1]
            record.selection = [9]
        }
        let variants = variants(one, other, redacted)
        #expect(numbers(variants.matches(bench.request([("Accept", "a/b")]), bench.context)) == [1])
        #expect(numbers(variants.matches(bench.request([("Accept", "c/d")]), bench.context)) == [2])
        #expect(variants.matches(bench.request(), bench.context).isEmpty)
    }

    // MARK: Newer and older

    @Test("a load replaces what an earlier one brought, and with a part no whole")
    func replacing() {
        let variants = variants(bench.stored(5))
        #expect([4, 5, 6].map { variants.mayReplace(.shared, [], by: $0) } == [false, true, true])
        #expect([4, 5, 6].map { variants.mayReplace(.shared, [], by: $0, isPart: true) } == [false, false, false])
        #expect(variants.mayReplace(credential, [], by: 1, isPart: true) && variants.mayReplace(.shared, [1], by: 1))
        let part = self.variants(bench.part(0..<3))
        #expect(part.mayReplace(.shared, [], by: 1, isPart: true) && !part.mayReplace(.shared, [], by: 0, isPart: true))
    }

    @Test("the whole of a part that came meanwhile is news, whoever asked first")
    func wholeOfPart() {
        let part = variants(bench.part(0..<3))
        let whole = [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]
        #expect(part.isNews(bench.stored(0, whole), of: 0))
        #expect(!part.isNews(bench.stored(0, [("ETag", "\"v2\"")]), of: 0))
        #expect(!part.isNews(bench.part(3..<6), of: 1) && part.isNews(bench.part(3..<6), of: 2))
        #expect(!variants(bench.stored(1, whole)).isNews(bench.stored(0, whole), of: 1))
    }

    @Test("a part is not stored in place of a fresh whole; the rest of its head stays as it is (C-16.2)")
    func obsolete() {
        let range = LoadPlan(forward: .partial, isHitForMiss: true, isRanged: true)
        func head(_ contentRange: String, _ status: UInt16 = 206) -> ReceivedHead {
            let cause = bench.cause([("Range", "bytes=0-9")], range)
            let lines = [("Cache-Control", "max-age=60"), ("ETag", "\"v2\""), ("Content-Range", contentRange)]
            return bench.head(lines, status: status, for: cause)
        }
        let whole = variants(bench.stored(1, [("Cache-Control", "max-age=60"), ("ETag", "\"v1\"")]))
        let part = head("bytes 0-4/10")
        #expect(part.extent != nil && part.partition == .shared)
        let refused = whole.refusingObsoletePart(part, at: bench.context.now)
        #expect(refused.partition == nil && refused.storability == .refuse(.wholeIsStored))
        #expect(refused.extent == part.extent && refused.response === part.response)
        #expect(refused.selection == part.selection && refused.sharing == part.sharing)
        #expect(Variants(looksUp: false).refusingObsoletePart(part, at: bench.context.now) === part)
        let all = head("bytes 0-9/10")
        #expect(whole.refusingObsoletePart(all, at: bench.context.now) === all)
        let plain = bench.head()
        #expect(whole.refusingObsoletePart(plain, at: bench.context.now) === plain)
    }

    // MARK: The shared hit

    private func effective(_ change: (inout Configuration) -> Void = { _ in }) -> EffectiveConfiguration {
        var configuration = Configuration()
        change(&configuration)
        return EffectiveConfiguration(values: configuration, sources: [], partName: nil)
    }

    @Test("the only response is the shared hit if it answers every request as it stands (C-20.3, C-25.2)")
    func sharedHit() {
        let stored = bench.stored()
        #expect(variants(stored).sharedHit(effective()) === stored)
        #expect(variants(stored).sharedHit(nil) == nil)
        for mode in [ServiceMode.offline, .replay] {
            #expect(variants(stored).sharedHit(effective { $0.mode = mode }) == nil)
        }
        #expect(variants(stored).sharedHit(effective { $0.actsOnRequests = true }) == nil)
        #expect(variants(stored).sharedHit(effective { $0.policies.denial = Denial("no", rule: "r") }) == nil)
        let keyed = CachingRule(name: "r", keyFields: [Array("X-Key".utf8)])
        #expect(variants(stored).sharedHit(effective { $0.caching.rules = [keyed] }) == nil)
        let lasting = CachingRule(name: "r", ttlSeconds: 9)
        #expect(variants(stored).sharedHit(effective { $0.caching.rules = [lasting] }) === stored)
        #expect(variants(stored, bench.stored(2) { $0.selection = [1] }).sharedHit(effective()) == nil)
        let local = bench.stored(1, isLocal: true)
        #expect(variants(local).sharedHit(effective()) === local)
    }

    @Test("what is not for everybody, no 200, a part, varies or must be validated is no shared hit", arguments: 0..<7)
    func noSharedHit(which: Int) {
        let fresh = ("Cache-Control", "max-age=60")
        let stored =
            switch which {
            case 0: bench.stored(1) { $0.partition = .credential([1]) }
            case 1: bench.stored(1) { $0.status = 404 }
            case 2: bench.part(0..<3)
            case 3: bench.stored(1, [fresh, ("Vary", "Accept")])
            case 4: bench.stored(1) { $0.isInvalidated = true }
            case 5: bench.stored(1, [("Cache-Control", "max-age=60, no-cache"), ("ETag", "\"1\"")])
            default: bench.stored(1) { $0.rendition = [1] }
            }
        #expect(variants(stored).sharedHit(effective()) == nil)
    }

    // MARK: What changes count

    @Test("each replacement, removal and reset counts as one change; leaving memory and using count as none")
    func changeCount() {
        var variants = Variants(looksUp: false)
        let (first, second) = (bench.stored(1), bench.stored(2) { $0.selection = [1] })
        _ = variants.insert(first, limit: 4)
        _ = variants.insert(second, limit: 4)
        #expect(variants.changeCount == 2)
        variants.touch(first)
        #expect(variants.drop(first, looksUp: false) === first && variants.changeCount == 2)
        #expect(variants.remove(first) == nil && variants.changeCount == 2)
        #expect(variants.remove(second) === second && variants.changeCount == 3)
        variants.noteReset()
        #expect(variants.changeCount == 4)
    }

    @Test("the names in Vary are those of the last response that had no asterisk, until a reset")
    func vary() {
        var variants = Variants(looksUp: false)
        let names = VaryNames(Workbench.fields([("Vary", "Accept")]))
        #expect(variants.vary == nil)
        variants.note(names)
        #expect(variants.vary == names)
        variants.note(VaryNames(Workbench.fields([("Vary", "*")])))
        #expect(variants.vary == nil)
        variants.note(names)
        variants.noteReset()
        #expect(variants.vary == nil)
        _ = variants.add([bench.stored(0, [("Cache-Control", "max-age=60"), ("Vary", "Accept")])], limit: 4)
        #expect(variants.vary == names)
        _ = variants.add([bench.stored(0) { $0.selection = [1] }], limit: 4)
        #expect(variants.vary == names)
    }

    @Test("a mark goes with new data, and stays while another response has it")
    func marks() {
        var variants = variants(bench.stored(1) { $0.isInvalidated = true }, bench.stored(2) { $0.selection = [1] })
        #expect(variants.isInvalidated)
        variants.clearMark()
        #expect(!variants.isInvalidated)
        variants.updateMark()
        #expect(variants.isInvalidated)
        let dropped = variants.stored.first.flatMap { variants.drop($0, looksUp: false) }
        #expect(dropped?.isInvalidated == true && !variants.isInvalidated)
        _ = variants.add([bench.stored(0) { $0.isInvalidated = true }], limit: 4)
        #expect(variants.isInvalidated)
        #expect(numbers(variants.takeAll()) == [0, 2] && variants.isEmpty && !variants.isInvalidated)
    }

    @Test("an override takes the place of all; a look-up that has ended may be repeated")
    func overriding() {
        var variants = variants(bench.stored(1), bench.stored(2) { $0.selection = [1] })
        let local = bench.stored(3, isLocal: true)
        #expect(numbers(variants.replaceAll(by: local)) == [1, 2] && numbers(variants.stored) == [3])
        #expect(variants.drop(local, looksUp: true) === local && variants.lookUp == .known)
        variants.forgetLookUp()
        #expect(variants.lookUp == .unknown && variants.beginLookUp() != nil)
        variants.forgetLookUp()
        #expect(variants.lookUp == .looking)
    }

    // MARK: Another configuration

    @Test("under another configuration a response stays, is judged anew or goes, and each of the three is told")
    func judging() {
        let lines = [("Cache-Control", "max-age=60")]
        let (plain, other) = (bench.stored(1, lines), bench.stored(2, lines + [("Vary", "Accept")]))
        var variants = variants(plain, other)
        let unchanged = variants.judge(bench.context, keepsMark: false)
        #expect(unchanged.entered.isEmpty && unchanged.left.isEmpty && unchanged.removed.isEmpty)
        #expect(variants.stored.first === plain && variants.stored.last === other)
        var configuration = Configuration()
        configuration.caching.rules = [CachingRule(name: "r", ttlSeconds: 10)]
        let context = bench.context.by(EffectiveConfiguration(values: configuration, sources: [], partName: nil))
        let judged = variants.judge(context, keepsMark: false)
        #expect(numbers(judged.left) == [1, 2] && numbers(judged.entered) == [1, 2] && judged.removed.isEmpty)
        #expect(variants.stored.map(\.metadata.lifetimeSeconds) == [10, 10] && variants.stored.first !== plain)
        #expect(variants.vary == VaryNames(Workbench.fields([("Vary", "Accept")])))
        configuration.caching.rules = [CachingRule(name: "r", neverCache: true)]
        let never = bench.context.by(EffectiveConfiguration(values: configuration, sources: [], partName: nil))
        let gone = variants.judge(never, keepsMark: false)
        #expect(numbers(gone.left) == [1, 2] && gone.entered.isEmpty && numbers(gone.removed) == [1, 2])
        #expect(variants.isEmpty && variants.vary == nil)
    }

    @Test("a mark outlives another configuration if something else may have it, or a response does")
    func judgingMarks() {
        for keepsMark in [false, true] {
            var marked = variants(bench.stored(1) { $0.isInvalidated = true })
            _ = marked.judge(bench.context, keepsMark: keepsMark)
            #expect(marked.isInvalidated)
        }
        var empty = Variants(looksUp: false)
        _ = empty.invalidateAll(hasOther: true)
        _ = empty.judge(bench.context, keepsMark: true)
        #expect(empty.isInvalidated)
        _ = empty.judge(bench.context, keepsMark: false)
        #expect(!empty.isInvalidated)
    }
}
