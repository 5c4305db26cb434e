import HTTPCore

/// Parameters whose values must not be logged (H-158).
///
/// Names are compared as a server reads them: without escapes and letter case, and part by part. So `%74oken`,
/// `user[token]` and `a.token[]` are `token`. Parameters of the query, of a fragment and of path segments (`;token=…`)
/// are checked. A value that contains such a parameter, as a URL or a document may, is omitted completely.
public struct SecretParameters: Sendable {
    /// The names in lower case.
    private let names: Set<[UInt8]>

    /// How many levels of escapes are removed from a value, for URLs inside URLs.
    private static let depth = 3

    public init(_ names: [String]) { self.names = Set(names.map { $0.utf8.map(Self.lowered) }) }

    /// Whether a target has a query, parameters or user information, so that `redacted` may change it.
    static func mayConcern(_ target: Span<UInt8>) -> Bool {
        var found = false
        for index in target.indices {
            let byte = target[index]
            let isDelimiter = byte == UInt8(ascii: "?") || byte == UInt8(ascii: "#") || byte == UInt8(ascii: ";")
            found = found || isDelimiter || byte == UInt8(ascii: "@")
        }
        return found
    }

    /// What stands for the values of secret parameters.
    public struct Mask: Sendable {
        let text: [UInt8]
        /// The values that it has replaced; nil: they are not kept.
        public fileprivate(set) var values: [[UInt8]]?

        /// A mask that keeps what it replaces.
        public init(keepingValues text: String) {
            self.text = Array(text.utf8)
            values = []
        }

        private static let usual = Array("…".utf8)

        fileprivate init() { text = Self.usual }

        /// Appends the text in place of a value.
        fileprivate mutating func append(for value: ArraySlice<UInt8>, to output: inout [UInt8]) {
            values?.append(Array(value))
            output.append(contentsOf: text)
        }
    }

    /// Returns the target or URI with `…` for the values of secret parameters and without user information.
    public func redacted(_ target: [UInt8]) -> [UInt8] {
        var mask = Mask()
        return redacted(target, by: &mask)
    }

