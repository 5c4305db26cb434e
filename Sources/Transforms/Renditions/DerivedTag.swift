package import HTTPCore

/// Entity tags of renditions: the original's opaque bytes, a hyphen, and the suffix of the rendition's key.
package enum DerivedTag {
    /// The tag of a rendition of content tagged `original`; weak if that is.
    package static func tag(_ original: EntityTag, _ key: RenditionKey) -> EntityTag {
        var opaque = original.opaque
        let suffix = Array(("-" + key.tagSuffix).utf8)
        let isQuoted = opaque.count >= 2 && opaque.last == 0x22
        opaque.insert(contentsOf: suffix, at: isQuoted ? opaque.count - 1 : opaque.count)
        return EntityTag(isWeak: original.isWeak, opaque: opaque)
    }

    /// The tag of a rendition whose original has no tag.
    static func tag(digest: String, _ key: RenditionKey) -> EntityTag {
        EntityTag(isWeak: false, opaque: Array("\"\(digest)-\(key.tagSuffix)\"".utf8))
    }

    /// Recovers the original's tag; nil if `tag` is not of a rendition by the pipeline with this fingerprint.
    package static func original(of tag: EntityTag, fingerprint: String) -> EntityTag? {
        let isQuoted = tag.opaque.last == 0x22
        let inner = isQuoted ? tag.opaque.dropLast() : tag.opaque[...]
        let suffix = Array(("-" + fingerprint).utf8)
        guard let start = suffixIndex(of: suffix, in: inner) else { return nil }
        let rest = inner[(start + suffix.count)...]
        guard rest.isEmpty || rest.first == 0x2E else { return nil }
        return EntityTag(isWeak: tag.isWeak, opaque: Array(inner[..<start]) + (isQuoted ? [0x22] : []))
    }

    /// The index of `suffix` if it is at the end, or directly before a variation.
    private static func suffixIndex(of suffix: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        for length in [0, 9] where bytes.count >= suffix.count + length {
            let start = bytes.endIndex - suffix.count - length
            if bytes[start..<start + suffix.count].elementsEqual(suffix) { return start }
        }
        return nil
    }
}
