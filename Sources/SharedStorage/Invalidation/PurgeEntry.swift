import HTTPCaching
import HTTPCore
import Stores

/// A change that a node has announced to the others, as an entry of the server's stream.
///
/// Field `p` is the entry before it, `n` the node that announced it, and `c` that node's number of it. Field `k` is the
/// kind, and each `v` a URI, a filter or a tag.
struct PurgeEntry: Sendable {
    var id: PurgeID
    var previous: PurgeID
    var node: String
    var number: UInt64
    /// Nil: of a kind that this version does not know, or damaged.
    var change: SharedChange?
    /// Whether it changes nothing, and only moves the end of the stream; see `mark`.
    let isMark: Bool

    /// The stream; its tag keeps it in a slot of its own.
    static let stream = Array("respite:{purges}".utf8)
    /// The server keeps so many of the latest entries, or some more.
    static let limit = 10_000
    private static let markKind = "mark"
    private static let valueLimit = 8_192
    private static let tagLimit = 1_024

    /// Adds an entry that names the one before it.
    ///
    /// KEYS: stream. ARGV: how many to keep; the entry's place, or `*` for the next one; the fields. If the stream has
    /// passed the place, nothing is added.
    static let adding = """
        local last = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)
        local previous = last[1] and last[1][1] or '0-0'
        local limit, place = table.remove(ARGV, 1), table.remove(ARGV, 1)
        local added = redis.pcall('XADD', KEYS[1], 'MAXLEN', '~', limit, place, 'p', previous, unpack(ARGV))
        if added.err and string.find(added.err, 'equal or smaller') then return previous end
        return added
        """

    static func add(_ change: SharedChange, by node: String, number: UInt64) -> RedisCommand {
        add("*", ["n", node, "c", "\(number)", "k", change.kind], change.values.flatMap { [Array("v".utf8), $0] })
    }

    /// An entry that changes nothing, right after place `id`: a server that lost entries may not have reached that.
    static func mark(by node: String, after id: PurgeID) -> RedisCommand {
        add(id.next.text, ["n", node, "k", markKind], [])
    }

    private static func add(_ place: String, _ head: [String], _ values: [[UInt8]]) -> RedisCommand {
        RedisCommand(script: adding, keys: [stream], (["\(limit)", place] + head).map { Array($0.utf8) } + values)
    }

    // MARK: Reading

    /// Nil: it was not written by a node.
    ///
    /// - Parameter filter: makes a condition of the text of a filter; nil if it is none.
    init?(_ reply: RedisReply, _ filter: (String) -> (@Sendable (TargetURI) -> Bool)?) {
        guard let parts = reply.list, parts.count == 2, let id = parts[0].string.flatMap(PurgeID.init),
            let fields = parts[1].list
        else { return nil }
        self.id = id
        (previous, node, number) = (.none, "", 0)
        var (kind, values): (String, [[UInt8]]) = ("", [])
        for index in stride(from: 0, to: fields.count - 1, by: 2) {
            guard let name = fields[index].string, let value = fields[index + 1].bytes else { continue }
            let text = String(decoding: value.prefix(64), as: UTF8.self)
            switch name {
            case "p": previous = PurgeID(text) ?? .none
            case "n": node = text
            case "c": number = UInt64(text) ?? 0
            case "k": kind = text
            case "v": values.append(value)
            default: break
            }
        }
        isMark = kind == Self.markKind
        change = Self.change(kind, values, filter)
    }

    private static func change(
        _ kind: String,
        _ values: [[UInt8]],
        _ filter: (String) -> (@Sendable (TargetURI) -> Bool)?
    ) -> SharedChange? {
        guard let first = values.first, values.count <= tagLimit, values.allSatisfy({ $0.count <= valueLimit }) else {
            return nil
        }
        switch kind {
        case "purge": return TargetURI(canonical: first.span).map { .purge($0) }
        case "invalidate": return TargetURI(canonical: first.span).map { .invalidate($0) }
        case "tags":
            let tags = values.compactMap { CacheTag(bytes: $0) }
            return tags.count == values.count ? .purgeTags(tags) : nil
        case "matching":
            let text = String(decoding: first, as: UTF8.self)
            return filter(text).map { .purgeMatching(text, $0) }
        default: return nil
        }
    }
}

extension SharedChange {
    fileprivate var kind: String {
        switch self {
        case .purge: "purge"
        case .invalidate: "invalidate"
        case .purgeTags: "tags"
        case .purgeMatching: "matching"
        }
    }

    fileprivate var values: [[UInt8]] {
        switch self {
        case .purge(let uri), .invalidate(let uri): [uri.bytes]
        case .purgeTags(let tags): tags.map(\.bytes)
        case .purgeMatching(let text, _): [Array(text.utf8)]
        }
    }
}
