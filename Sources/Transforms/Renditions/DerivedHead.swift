package import HTTPCore

/// The head of a transformed response.
package enum DerivedHead {
    /// The response fields after the transformers, except for Content-Length, which the caller knows.
    ///
    /// A rendition has its own validators. Its tag is made from the original's tag or else from a digest. It has no
    /// Last-Modified, which would not change with the rules. Digests of the original's content are removed.
    ///
    /// - Parameters:
    ///   - original: the origin's fields.
    ///   - digest: of the transformed content, if it is known.
    package static func fields(
        _ outline: PipelinePlan.Outline,
        of original: Fields,
        _ key: RenditionKey,
        digest: String?
    ) -> Fields {
        let given = outline.head.fields
        var fields = given
        fields.removeLines { line in
            switch line.known {
            case .lastModified, .contentLength, .etag, .acceptRanges: true
            case .trailer: outline.changesContent
            default: outline.changesContent && isDigest(line, given)
            }
        }
        if let tag = original.withValue(of: .etag, { EntityTag($0) }) ?? nil {
            fields.append(.etag, DerivedTag.tag(tag, key).bytes)
        } else if let digest {
            fields.append(.etag, DerivedTag.tag(digest: digest, key).bytes)
        }
        if original.combined(.contentEncoding) != fields.combined(.contentEncoding) { nominate(&fields) }
        return fields
    }

    private static let digests = ["content-md5", "digest", "content-digest", "repr-digest"].map { Array($0.utf8) }

    package static func isDigest(_ line: Fields.Line, _ fields: Fields) -> Bool {
        guard line.known == nil else { return false }
        let name = fields.name(of: line).map(\.asciiLowercased)
        return digests.contains(name)
    }

    /// Adds Accept-Encoding to Vary: since the coding is chosen here, downstream caches must know.
    private static func nominate(_ fields: inout Fields) {
        let names = fields.combined(.vary).map { String(decoding: $0, as: UTF8.self).lowercased() } ?? ""
        let members = names.split { $0 == "," || $0 == " " || $0 == "\t" }
        if !members.contains("accept-encoding") && !members.contains("*") { fields.append(.vary, "Accept-Encoding") }
    }
}
