public import HTTPCore

/// One transformer of a pipeline, and the responses to which it applies.
public struct PipelineStep: Sendable {
    /// What to do with a response whose content is larger than a transformer accepts.
    public enum Oversize: String, Sendable { case fail, pass }

    public var transformer: any StreamingTransformer
    /// The content types to which the step applies; empty for any content, also without a type.
    public var contentTypes: [MediaTypePattern]
    /// The statuses to which the step applies; empty for 200…299.
    ///
    /// A redaction has none: it covers all statuses.
    public var statuses: [ClosedRange<UInt16>]
    /// The methods to whose responses the step applies; empty for all.
    ///
    /// HEAD counts as GET.
    public var methods: [Method]
    /// Whether the step runs although `no-transform` forbids it; a redaction always does.
    public var isForced: Bool
    /// What to do with content beyond `TransformLimits.wholeContent`; a redaction always fails.
    public var onOversize: Oversize
    /// For a redaction: whether the store may keep the original and administrators may see it.
    public var keepsOriginal: Bool

    public init(
        _ transformer: any StreamingTransformer,
        contentTypes: [MediaTypePattern] = [],
        statuses: [ClosedRange<UInt16>] = [],
        methods: [Method] = [],
        isForced: Bool = false,
        onOversize: Oversize = .fail,
        keepsOriginal: Bool = false
    ) {
        self.transformer = transformer
        self.contentTypes = contentTypes
        self.statuses = transformer.isRedaction ? [] : statuses
        self.methods = methods
        self.isForced = isForced || transformer.isRedaction
        self.onOversize = transformer.isRedaction ? .fail : onOversize
        self.keepsOriginal = keepsOriginal
    }

    /// Whether the step applies to requests with this method.
    package func applies(to method: Method) -> Bool {
        methods.isEmpty || methods.contains(method == .head ? .get : method)
    }

    /// Whether the step applies to responses with this status.
    package func applies(toStatus status: UInt16) -> Bool {
        if !statuses.isEmpty { return statuses.contains { $0.contains(status) } }
        return transformer.isRedaction || 200...299 ~= status
    }

    /// Whether the step applies to content of this type; nil is content without one.
    package func applies(to type: MediaType?) -> Bool {
        if contentTypes.isEmpty { return true }
        guard let type else { return false }
        return contentTypes.contains { $0.matches(type) }
    }

    /// A text of everything that the effect of the step depends on.
    var fingerprint: String {
        let types = contentTypes.map(\.text).joined(separator: ",")
        let ranges = statuses.map { "\($0.lowerBound)-\($0.upperBound)" }.joined(separator: ",")
        let names = methods.map { String(decoding: $0.bytes, as: UTF8.self) }.joined(separator: ",")
        return [
            transformer.name, transformer.fingerprint, types, ranges, names, isForced ? "force" : "",
            onOversize.rawValue, keepsOriginal ? "keep" : "",
        ].map { "\($0.utf8.count):\($0)" }.joined()
    }
}
