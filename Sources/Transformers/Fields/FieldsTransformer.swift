public import HTTPCore
public import Transforms

/// Removes, sets and adds response fields, in this order (see `FieldEdits`).
public struct FieldsTransformer: StreamingTransformer {
    public typealias Line = FieldEdits.Line

    private let edits: FieldEdits

    /// - Parameters:
    ///   - set: replace all lines with that name.
    ///   - add: are appended to the fields.
    ///   - remove: names, in which `*` matches any characters.
    public init(
        set: [Line] = [],
        add: [Line] = [],
        remove: [String] = []
    ) throws(TransformerOptionError) {
        do throws(FieldEditError) {
            edits = try FieldEdits(set: set, add: add, remove: remove, of: .response)
        } catch {
            throw TransformerOptionError("`fields` \(error.userMessage)")
        }
        guard !edits.isEmpty else {
            throw TransformerOptionError("`fields` has nothing to `set`, `add` or `remove`")
        }
    }

    public var name: String { "fields" }
    public var fingerprint: String { "fields:\(edits.fingerprint)" }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        edits.apply(to: &head.fields)
        return nil
    }
}
