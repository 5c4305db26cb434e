/// The transformers of one rule.
public struct TransformListSetting: Sendable, Equatable {
    /// Whether `"none"` comes first: then the transformers of earlier rules are removed.
    public var replacesEarlier = false
    public var steps: [TransformSetting] = []

    public init(replacesEarlier: Bool = false, steps: [TransformSetting] = []) {
        self.replacesEarlier = replacesEarlier
        self.steps = steps
    }
}

/// One transformer of a rule, and when it runs.
public struct TransformSetting: Sendable, Equatable {
    public var kind: TransformKind
    /// Nil: the stage of its kind.
    public var stage: TransformStage?
    /// The media types to which it applies, instead of the rule's; empty: the rule's.
    public var contentTypes: [String] = []
    /// The statuses to which it applies, instead of the rule's; empty: the rule's, otherwise the default of its kind.
    public var statuses: [ClosedRange<UInt16>] = []

    public init(_ kind: TransformKind) { self.kind = kind }

    /// The stage in which it runs.
    public var effectiveStage: TransformStage { stage ?? kind.usualStage }
}

/// The stages of a pipeline, in order, with their names in problem documents.
public enum TransformStage: String, Sendable, CaseIterable {
    case rawData, decoding, parsing, model, cleanup
    /// The last stage, which encodes content for the client.
    case encoding
}

/// What a transformer does.
public enum TransformKind: Sendable, Equatable {
    /// Removes all content codings and serves identity.
    case decode
    /// Converts text to UTF-8.
    case charset
    case jsonValidate
    case jsonMinify
    /// - Parameter indent: the spaces of each level.
    case jsonPretty(indent: Int)
    /// - Parameter path: a path of RFC 9535, or a JSON Pointer.
    case jsonSelect(path: String)
    /// - Parameters:
    ///   - paths: paths of RFC 9535, or JSON Pointers.
    ///   - ignoresCase: whether their names match in any letter case.
    case redact(paths: [String], with: String, ignoresCase: Bool)
    /// - Parameter isExpression: whether `text` is a regular expression.
    case substitute(text: String, with: String, ignoresCase: Bool, isExpression: Bool)
    case fields(FieldChanges)
    /// Turns absolute URLs of JSON and HTML into those of the prefix gateway.
    case links
    /// - Parameters:
    ///   - codings: the codings among which the client may choose.
    ///   - always: whether to encode if the client does not ask for it.
    case encode([ContentCodingName], always: Bool)

    public var usualStage: TransformStage {
        switch self {
        case .decode: .rawData
        case .charset: .decoding
        case .jsonValidate: .parsing
        case .jsonSelect, .redact, .substitute, .links: .model
        case .jsonMinify, .jsonPretty, .fields: .cleanup
        case .encode: .encoding
        }
    }

    public var isRedaction: Bool { if case .redact = self { true } else { false } }
}

/// Changes to the fields of a response.
public struct FieldChanges: Sendable, Equatable {
    /// Fields that replace all of the same name, in the order of the file.
    public var set: [FieldSetting] = []
    /// Fields to append.
    public var add: [FieldSetting] = []
    /// Names of fields to remove; `*` stands for any text.
    public var remove: [String] = []

    public init() {}
}

/// A field with its value.
public struct FieldSetting: Sendable, Equatable {
    public var name: String
    public var value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }
}

/// The content codings that Respite encodes and decodes.
public enum ContentCodingName: String, Sendable, CaseIterable {
    case gzip, deflate, br, zstd
}
