import HTTPCaching
public import HTTPCore
public import Transforms

/// What a pipeline makes of the response to a request that passes the core.
public struct PassedRendition: Sendable {
    private let rendition: RequestedRendition
    private let configuration: Configuration
    private let environment: CoreEnvironment
    /// The client's tags for which a 304 may come.
    private let tags: [EntityTag]

    init?(_ request: ClientRequest, _ configuration: Configuration, _ environment: CoreEnvironment) {
        var prepared = request
        prepared.prepare(configuration, environment)
        guard let rendition = prepared.rendition else { return nil }
        self.rendition = rendition
        self.configuration = configuration
        self.environment = environment
        tags = EntityTag.list(of: .ifNoneMatch, in: request.fields)
    }

    /// The request's fields as they go to the origin: whole responses, codings that can be taken off, the origin's own
    /// tags.
    public func upstream(_ fields: Fields) -> Fields { rendition.passing(fields) }

    /// Begins to transform a response; nil if nothing applies to it, and it is relayed as it came.
    ///
    /// - Parameters:
    ///   - head: the origin's, end-to-end fields only.
    ///   - hasContent: content follows.
    ///   - credit: bytes of content the origin may send already.
    ///   - grant: allows it more; on any thread.
    ///   - completion: told once when a head can be sent; on any thread, perhaps inside this call.
    public func begin(
        _ head: ResponseHead,
        hasContent: Bool,
        credit: Int,
        grant: @escaping @Sendable (Int) -> Void,
        completion: @escaping @Sendable (PassedHead) -> Void
    ) -> PassedContent? {
        guard let plan = rendition.plan(status: head.status, fields: head.fields) else { return nil }
        let content = PassedContent(
            plan,
            EntityHead(status: head.status, fields: head.fields),
            length: hasContent ? head.contentLength : 0,
            hasContent: hasContent,
            credit: credit,
            limits: configuration.body,
            environment: environment,
            grant: grant
        )
        content.start(announced: head.contentLength, completion)
        return content
    }

    /// The fields of a 304: the tag the client knows stands for the origin's.
    public func notModified(_ fields: Fields) -> Fields {
        guard let received = fields.withValue(of: .etag, { EntityTag($0) }) ?? nil else { return fields }
        let known = tags.first { tag in
            DerivedTag.original(of: tag, fingerprint: rendition.key.fingerprint)?.matchesWeakly(received) ?? false
        }
        guard let known else { return fields }
        var fields = fields
        fields.set(.etag, known.bytes)
        fields.remove(.lastModified)
        return fields
    }
}

extension Service {
    /// Whether a step redacts responses of the resource at `uri`: then nothing may pass it unread.
    public func redacts(_ uri: TargetURI) -> Bool { configuration(for: uri).values.pipeline.redacts }

    /// What the pipeline makes of the response to a request that passes the core; nil if nothing.
    ///
    /// - Parameters:
    ///   - uri: of the resource.
    ///   - method: of the request.
    ///   - request: asked for only where there is a pipeline.
    public func passedRendition(for uri: TargetURI, method: Method, _ request: () -> ClientRequest) -> PassedRendition?
    {
        // What a HEAD tells is about the response to GET.
        let values = configuration(for: uri, method: method == .head ? .get : method).values
        return values.pipeline.isEmpty ? nil : PassedRendition(request(), values, table.environment)
    }
}

/// The beginning of a transformed response that passes the core.
public enum PassedHead: Sendable {
    /// - Parameters:
    ///   - contentLength: nil if it is not known yet.
    ///   - body: nil where no content follows.
    case response(status: UInt16, fields: Fields, contentLength: Int64?, body: GrowingBody?)
    case failure(ResourceError)
}
