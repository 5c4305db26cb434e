package import HTTPCore

/// The head clients get of a derived entity.
package enum DerivedHead {
    /// The fields, made of what the transformers left; without Content-Length, which goes by the content.
    ///
    /// Derived content has validators of its own: a tag made of the original's, else of a digest; no Last-Modified, since a
    /// changed rule would make it lie. What was computed over the original's content goes.
    /// - Parameters:
    ///   - original: the origin's fields.
    ///   - digest: of the derived content, if it is known.
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

    /// The coding is chosen here: caches behind us have to know.
    private static func nominate(_ fields: inout Fields) {
        let names = fields.combined(.vary).map { String(decoding: $0, as: UTF8.self).lowercased() } ?? ""
        let members = names.split { $0 == "," || $0 == " " || $0 == "\t" }
        if !members.contains("accept-encoding") && !members.contains("*") { fields.append(.vary, "Accept-Encoding") }
    }
}
