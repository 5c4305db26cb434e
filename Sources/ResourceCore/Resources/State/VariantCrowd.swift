import HTTPCaching
import HTTPCore

/// Variants that a Vary makes of fields which differ with each client: they fill a resource, and nobody uses them twice.
package struct VariantCrowd {
    /// The word of Cache-Status and `explain`.
    package static let word = "many-variants"

    package let count: Int
    /// The names of Vary by which they differ, each with how many values it has; the most first.
    package let fields: [(name: String, values: Int)]
}

extension Decider {
    /// The variants the request could use if its fields were others, where they are so many that hits are by chance.
    package func crowd(seenBy request: ClientRequest) -> VariantCrowd? {
        let variants = state.variants.stored
        let enough = max(2, min(8, context.configuration.variantLimit / 2))
        guard variants.count >= enough else { return nil }
        let varying = variants.filter { !$0.metadata.vary.isEmpty && request.partitions.rank(of: $0.partition) != nil }
        // Those of different credentials differ by these first of all.
        let byPartition = Dictionary(grouping: varying) { $0.partition }
        guard let crowd = byPartition.values.max(by: { $0.count < $1.count }), crowd.count >= enough else { return nil }
        // Values, or keyed hashes of them: as many differ.
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
