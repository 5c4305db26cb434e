public import HTTPCore

/// One transformer of a pipeline, and to which responses it applies.
public struct PipelineStep: Sendable {
    /// What becomes of a response whose content is larger than a transformer takes in.
    public enum Oversize: String, Sendable { case fail, pass }

    public var transformer: any StreamingTransformer
    /// Applies to content of these types only; empty: to any, also to content without a type.
    public var contentTypes: [MediaTypePattern]
    /// Applies to these statuses only; empty: to 200…299.
    ///
    /// Redaction has none: it covers all statuses.
    public var statuses: [ClosedRange<UInt16>]
    /// Applies to responses to these methods only; empty: to all.
    ///
    /// HEAD goes with GET.
    public var methods: [Method]
    /// Runs also where `no-transform` forbids it; redaction always does.
    public var isForced: Bool
    /// What happens beyond `TransformLimits.wholeContent`; redaction always fails.
    public var onOversize: Oversize
    /// Of a redaction: whether the original may be kept in the store and shown to administrators.
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

    /// Whether it concerns requests of this method.
    package func applies(to method: Method) -> Bool {
        methods.isEmpty || methods.contains(method == .head ? .get : method)
    }

    /// Whether it concerns responses of this status.
    package func applies(toStatus status: UInt16) -> Bool {
        if !statuses.isEmpty { return statuses.contains { $0.contains(status) } }
        return transformer.isRedaction || 200...299 ~= status
    }

    /// Whether it concerns content of this type; nil is content without one.
    package func applies(to type: MediaType?) -> Bool {
        if contentTypes.isEmpty { return true }
        guard let type else { return false }
        return contentTypes.contains { $0.matches(type) }
    }

    /// Everything its effect depends on.
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
