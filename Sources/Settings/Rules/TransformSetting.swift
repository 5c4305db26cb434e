/// The transformers of one rule.
public struct TransformListSetting: Sendable, Equatable {
    /// `"none"` comes first: what earlier rules added is taken away.
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
    /// Nil: the usual one of its kind.
    public var stage: TransformStage?
    /// Media types it is for, in place of the rule's; empty: the rule's.
    public var contentTypes: [String] = []
    /// Statuses it is for, in place of the rule's; empty: the rule's, else the usual ones of its kind.
    public var statuses: [ClosedRange<UInt16>] = []

    public init(_ kind: TransformKind) { self.kind = kind }

    /// Where it runs.
    public var effectiveStage: TransformStage { stage ?? kind.usualStage }
}

/// The stages of a pipeline, in order, by the names they have in problem documents.
public enum TransformStage: String, Sendable, CaseIterable {
    case rawData, decoding, parsing, model, cleanup
    /// Behind all others: what the client's own coding is put on in.
    case encoding
}

/// What a transformer does.
public enum TransformKind: Sendable, Equatable {
    /// Takes all content codings off and serves identity.
    case decode
    /// Turns text into UTF-8.
    case charset
    case jsonValidate
    case jsonMinify
    /// - Parameter indent: spaces for each level.
    case jsonPretty(indent: Int)
    /// - Parameter path: of RFC 9535, or a JSON Pointer.
    case jsonSelect(path: String)
    /// - Parameters:
    ///   - paths: of RFC 9535, or JSON Pointers.
    ///   - ignoresCase: names in them are compared without regard to letter case.
    case redact(paths: [String], with: String, ignoresCase: Bool)
    case substitute(text: String, with: String, ignoresCase: Bool)
    case fields(FieldChanges)
    /// Turns absolute URLs of JSON and HTML into those of the prefix gateway.
    case links
    /// - Parameters:
    ///   - codings: as the client may choose.
    ///   - always: codes whether the client asks for it or not.
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
    /// Replaces all of that name; in the order of the file.
    public var set: [FieldSetting] = []
    /// Appended to what is there.
    public var add: [FieldSetting] = []
    /// Names, with `*`.
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

/// The content codings that can be put on and taken off.
public enum ContentCodingName: String, Sendable, CaseIterable {
    case gzip, deflate, br, zstd
}
