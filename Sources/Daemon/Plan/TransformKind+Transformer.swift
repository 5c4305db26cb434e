import HTTPCore
import ResourceCore
import Settings
import Transformers
import Transforms

extension TransformKind {
    /// Makes the transformer.
    ///
    /// - Parameter linked: gets the links in pages of a package index.
    func transformer(_ linked: LinkedRules? = nil) throws(TransformOptionFault) -> any StreamingTransformer {
        do {
            switch self {
            case .decode: return DecodeTransformer()
            case .jsonValidate: return ValidateTransformer()
            case .jsonMinify: return MinifyTransformer()
            case .jsonPretty(let indent): return try PrettyTransformer(indent: indent)
            case .jsonSelect(let path): return try SelectTransformer(path: path)
            case .redact(let paths, let with, let ignoresCase):
                return try RedactTransformer(paths: paths, replacement: with, ignoreCase: ignoresCase)
            case .encode(let codings, let always):
                return try EncodeTransformer(codings: codings.map(\.rawValue), always: always)
            case .charset: return try CharsetTransformer()
            case .substitute(let text, let with, let ignoresCase, isExpression: false):
                return try SubstituteTransformer(text, with: with, ignoreCase: ignoresCase)
            case .substitute(let text, let with, let ignoresCase, isExpression: true):
                return try ReplaceTransformer(text, with: with, ignoreCase: ignoresCase)
            case .fields(let changes):
                return try FieldsTransformer(
                    set: changes.set.map { .init(name: $0.name, value: $0.value) },
                    add: changes.add.map { .init(name: $0.name, value: $0.value) },
                    remove: changes.remove
                )
            case .links: return try LinksTransformer(report: linked?.report)
            }
        } catch let error as JSONOptionError {
            throw TransformOptionFault(error, member: member(error.pathIndex))
        } catch let error as TransformerOptionError {
            throw TransformOptionFault(userMessage: error.userMessage, member: nil)
        } catch {
            throw TransformOptionFault(userMessage: "\(error)", member: nil)
        }
    }

    /// The media types to which it applies if neither rule nor transformer names any; empty: all.
    ///
    /// A redaction applies to all types: it refuses content that it cannot read.
    var usualContentTypes: [MediaTypePattern] {
        switch self {
        case .jsonValidate, .jsonMinify, .jsonPretty, .jsonSelect: JSONMediaTypes.patterns
        default: []
        }
    }

    /// The option that has the fault.
    private func member(_ index: Int?) -> String? {
        switch self {
        case .jsonPretty: "indent"
        case .jsonSelect: "path"
        case .redact: index.map { "redact[\($0)]" } ?? "redact"
        default: nil
        }
    }
}

extension TransformOptionFault {
    init(_ error: JSONOptionError, member: String?) {
        let position = error.column.map { " (at character \($0) of it)" } ?? ""
        self.init(userMessage: error.userMessage + position, member: member)
    }
}
