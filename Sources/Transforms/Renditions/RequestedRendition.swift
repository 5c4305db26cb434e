package import HTTPCore

/// A pipeline applied to one request: the steps that may change its response, and the key of the rendition.
package struct RequestedRendition: Sendable {
    package struct Step: Sendable {
        package let stage: String
        package let step: PipelineStep
        /// Whether the step runs before anything is stored, up to the last redaction.
        let isBeforeStore: Bool
    }

    package let uri: TargetURI
    package let method: Method
    /// The request fields that transformers see.
    package let request: Fields
    let steps: [Step]
    package let key: RenditionKey
    /// Identifies the redaction of stored content: the store may use only content with this mark.
    ///
    /// Empty if nothing is redacted before the store.
    package let mark: [UInt8]
    package let limits: TransformLimits
    /// Whether content codings can be removed.
    let hasDecoder: Bool

    /// Returns nil if no step applies to the request.
    ///
    /// - Parameters:
    ///   - fields: the client's end-to-end fields.
    ///   - gatewayHost: the Host of a request to the prefix gateway.
    ///   - gatewayIsSecure: whether that request used TLS; transformers see it as `X-Forwarded-Proto`.
    ///   - forbidsTransforming: whether the request has `no-transform`.
    ///   - hasDecoder: whether content codings can be removed.
    package init?(
        uri: TargetURI,
        method: Method,
        fields: Fields,
        gatewayHost: [UInt8]?,
        gatewayIsSecure: Bool,
        forbidsTransforming: Bool,
        pipeline: Pipeline,
        limits: TransformLimits,
        hasDecoder: Bool
    ) {
        guard !pipeline.isEmpty else { return nil }
        var request = fields
        if let gatewayHost {
            let scheme = Array("X-Forwarded-Proto".utf8)
            request.set(.host, gatewayHost)
            // A client's own claim does not count.
            request.remove(named: scheme)
            if gatewayIsSecure { request.append(name: scheme, value: Array("https".utf8)) }
        }
        let sequence = pipeline.sequence
        steps = sequence.enumerated().compactMap { index, entry in
            guard entry.step.applies(to: method), entry.step.isForced || !forbidsTransforming else { return nil }
            return Step(stage: entry.stage.name, step: entry.step, isBeforeStore: index < pipeline.redactingCount)
        }
        guard !steps.isEmpty else { return nil }
        self.uri = uri
        self.method = method
        self.request = request
        self.limits = limits
        self.hasDecoder = hasDecoder
        var parts = steps.map { $0.step.transformer.variation(for: request) }
        let redacting = zip(steps, parts).filter { $0.0.isBeforeStore }.map(\.1)
        if forbidsTransforming, sequence.contains(where: { $0.step.applies(to: method) && !$0.step.isForced }) {
            parts.append("no-transform")
        }
        key = RenditionKey(fingerprint: pipeline.fingerprint, variation: Self.joined(parts))
        mark = redacting.isEmpty ? [] : Array((pipeline.redactingFingerprint + Self.joined(redacting)).utf8)
    }

    /// Joins several texts to one; empty if all are.
    private static func joined(_ parts: [String]) -> String {
        parts.allSatisfy(\.isEmpty) ? "" : parts.map { "\($0.utf8.count):\($0)" }.joined()
    }

    /// The steps that may apply to a response with this head.
    ///
    /// Nil if none does, and the response is served unchanged.
    ///
    /// A 206 is never transformed. If it would have to be redacted, it must not be served at all.
    /// - Parameter forbidsTransforming: whether the response has `no-transform`.
    package func plan(status: UInt16, fields: Fields, forbidsTransforming: Bool) -> PipelinePlan? {
        let type = fields.withValue(of: .contentType) { MediaType($0) } ?? nil
        let chosen = steps.filter { $0.step.applies(toStatus: status) && ($0.step.isForced || !forbidsTransforming) }
        guard chosen.contains(where: { $0.step.applies(to: type) }) else { return nil }
        if status == 206, !chosen.contains(where: \.step.transformer.isRedaction) { return nil }
        return PipelinePlan(rendition: self, steps: chosen, status: status)
    }

    // MARK: Upstream

    /// The request's fields for the origin: without ranges, and accepting only codings that can be removed.
    package func upstream(_ fields: Fields) -> Fields {
        var fields = fields
        fields.removeLines { $0.known == .range || $0.known == .ifRange }
        if steps.contains(where: \.step.transformer.needsDecodedContent) {
            fields.set(.acceptEncoding, hasDecoder ? "gzip, deflate, br, zstd" : "identity")
        }
        return fields
    }

    /// The same for a request that bypasses the cache.
    ///
    /// In its conditions, tags of renditions become the origin's tags again.
    package func passing(_ fields: Fields) -> Fields {
        var fields = upstream(fields)
        for field in [KnownField.ifMatch, .ifNoneMatch] where fields.contains(field) {
            guard fields.text(of: field) != "*" else { continue }
            let tags = EntityTag.list(of: field, in: fields)
            let mapped = tags.map { DerivedTag.original(of: $0, fingerprint: key.fingerprint) ?? $0 }
            if mapped != tags { fields.set(field, Array(mapped.map(\.bytes).joined(separator: [0x2C, 0x20]))) }
        }
        return fields
    }
}
