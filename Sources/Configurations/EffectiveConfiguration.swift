import Exchanges
import HTTPCaching
package import Stores
import Transforms

/// The configuration of a resource for one method, and the entries that it comes from; never changes.
///
/// Resources share it if the same closures apply to them.
@dynamicMemberLookup public final class EffectiveConfiguration: Sendable {
    /// A closure that applied.
    public struct Source: Sendable, Equatable {
        /// The position in the list of entries, from 1.
        public let number: Int
        public let description: String
    }

    public let values: Configuration
    /// A value by its name, such as `resource.configuration.expirationTime`.
    public subscript<Value>(dynamicMember path: KeyPath<Configuration, Value>) -> Value { values[keyPath: path] }
    /// The entries that applied, in order.
    public let sources: [Source]
    /// The named part of the service that the URI belongs to, if any.
    package let partName: String?
    /// Whether requests bypass the core because nothing may be cached.
    package let isNeverCached: Bool
    /// The partitions of a request without fields.
    package let anonymousPartitions: Partitions
    /// Whether the URI alone is the cache key: no rule adds to it.
    package let keysAreURIs: Bool
    /// Whether the table may show shared hits: no rule adds to the key, refuses requests or acts on each.
    package let showsHits: Bool
    /// Whether neither a rule nor a pipeline changes requests.
    package let acceptsRequestsUnchanged: Bool

    /// The configuration where nothing is configured.
    package static let defaults = EffectiveConfiguration(values: Configuration(), sources: [], partName: nil)

    package init(
        values: Configuration,
        sources: [Source],
        partName: String?,
        anonymousPartitions: Partitions = Partitions()
    ) {
        self.values = values
        isNeverCached = values.caching.neverCachedBy != nil
        self.anonymousPartitions = anonymousPartitions
        keysAreURIs = values.caching.keying.isEmpty
        showsHits = keysAreURIs && values.policies.denial == nil && !values.actsOnRequests
        acceptsRequestsUnchanged = values.caching.rules.isEmpty && values.pipeline.isEmpty
        self.sources = sources
        self.partName = partName
    }
}
