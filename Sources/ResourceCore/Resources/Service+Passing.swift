package import HTTPCore
package import Transforms

/// Responses that bypass the cache.
extension Service {
    /// Whether a step redacts responses of the resource at `uri`: then none may bypass the pipeline.
    package func redacts(_ uri: TargetURI) -> Bool { configuration(for: uri).values.pipeline.redacts }

    /// The rendition that the pipeline makes of a response that bypasses the core; nil if none.
    ///
    /// - Parameters:
    ///   - uri: of the resource.
    ///   - method: of the request.
    ///   - request: called only if there is a pipeline.
    package func passedRendition(for uri: TargetURI, method: Method, _ request: () -> ClientRequest) -> PassedRendition?
    {
        // A HEAD gets the head of the response to GET.
        let values = configuration(for: uri, method: method == .head ? .get : method).values
        if values.pipeline.isEmpty { return nil }
        let request = request()
        var prepared = request
        prepared.prepare(values, table.environment)
        return prepared.rendition.map { rendition in
            PassedRendition(
                rendition,
                for: request.fields,
                limits: values.body,
                environment: table.environment.transforms
            )
        }
    }
}
