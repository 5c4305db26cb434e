public import HTTPCore
package import Transforms

/// Responses that pass the cache.
extension Service {
    /// Whether a step redacts responses of the resource at `uri`: then nothing may pass it unread.
    public func redacts(_ uri: TargetURI) -> Bool { configuration(for: uri).values.pipeline.redacts }

    /// What the pipeline makes of the response to a request that passes the core; nil if nothing.
    ///
    /// - Parameters:
    ///   - uri: of the resource.
    ///   - method: of the request.
    ///   - request: asked for only where there is a pipeline.
    package func passedRendition(for uri: TargetURI, method: Method, _ request: () -> ClientRequest) -> PassedRendition?
    {
        // What a HEAD tells is about the response to GET.
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
