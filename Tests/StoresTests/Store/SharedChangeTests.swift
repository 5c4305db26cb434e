import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import Testing

/// Changes that all nodes which share a tier have to make.
@Suite("Shared changes") struct SharedChangeTests {
    private let one = World.uri("/a")
    private let other = World.uri("/b")

    private func text(_ change: SharedChange) -> String {
        switch change {
        case .purge(let uri): "purge \(uri.text)"
        case .invalidate(let uri): "invalidate \(uri.text)"
        case .purgeTags(let tags): "purge \(tags.count) tags"
        case .purgeMatching(let filter, _): "purge matching \(filter)"
        }
    }

    @Test("a change of a URI is one of what that stands for, too, if it is another one")
    func identity() {
        let (plain, mapped) = ("http://origin.example/a", "http://origin.example/b")
        for (change, word) in [(.purge(one), "purge"), (.invalidate(one), "invalidate")] as [(SharedChange, String)] {
            #expect(change.uri == one)
            #expect(change.all { _ in other }.map(text) == ["\(word) \(plain)", "\(word) \(mapped)"])
            #expect(change.all { $0 }.map(text) == ["\(word) \(plain)"])
        }
    }

    @Test("a change of many is about no URI, and stays as it is")
    func many() {
        for (change, expected) in [(.purgeTags([]), "purge 0 tags"), (.purgeAll, "purge matching **")]
            as [(SharedChange, String)]
        {
            #expect(change.uri == nil && change.all { _ in other }.map(text) == [expected])
        }
        guard case .purgeMatching(_, let condition) = SharedChange.purgeAll else { Issue.record("not all"); return }
        #expect(condition(one) && condition(other))
    }

    @Test("a store that keeps no response of a credential keeps those of everybody; what is of nobody is as private")
    func keeping() {
        let partitions: [Partition?] = [.shared, .credential([1]), nil]
        #expect(partitions.map(MemoryVariantStore(keepsPrivate: false).mayKeep) == [true, false, false])
        #expect(partitions.map(MemoryVariantStore(keepsPrivate: true).mayKeep) == [true, true, true])
    }
}
