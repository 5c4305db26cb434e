package import HTTPCore

/// The rendition of a response that bypasses the cache.
package struct PassedRendition: Sendable {
    private let rendition: RequestedRendition
    private let limits: GrowingBody.Limits
    private let environment: TransformEnvironment
    /// The client's tags, for which the origin may send a 304.
    private let tags: [EntityTag]

    /// - Parameter request: the client's fields.
    package init(
        _ rendition: RequestedRendition,
        for request: Fields,
        limits: GrowingBody.Limits,
        environment: TransformEnvironment
    ) {
        self.rendition = rendition
        self.limits = limits
        self.environment = environment
        tags = EntityTag.list(of: .ifNoneMatch, in: request)
    }

    /// The request's fields for the origin: without ranges, with codings that can be removed, and with the origin's own
    /// tags.
    package func upstream(_ fields: Fields) -> Fields { rendition.passing(fields) }

    /// Begins to transform a response; nil if no step applies to it, and it is relayed unchanged.
    ///
    /// - Parameters:
    ///   - head: the origin's head, with end-to-end fields only.
    ///   - forbidsTransforming: whether the response has `no-transform`.
    ///   - hasContent: whether content follows.
    ///   - credit: bytes of content that the origin may already send.
    ///   - grant: allows the origin to send more; called on any thread.
    ///   - completion: called once when a head can be sent; on any thread, perhaps inside this call.
    package func begin(
        _ head: ResponseHead,
        forbidsTransforming: Bool,
        hasContent: Bool,
        credit: Int,
        grant: @escaping @Sendable (Int) -> Void,
        completion: @escaping @Sendable (PassedHead) -> Void
    ) -> PassedContent? {
        let plan = rendition.plan(status: head.status, fields: head.fields, forbidsTransforming: forbidsTransforming)
        guard let plan else { return nil }
        let content = PassedContent(
            plan,
            EntityHead(status: head.status, fields: head.fields),
            length: head.contentLength,
            hasContent: hasContent,
            credit: credit,
            limits: limits,
            environment: environment,
            grant: grant
        )
        content.start(announced: head.contentLength, completion)
        return content
    }

    /// The fields of a 304: the tag that the client knows replaces the origin's.
    package func notModified(_ fields: Fields) -> Fields {
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
