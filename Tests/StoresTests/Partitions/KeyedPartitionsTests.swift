import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import Testing

/// How rules change the partitions of a request (C-25.1).
@Suite("Partitions under rules") struct KeyedPartitionsTests {
    private let own = Partition.credential([1])
    private let credential = Partition.credential([2])

    private func keyed(
        _ partitions: Partitions,
        _ rules: CachingRule...,
        fields: [(String, String)] = [],
        isLoopback: Bool = true
    ) -> Partitions {
        var options = CachingOptions()
        options.rules = rules
        options.isLoopbackListener = isLoopback
        var list = Fields()
        for (name, value) in fields { list.append(name: name, value: value) }
        return partitions.keyed(options, list, PlainHasher())
    }

    private func user(_ name: String?) -> Partitions {
        var partitions = Partitions()
        partitions.user = name
        return partitions
    }

    @Test("without a rule that is about them partitions stay as they are")
    func unchanged() {
        let partitions = Partitions(own: own, credential: credential)
        #expect(keyed(partitions) == partitions && keyed(partitions, CachingRule(name: "r")) == partitions)
        #expect(keyed(Partitions(), CachingRule(name: "r", partition: .credential)) == Partitions())
    }

    @Test("where each credential has all for itself, its own partition takes the place of the others")
    func credentials() {
        let result = keyed(Partitions(own: own, credential: credential), CachingRule(name: "r", partition: .credential))
        #expect(result.own == own && result.credential == own && result.common == own)
    }

    @Test("where each user has, two users share nothing, and requests without a login have one partition together")
    func users() {
        let rule = CachingRule(name: "r", partition: .user)
        let results = [user("ann"), user("bob"), user(nil), user("")].map { keyed($0, rule) }
        #expect(Set(results.map(\.common)).count == 3 && results[2].common == results[3].common)
        #expect(results.allSatisfy { $0.rank(of: .shared) == nil && $0.own == nil && $0.credential == nil })
        #expect(results.map(\.user) == ["ann", "bob", nil, ""])
        #expect(keyed(user("ann"), rule) == results[0])
    }

    @Test("a rule that keeps private responses gives requests without a credential a partition, one for each user")
    func privateWithoutCredential() {
        let rule = CachingRule(name: "r", cacheEven: .responsePrivate)
        let results = [user(nil), user("ann"), user("bob")].map { keyed($0, rule) }
        #expect(Set(results.map(\.own)).count == 3 && results.allSatisfy { $0.own != nil && $0.common == .shared })
        let partitions = Partitions(own: own, credential: credential)
        #expect(keyed(partitions, rule) == partitions)
        #expect(keyed(user(nil), rule, isLoopback: false).own == nil)
    }

    @Test("fields that a rule adds to the key keep all partitions apart by their values, and the user stays")
    func fields() {
        let rule = CachingRule(name: "r", keyFields: [Array("X-Key".utf8)])
        var partitions = Partitions(own: own, credential: credential)
        partitions.user = "ann"
        let results = ["1", "2"].map { keyed(partitions, rule, fields: [("X-Key", $0)]) }
        #expect(results[0] == keyed(partitions, rule, fields: [("x-key", "1"), ("X-Other", "3")]))
        let all = results.flatMap { [$0.own, $0.credential, $0.common] }
        #expect(Set(all).count == 6 && !all.contains(own) && !all.contains(Partition.shared))
        #expect(results.allSatisfy { $0.user == "ann" })
        var options = CachingOptions()
        #expect(Partition.common(options, PlainHasher()) == .shared)
        options.rules = [rule]
        #expect(Partition.common(options, PlainHasher()) == keyed(Partitions(), rule).common)
        #expect(Partition.common(options, PlainHasher()) != .shared)
    }
}
