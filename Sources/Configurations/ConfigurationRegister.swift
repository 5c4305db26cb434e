package import HTTPCore
import Locking
package import Stores

/// The present configuration of a service, replaced as a whole.
package final class ConfigurationRegister: Sendable {
    private let hasher: any PartitionHasher
    /// Runs after each change.
    private let didChange: @Sendable (ConfigurationList) -> Void
    private let current: Lock<ConfigurationEdition>

    package init(
        _ list: ConfigurationList,
        hasher: any PartitionHasher,
        didChange: @escaping @Sendable (ConfigurationList) -> Void
    ) {
        self.hasher = hasher
        self.didChange = didChange
        current = Lock(ConfigurationEdition(list, hasher))
    }

    private var edition: ConfigurationEdition { current.withLock { $0 } }

    package var list: ConfigurationList { edition.list }

    /// Replaces the list by what `change` makes of it, as a whole; nothing changes if that throws.
    ///
    /// `change` runs under no lock, and again if another thread was faster.
    package func change<E: Error>(_ change: (inout ConfigurationList) throws(E) -> Void) throws(E) {
        var isDone = false
        while !isDone {
            let old = edition
            var list = old.list
            try change(&list)
            let new = ConfigurationEdition(list, hasher)
            isDone = current.withLock { current in
                guard current === old else { return false }
                current = new
                return true
            }
        }
        // Only now: a caller that learns of the change must find the new edition.
        didChange(list)
    }

    package func effective(for uri: TargetURI, _ method: Method) -> EffectiveConfiguration {
        edition.effective(for: uri, method)
    }

    package var queryRules: [QueryRule] { edition.list.queryRules }
    package var actsOnRequests: Bool { edition.list.actsOnRequests }
}

/// One state of the list, with the configurations made of it so far.
final class ConfigurationEdition: Sendable {
    /// All that decides the result: closures have no other input than the configuration so far.
    private struct Key: Hashable {
        let numbers: [Int]
        let partName: String?
        let isForQuestions: Bool
    }

    let list: ConfigurationList
    private let hasher: any PartitionHasher
    /// The configuration of URIs to which no entry applies.
    private let unchanged: EffectiveConfiguration
    private let made = Lock<[Key: EffectiveConfiguration]>([:])
    /// The most combinations to keep: hundreds of rules could make many more.
    private static let limit = 4096

    init(_ list: ConfigurationList, _ hasher: any PartitionHasher) {
        self.list = list
        self.hasher = hasher
        unchanged = Self.effective(list.defaults, [], nil, hasher)
    }

    private static func effective(
        _ values: Configuration,
        _ sources: [EffectiveConfiguration.Source],
        _ partName: String?,
        _ hasher: any PartitionHasher
    ) -> EffectiveConfiguration {
        EffectiveConfiguration(
            values: values,
            sources: sources,
            partName: partName,
            anonymousPartitions: Partitions().keyed(values.caching, Fields(), hasher)
        )
    }

    /// Runs the closures that apply, once for each combination of them.
    func effective(for uri: TargetURI, _ method: Method) -> EffectiveConfiguration {
        let partName = list.bases.owner(of: uri)?.name
        let numbers = list.entries.indices.filter { list.entries[$0].applies(to: uri, method, owner: partName) }
        let isForQuestions = uri.isQuestion && !(numbers.isEmpty && list.defaults.caching.rules.isEmpty)
        if numbers.isEmpty, partName == nil, !isForQuestions { return unchanged }
        let key = Key(numbers: numbers, partName: partName, isForQuestions: isForQuestions)
        if let known = made.withLock({ $0[key] }) { return known }
        var values = list.defaults
        for number in numbers { list.entries[number].change(&values) }
        values.caching.isForQuestions = isForQuestions
        let sources = numbers.map {
            EffectiveConfiguration.Source(number: $0 + 1, description: list.entries[$0].description)
        }
        let effective = Self.effective(values, sources, partName, hasher)
        return made.withLock { made in
            if let known = made[key] { return known }
            if made.count < Self.limit { made[key] = effective }
            return effective
        }
    }
}
