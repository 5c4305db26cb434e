import Configurations
import HTTPCaching
import HTTPCore
import ResourceCore
import ResourceDoubles
import Stores
import Testing

/// What follows from a configuration, and what people are told of it.
@Suite("An effective configuration") struct EffectiveConfigurationTests {
    private func effective(_ change: (inout Configuration) -> Void) -> EffectiveConfiguration {
        var configuration = Configuration()
        change(&configuration)
        return EffectiveConfiguration(values: configuration, sources: [], partName: nil)
    }

    private func effective(_ rule: CachingRule) -> EffectiveConfiguration { effective { $0.caching.rules = [rule] } }

    // MARK: What follows

    private func claims(_ one: EffectiveConfiguration) -> [Bool] {
        [one.isNeverCached, one.keysAreURIs, one.showsHits, one.acceptsRequestsUnchanged]
    }

    @Test("what rules say decides whether anything is cached, what the key is, and whether requests are looked at")
    func consequences() {
        #expect(claims(.defaults) == [false, true, true, true] && claims(effective { _ in }) == claims(.defaults))
        #expect(claims(effective(CachingRule(name: "r", ttlSeconds: 60))) == [false, true, true, false])
        #expect(claims(effective(CachingRule(name: "r", neverCache: true))) == [true, true, true, false])
        let (fields, name) = ([Array("X-Key".utf8)], RulePartition.named("n"))
        #expect(claims(effective(CachingRule(name: "r", keyFields: fields))) == [false, false, false, false])
        #expect(claims(effective(CachingRule(name: "r", partition: name))) == [false, false, false, false])
        #expect(claims(effective { $0.actsOnRequests = true }) == [false, true, false, true])
    }

    @Test("requests without fields share a partition of their own where rules name one")
    func anonymousPartitions() {
        let world = World()
        #expect(world.service.configuration(for: World.uri("/a")).anonymousPartitions == Partitions())
        #expect(EffectiveConfiguration.defaults.anonymousPartitions == Partitions())
        world.service.configuration.caching.rules = [CachingRule(name: "r", partition: .named("n"))]
        let partitions = world.service.configuration(for: World.uri("/a")).anonymousPartitions
        #expect(partitions.common != .shared && partitions.own == nil && partitions.credential == nil)
        #expect(world.resource().commonPartition == partitions.common)
    }

    // MARK: Sharing

    /// A URI whose last bytes are the lowest bits of a number.
    private func uri(_ number: Int) -> TargetURI {
        World.uri("/" + (0..<13).reversed().map { number >> $0 & 1 == 1 ? "1" : "0" }.joined())
    }

    @Test("of the combinations of entries 4,096 are made once; a further one is made for each resource")
    func limit() {
        let service = World().service
        service.reconfigure { list in
            for bit in 0..<13 {
                let pattern = PredicatePattern(description: "\(bit)") { $0.bytes[$0.bytes.count - 1 - bit] == 0x31 }
                list.configure(pattern) { $0.expirationTime += .seconds(1 << bit) }
            }
        }
        let made = (1...4096).map { service.configuration(for: uri($0)) }
        #expect(made[0].sources.map(\.description) == ["0"] && made[4095].sources.map(\.number) == [13])
        #expect(made[2].values.expirationTime == .seconds(33) && made[2].sources.map(\.number) == [1, 2])
        for number in [1, 2, 4095, 4096] { #expect(service.configuration(for: uri(number)) === made[number - 1]) }
        let further = (0..<2).map { _ in service.configuration(for: uri(4097)) }
        #expect(further[0] !== further[1] && further[0].values.expirationTime == .seconds(30 + 4097))
        #expect(service.configuration(for: uri(0)) === service.configuration(for: World.uri("/0000000000000")))
    }

    @Test("the configuration of a named part is another than that of URIs outside, though no entry applies to either")
    func parts() throws {
        let service = World().service
        try service.reconfigure { list throws(ServiceBases.Conflict) in
            list.bases = try ServiceBases([ServiceBase(name: "api", url: World.uri("/api"))])
        }
        let (inside, outside) = (World.uri("/api/x"), World.uri("/x"))
        #expect(service.configuration(for: inside).partName == "api")
        #expect(service.configuration(for: inside) === service.configuration(for: World.uri("/api/y")))
        #expect(service.configuration(for: outside).partName == nil)
    }

    // MARK: What people read

    @Test("it is described by its entries, its times and what rules change in requests, without values of fields")
    func description() throws {
        let times = "expirationTime 30.0 seconds; retryTime 1.0 seconds"
        #expect(EffectiveConfiguration.defaults.description == "no entries; \(times)")
        let edits = try FieldEdits(set: [FieldEdits.Line(name: "X-A", value: "secret")], of: .request)
        let service = World().service
        service.reconfigure { list in
            list.defaults.requestEdits = [edits]
            list.configure(description: "all") { _ in }
            list.configure("http://origin.example/b", description: "other") { _ in }
            list.configure("http://origin.example/a") { _ in }
        }
        let made = service.configuration(for: World.uri("/a"))
        let entries = "entries 1 [all], 3 [http://origin.example/a]"
        #expect(made.description == "\(entries); \(times); a rule sets X-A in requests")
    }

    // MARK: Added values

    private enum Mark: ConfigurationKey {
        static let defaultValue = 7
        static func descriptions(of value: Int) -> [String] { ["mark \(value)"] }
    }

    private enum Silent: ConfigurationKey {
        static let defaultValue = "nothing"
    }

    @Test("a value that another module adds has its default until it is set, and is described from then on")
    func added() {
        var configuration = Configuration()
        #expect(configuration[Mark.self] == 7 && configuration[Silent.self] == "nothing")
        #expect(configuration.addedDescriptions.isEmpty)
        configuration[Mark.self] = 8
        let before = configuration
        configuration[Mark.self] += 1
        configuration[Silent.self] = "something"
        #expect(before[Mark.self] == 8 && configuration[Mark.self] == 9 && configuration[Silent.self] == "something")
        #expect(configuration.addedDescriptions == ["mark 9"])
    }
}
