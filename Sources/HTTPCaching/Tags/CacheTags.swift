public import HTTPCore

/// The fields that give tags to a response.
///
/// `Surrogate-Key` separates names by blanks, `Cache-Tag` by commas, `xkey` by either; each may have several lines.
/// `Cache-Groups` is a List of Strings (RFC 9875 §2). Names are compared byte by byte.
public enum CacheTags {
    /// At most so many tags of one response count; a group counts twice.
    ///
    /// A third of them is left to groups, whatever comes in other fields: 42 groups, and RFC 9875 asks for 32.
    public static let countLimit = 128
    private static let groupLimit = countLimit / 3

    private enum Field {
        case surrogateKey, cacheTag, xkey, cacheGroups

        /// Whether it is for caches alone; `Cache-Groups` is for everyone, clients included.
        var isForCaches: Bool { self != .cacheGroups }

        func separates(_ byte: UInt8) -> Bool {
            switch self {
            case .surrogateKey: byte.isBlank
            case .cacheTag, .cacheGroups: byte == 0x2C
            case .xkey: byte.isBlank || byte == 0x2C
            }
        }
    }

    private static func field(_ line: Fields.Line, of fields: Fields) -> Field? {
        guard line.known == nil, let (name, field) = candidate(line.nameCount) else { return nil }
        return fields.withName(line) { Token.matches($0, name) } ? field : nil
    }

    /// The only field whose name has this length.
    private static func candidate(_ nameCount: UInt16) -> (StaticString, Field)? {
        switch nameCount {
        case 4: ("xkey", .xkey)
        case 9: ("cache-tag", .cacheTag)
        case 12: ("cache-groups", .cacheGroups)
        case 13: ("surrogate-key", .surrogateKey)
        default: nil
        }
    }

    // MARK: Which fields

    /// Whether a response with these fields may have tags.
    public static func areIn(_ fields: Fields) -> Bool {
        // By index, since an iterator would retain the lines.
        for index in fields.lines.indices where field(fields.lines[index], of: fields) != nil { return true }
        return false
    }

    /// Whether the line is for caches alone, so that clients do not get it.
    public static func isForCaches(_ line: Fields.Line, of fields: Fields) -> Bool {
        field(line, of: fields)?.isForCaches ?? false
    }

    /// Whether any line is for caches alone.
    public static func hasLineForCaches(_ fields: Fields) -> Bool {
        for index in fields.lines.indices where isForCaches(fields.lines[index], of: fields) { return true }
        return false
    }

    // MARK: Tags

    /// The tags of a response to `uri`, groups first, each once.
    ///
    /// A group is also a tag: an operator who purges a name means all responses that have it.
    public static func tags(of fields: Fields, from uri: TargetURI) -> [CacheTag] {
        guard areIn(fields) else { return [] }
        var tags: [CacheTag] = []
        var seen: Set<CacheTag> = []
        let origin = Origin(uri)
        for group in groups(in: fields, named: "cache-groups").prefix(groupLimit) {
            for tag in [CacheTag(group: group, of: origin), CacheTag(group)] { add(tag, to: &tags, &seen) }
        }
        for line in fields.lines {
            guard let field = field(line, of: fields), field.isForCaches else { continue }
            for name in fields.bytes[line.value].split(whereSeparator: field.separates) where tags.count < countLimit {
                add(CacheTag(name.trimmed), to: &tags, &seen)
            }
        }
        return tags
    }

    /// The names of a response's tags, each once, for people.
    public static func names(of fields: Fields, from uri: TargetURI) -> [[UInt8]] {
        tags(of: fields, from: uri).compactMap { $0.bytes.first == 0x74 ? $0.name : nil }
    }

    private static func add(_ tag: CacheTag?, to tags: inout [CacheTag], _ seen: inout Set<CacheTag>) {
        if let tag, seen.insert(tag).inserted { tags.append(tag) }
    }

    // MARK: Groups

    /// The groups that a response to an unsafe request invalidates (RFC 9875 §3), as tags of the target's origin.
    ///
    /// None above the limit count.
    static func invalidated(by fields: Fields, of uri: TargetURI) -> [CacheTag] {
        let origin = Origin(uri)
        return groups(in: fields, named: "cache-group-invalidation").prefix(countLimit)
            .compactMap { CacheTag(group: $0, of: origin) }
    }

    /// The members of a List of Strings over all lines with this name; none if any of them is something else.
    private static func groups(in fields: Fields, named name: StaticString) -> [[UInt8]] {
        let lines = fields.lines.filter { line in fields.withName(line) { Token.matches($0, name) } }
        if lines.isEmpty { return [] }
        var scanner = StructuredFieldScanner(Array(lines.map { fields.bytes[$0.value] }.joined(separator: [0x2C])))
        var groups: [[UInt8]] = []
        scanner.skipSpaces()
        while case .string(let group)? = scanner.bareItem(), scanner.parameters() != nil {
            groups.append(group)
            scanner.skipBlanks()
            if scanner.isAtEnd { return groups }
            guard scanner.skip(0x2C) else { return [] }
            scanner.skipBlanks()
        }
        return []
    }
}

extension ArraySlice<UInt8> {
    /// Without blanks at both ends.
    fileprivate var trimmed: ArraySlice<UInt8> {
        var rest = drop(while: \.isBlank)
        while let last = rest.last, last.isBlank { rest.removeLast() }
        return rest
    }
}
