import HTTPCaching
import Transforms

/// What is configured for a resource and a method, and by what; never changes.
///
/// Resources to which the same closures apply share it.
public final class EffectiveConfiguration: Sendable {
    /// A closure that applied.
    public struct Source: Sendable, Equatable {
        /// Its place among all that were added, from 1.
        public let number: Int
        public let description: String
    }

    public let values: Configuration
    /// What applied, in order.
    public let sources: [Source]
    /// The named part of the service that the URI belongs to; nil: to none.
    public let partName: String?

    /// Whether requests go past the core: nothing they bring may be cached.
    package let isNeverCached: Bool
    /// Where a request without fields looks.
    let anonymousPartitions: Partitions
    /// Whether no rule says more of the key than the URI does.
    let hasPlainKeys: Bool
    /// Whether neither a rule nor a pipeline has anything to do with what is asked for.
    let acceptsRequestsUnchanged: Bool

    /// What is configured where nothing is.
    static let defaults = EffectiveConfiguration(values: Configuration(), sources: [], partName: nil)

    /// - Parameter anonymousPartitions: where a request without fields looks by the rules of `values`.
    init(values: Configuration, sources: [Source], partName: String?, anonymousPartitions: Partitions = Partitions()) {
        self.values = values
        isNeverCached = values.caching.neverCachedBy != nil
        self.anonymousPartitions = anonymousPartitions
        hasPlainKeys = values.caching.keying.isEmpty
        acceptsRequestsUnchanged = values.caching.rules.isEmpty && values.pipeline.isEmpty
        self.sources = sources
        self.partName = partName
    }
}
