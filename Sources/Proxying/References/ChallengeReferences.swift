import HTTPCore

/// Rewrites the address of a token service in `WWW-Authenticate: Bearer realm="https://…"`.
///
/// Container registries send such addresses. Rewritten, clients get their tokens through the gateway, too.
enum ChallengeReferences {
    /// - Parameter base: `http://HOST/`, the text before absolute URLs in the prefix form.
    static func rewrite(_ fields: inout Fields, behind base: [UInt8]) {
        rewrite(&fields) { realm, _ in base + realm }
    }

    /// - Parameter reference: returns the text for an absolute URL; gets the text and the parsed URI.
    static func rewrite(_ fields: inout Fields, by reference: ([UInt8], TargetURI) -> [UInt8]) {
        guard fields.contains(.wwwAuthenticate) else { return }
        let values = fields.values(of: .wwwAuthenticate)
        let rewritten = values.map { Self.rewritten($0, by: reference) }
        guard rewritten != values else { return }
        fields.remove(.wwwAuthenticate)
        for value in rewritten { fields.append(.wwwAuthenticate, value) }
    }

    private static func rewritten(_ value: [UInt8], by reference: ([UInt8], TargetURI) -> [UInt8]) -> [UInt8] {
        guard let scheme = index(of: "bearer ", in: value, from: 0),
            let name = index(of: "realm=\"", in: value, from: scheme + 7)
        else { return value }
        let start = name + 7
        guard let end = value[start...].firstIndex(of: 0x22) else { return value }
        let realm = Array(value[start..<end])
        // Rewrite only an absolute URL without escapes.
        guard let target = try? TargetURI(parsing: realm) else { return value }
        return value[..<start] + reference(realm, target) + value[end...]
    }

    /// The index of a word, in any case, at the beginning or behind a blank or comma.
    private static func index(of word: String, in value: [UInt8], from start: Int) -> Int? {
        let word = Array(word.utf8)
        guard start + word.count <= value.count else { return nil }
        return (start...(value.count - word.count)).first { index in
            let isFree = index == 0 || [0x20, 0x09, 0x2C].contains(value[index - 1])
            return isFree && word.indices.allSatisfy { value[index + $0].asciiLowercased == word[$0] }
        }
    }
}
