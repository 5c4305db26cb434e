import Formats
import HTTPCore
public import Transforms

/// Passes JSON on unchanged, and fails for anything else.
///
/// It needs the whole content, so that no part of invalid content is sent. The top value may be of any kind. Empty
/// content stays empty (S-252).
public struct ValidateTransformer: StreamingTransformer {
    public init() {}

    public var name: String { "json validate" }
    public var fingerprint: String { "json validate 1" }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        WholeContent(limits: context.limits) { content throws(TransformFailure) in
            if content.isEmpty { return [] }
            var meter = WorkMeter(context.budget)
            var scanner = JSONScanner(depthLimit: context.limits.jsonDepth)
            var at = 0
            while let token = try scanner.token(content, &at) { try meter.tick(token.range.count) }
            try scanner.end()
            return [UInt8](copying: content)
        }
    }
}
