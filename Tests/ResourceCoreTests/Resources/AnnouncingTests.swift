import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import Stores
import TestDoubles
import Testing
import Transforms

/// What a service tells the other nodes of a shared tier.
@Suite("Announced changes") struct AnnouncingTests {
    @Test("the store announces each change once; a query rule adds the same change of the URI that is stored")
    func queryRules() throws {
        let store = AnnouncingStore()
        let environment = CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher(), store: store)
        let service = Service(name: "test", table: ResourceTable(environment: environment))
        let uri = World.uri("/a?utm_x=1")
        let tag = try #require(CacheTag("news".utf8))
        for change in [.purge(uri), .invalidate(uri), .purgeTags([tag]), .purgeAll] as [SharedChange] {
            service.announce(change)
        }
        let (own, other) = ("http://origin.example/a?utm_x=1", "http://origin.example/a")
        #expect(store.announced.value == ["purge \(own)", "invalidate \(own)", "purge 1 tags", "purge matching **"])
        store.announced.change { $0 = [] }
        let rule = QueryRule(try URLGlob("http://origin.example/**"), dropping: ["utm_*"])
        service.reconfigure { $0.queryRules = [rule] }
        service.announce(.purge(uri))
        service.announce(.invalidate(uri))
        service.announce(.purge(World.uri("/a")))
        #expect(
            store.announced.value == [
                "purge \(own)", "purge \(other)", "invalidate \(own)", "invalidate \(other)", "purge \(other)",
            ]
        )
    }
}

/// Keeps nothing, and notes what other nodes are told.
private final class AnnouncingStore: VariantStore {
    let announced = LockedBox<[String]>([])

    func announce(_ change: SharedChange) {
        let text =
            switch change {
            case .purge(let uri): "purge \(uri.text)"
            case .invalidate(let uri): "invalidate \(uri.text)"
            case .purgeTags(let tags): "purge \(tags.count) tags"
            case .purgeMatching(let text, _): "purge matching \(text)"
            }
        announced.change { $0.append(text) }
    }

    func lookUp(_ uri: TargetURI, _ completion: @escaping @Sendable ([StoredRecord]) -> Void) {}
    func makeBody(expected: Int64?) -> (any BodyWriter)? { nil }
    func commit(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {}
    func freshen(_ record: StoredRecord, durable: @escaping @Sendable (Bool) -> Void) {}
    func invalidate(_ uri: TargetURI, durable: @escaping @Sendable (Bool) -> Void) {}
    func remove(_ uri: TargetURI, partition: Partition, selection: [UInt8]) {}
    func remove(_ uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {}
    func removeAll(
        where condition: @escaping @Sendable (TargetURI) -> Bool,
        _ completion: @escaping @Sendable (Int) -> Void
    ) {}
    func removeAll(taggedBy tags: Set<CacheTag>, _ completion: @escaping @Sendable (Int) -> Void) {}
    func list(taggedBy tags: Set<CacheTag>, _ then: @escaping @Sendable ([TargetURI]) -> Void) {}
    func list(
        after last: Int64,
        limit: Int,
        where test: any RowTest,
        _ then: @escaping @Sendable (StoredPage) -> Void
    ) {}
    func flush(_ completion: @escaping @Sendable () -> Void) {}
}
