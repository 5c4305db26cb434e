import HTTPCaching
import HTTPCore

/// Many variants, by a Vary on fields that differ for each client: they fill a resource and are hardly used twice.
package struct VariantCrowd {
    /// The word of Cache-Status and `explain`.
    package static let word = "many-variants"

    package let count: Int
    /// The names in Vary by which they differ, each with its number of values; the largest number first.
    package let fields: [(name: String, values: Int)]
}

extension Decider {
    /// The variants that the request could use with other fields, if they are so many that hits are chance.
    package func crowd(seenBy request: ClientRequest) -> VariantCrowd? {
        let variants = state.variants.stored
        let enough = max(2, min(8, context.configuration.variantLimit / 2))
        guard variants.count >= enough else { return nil }
        let varying = variants.filter { !$0.metadata.vary.isEmpty && request.partitions.rank(of: $0.partition) != nil }
        // Different credentials alone make variants differ: only those of one partition are compared.
        let byPartition = Dictionary(grouping: varying) { $0.partition }
        guard let crowd = byPartition.values.max(by: { $0.count < $1.count }), crowd.count >= enough else { return nil }
        // Values or their keyed hashes: the number of different ones is the same.
        let parts = crowd.map { SelectionPart.all(of: $0.selection) ?? [] }
        let fields = Set(crowd.flatMap(\.metadata.vary.names)).map { name in
            let values = parts.map { part in part.first { $0.name == name } }
            let distinct = values.indices.filter { values.firstIndex(of: values[$0]) == $0 }.count
            return (name: String(decoding: name, as: UTF8.self), values: distinct)
        }
        return VariantCrowd(
            count: crowd.count,
            fields: fields.filter { $0.values > 1 }.sorted { ($1.values, $0.name) < ($0.values, $1.name) }
        )
    }
}
