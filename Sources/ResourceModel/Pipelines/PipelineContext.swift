import Exchanges
import HTTPCore
import ResourceCore
import Transforms

/// The context of a response that goes through a pipeline for a program.
struct PipelineContext: Sendable {
    let uri: TargetURI
    /// As sent; the configuration for it has the pipeline (S-173).
    let method: Method
    /// The request's fields as sent.
    let request: Fields
    /// Nil: no response came.
    let status: UInt16?
    /// Whether the response has no content by its nature: content transformers then do not run (S-252).
    private(set) var isBodiless: Bool
    let limits: TransformLimits
    let environment: TransformEnvironment

    /// - Parameters:
    ///   - hasContent: false if the provider reports none, whatever method and status are.
    init(
        uri: TargetURI,
        method: Method,
        request: Fields = Fields(),
        status: UInt16?,
        hasContent: Bool = true,
        limits: TransformLimits,
        environment: CoreEnvironment
    ) {
        self.uri = uri
        self.method = method
        self.request = request
        self.status = status
        isBodiless = !hasContent || method == .head || status.map(Self.isBodiless) ?? false
        self.limits = limits
        self.environment = environment.transforms
    }

    /// 1xx, 204, 205 and 304 never have content (RFC 9110 §6.4.1, §15.3.6).
    private static func isBodiless(_ status: UInt16) -> Bool {
        status < 200 || status == 204 || status == 205 || status == 304
    }
}

extension PipelineContext {
    /// The context for a cached entity: its content decides whether there is any.
    func forEntity(_ entity: Entity<any Sendable>) -> PipelineContext {
        var copy = self
        copy.isBodiless = (entity.content as? [UInt8])?.isEmpty ?? false
        return copy
    }
}