    /// Returns the parameters of a form, with the mask for secret values.
    public func redacted(form: [UInt8], by mask: inout Mask) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(form.count)
        append(form[...], endingAt: "&", isPath: false, by: &mask, to: &output)
        return output
    }

    /// Returns the target or URI with the mask for the values of secret parameters and without user information.
    public func redacted(_ target: [UInt8], by mask: inout Mask) -> [UInt8] {
        let target = Self.withoutUserInformation(target)
        let path = target.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        guard path.count < target.count || path.contains(UInt8(ascii: ";")) else { return target }
        var output: [UInt8] = []
        output.reserveCapacity(target.count)
        append(path, endingAt: "/;", isPath: true, by: &mask, to: &output)
        append(target[path.endIndex...], endingAt: "?#&;", isPath: false, by: &mask, to: &output)
        return output
    }

    /// Appends the parameters between `delimiters`, and the delimiters.
    private func append(
        _ text: ArraySlice<UInt8>,
        endingAt delimiters: String,
        isPath: Bool,
        by mask: inout Mask,
        to output: inout [UInt8]
    ) {
        var rest = text
        // The text before the first `;` of a path segment is not a parameter.
        var isParameter = !isPath
        while !rest.isEmpty {
            let member = rest.prefix { !delimiters.utf8.contains($0) }
            if isParameter { append(member, by: &mask, to: &output) } else { output.append(contentsOf: member) }
            rest = rest[member.endIndex...]
            guard let delimiter = rest.popFirst() else { return }
            output.append(delimiter)
            isParameter = !isPath || delimiter == UInt8(ascii: ";")
        }
    }

    /// Appends one parameter, without its value if that is a secret or contains one.
    private func append(_ member: ArraySlice<UInt8>, by mask: inout Mask, to output: inout [UInt8]) {
        let name = member.prefix { $0 != UInt8(ascii: "=") }
        let value = member[name.endIndex...].dropFirst()
        let hasValue = name.endIndex < member.endIndex
        if hasValue, isSecret(PercentEncoding.decoded(name, plusIsBlank: true)) {
            output.append(contentsOf: name)
            output.append(UInt8(ascii: "="))
            mask.append(for: value, to: &output)
        } else if holdsSecret(hasValue ? value : name) {
            if hasValue {
                output.append(contentsOf: name)
                output.append(UInt8(ascii: "="))
            }
            mask.append(for: hasValue ? value : name, to: &output)
        } else {
            output.append(contentsOf: member)
        }
    }

    /// Whether a name, or a part of it such as `token` in `user[token]`, names a secret.
    private func isSecret(_ name: [UInt8]) -> Bool {
        let lowered = name.map(Self.lowered)
        if names.contains(lowered) { return true }
        return lowered.split { "[].".utf8.contains($0) || $0 <= 0x20 }.contains { names.contains(Array($0)) }
    }

    /// Whether a value contains a secret parameter, however often it was escaped.
    private func holdsSecret(_ value: ArraySlice<UInt8>) -> Bool {
        var text = Array(value)
        for _ in 0..<Self.depth {
            let plain = PercentEncoding.decoded(text[...], plusIsBlank: true)
            if hasSecretWord(plain) { return true }
            if plain == text { return false }
            text = plain
        }
        return hasSecretWord(text)
    }

    /// Whether a text has the name of a secret before `=` or `:`, as in a query, in JSON or in a field.
    private func hasSecretWord(_ text: [UInt8]) -> Bool {
        var rest = text[...]
        while let end = rest.firstIndex(where: { $0 == UInt8(ascii: "=") || $0 == UInt8(ascii: ":") }) {
            let before = rest[..<end]
            let closing = before.reversed().prefix { "\"' ]".utf8.contains($0) }.count
            let word = before.dropLast(closing).reversed().prefix(while: Self.isOfWord).reversed()
            if isSecret(Array(word)) { return true }
            rest = rest[(end + 1)...]
        }
        return false
    }

    /// Whether a byte may be part of a parameter's name: it is no quote, blank or delimiter.
    private static func isOfWord(_ byte: UInt8) -> Bool {
        byte >= 0x80 || "-_.[%".utf8.contains(byte) || (0x30...0x39).contains(byte)
            || (0x61...0x7A).contains(lowered(byte))
    }

    /// Returns a target in which no URI was found without all that may be user information.
    ///
    /// Where it ends is not certain in such a target: all bytes before the last `@`, or `%40`, are omitted, except the
    /// scheme.
    public static func withoutUserInformation(ofUnparsed target: [UInt8]) -> [UInt8] {
        guard let end = lastAt(target) else { return target }
        let start = min(leadingAuthorityStart(target) ?? 0, end)
        return Array(target[..<start]) + target[end...]
    }

    /// The position after the last `@` or `%40`.
    private static func lastAt(_ target: [UInt8]) -> Int? {
        target.indices.last { index in
            target[index] == UInt8(ascii: "@") || target[index...].starts(with: "%40".utf8)
        }
        .map { target[$0] == UInt8(ascii: "@") ? $0 + 1 : $0 + 3 }
    }

    private static func withoutUserInformation(_ target: [UInt8]) -> [UInt8] {
        guard let information = userInformation(of: target) else { return target }
        return Array(target[..<information.startIndex]) + target[(information.endIndex + 1)...]
    }

    /// What stands before the `@` of a target's or URI's authority, such as `user:password`; nil if there is none.
    public static func userInformation(of target: [UInt8]) -> ArraySlice<UInt8>? {
        guard let start = authorityStart(target) ?? leadingAuthorityStart(target) else { return nil }
        let authority = target[start...].prefix { !"/?#".utf8.contains($0) }
        return authority.lastIndex(of: UInt8(ascii: "@")).map { authority[..<$0] }
    }

    /// The position after the first `://` before any `?`.
    private static func authorityStart(_ target: [UInt8]) -> Int? {
        let path = target.prefix { $0 != UInt8(ascii: "?") }
        guard path.count >= 3 else { return nil }
        return (0...(path.count - 3)).first { path[$0...].starts(with: "://".utf8) }.map { $0 + 3 }
    }

    /// The position of the authority that a path names: after `//`, `/https/`, `/http:/` and the like.
    private static func leadingAuthorityStart(_ target: [UInt8]) -> Int? {
        func isSlash(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "/") }
        let slashes = target.prefix(while: isSlash)
        guard !slashes.isEmpty else { return nil }
        let scheme = target[slashes.endIndex...].prefix { !"/:".utf8.contains($0) }
        let hasScheme = ["http", "https"].contains { $0.utf8.elementsEqual(scheme.map(lowered)) }
        guard hasScheme, scheme.endIndex < target.endIndex else {
            return slashes.count > 1 ? slashes.endIndex : nil
        }
        var rest = target[scheme.endIndex...]
        if rest.first == UInt8(ascii: ":") { rest = rest.dropFirst() }
        return rest.drop(while: isSlash).startIndex
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}
