import HTTPCore

@testable import SharedStorage

/// A Redis server as a model: keys, values that expire, and what the scripts of the tier do, in Swift.
///
/// `ModelServerTests` holds it against a real server.
struct ModelServer {
    fileprivate struct Entry {
        var value: [UInt8]
        /// When it goes, in milliseconds of `now`; nil: never.
        var end: Int?
    }

    /// In milliseconds.
    var now = 0
    private var entries: [[UInt8]: Entry] = [:]
    /// The entries of the stream of purges, the oldest first.
    private var stream: [(id: PurgeID, fields: [RedisReply])] = []
    /// Channels on which something was published, the oldest first.
    private(set) var published: [[UInt8]] = []

    mutating func replies(to commands: [RedisCommand]) -> [RedisReply] { commands.map { reply(to: $0) } }

    private mutating func reply(to command: RedisCommand) -> RedisReply {
        let words = command.arguments
        switch String(decoding: words[0], as: UTF8.self) {
        case "GET": return value(words[1]).map { .text($0) } ?? .nothing
        case "PTTL": return .number(entry(words[1]).map { $0.end.map { Int64($0 - now) } ?? -1 } ?? -2)
        case "SET":
            let time = words.count == 5 ? Self.number(words[4]) : nil
            set(words[1], words[2], for: time)
            return .text("OK")
        case "XRANGE": return entries(after: words[2].dropFirst(), count: words[5])
        case "XREAD":
            guard case .list(let found) = entries(after: words[7][...], count: words[2]), !found.isEmpty else {
                return .nothing
            }
            return .list([.list([.text(words[6]), .list(found)])])
        case "EVAL": return run(String(decoding: words[1], as: UTF8.self), Array(words[3...]))
        default: return .failure(RedisError(Array("ERR unknown command".utf8)))
        }
    }

    private mutating func run(_ script: String, _ words: [[UInt8]]) -> RedisReply {
        switch script {
        case Claiming.claiming: claim(words)
        case Claiming.renewing: renew(words)
        case Claiming.releasing: release(words)
        case Filling.storing: store(words)
        case PurgeEntry.adding: add(words)
        default: .failure(RedisError(Array("ERR unknown script".utf8)))
        }
    }

    // MARK: Scripts

    private mutating func claim(_ words: [[UInt8]]) -> RedisReply {
        let (key, lease, content, holder) = (words[0], words[1], words[2], words[4])
        var index = index(key)
        let isNew = content.isEmpty && (index == nil || index?.latestStored == ResourceIndex.none)
        if !isNew, (index.map { Array($0.content.utf8) }) != content { return .list([.number(3)]) }
        let present = holder.isEmpty ? nil : value(lease)
        if let index, let present, present.starts(with: index.token.utf8) {
            if present.last != Self.plus { set(lease, present + [Self.plus], for: left(lease)) }
            return .list([.number(2), .text(index.content)])
        }
        if index == nil { index = ResourceIndex(token: String(decoding: words[3], as: UTF8.self), vary: []) }
        guard var index else { return .nothing }
        index.latestLoad = Self.next(index.latestLoad)
        set(key, index.encoded, for: max(left(key) ?? 0, Self.number(words[6])))
        let reply: [RedisReply] = [.text(index.token), .text(index.latestLoad)]
        if holder.isEmpty || present == [UInt8(ascii: "-")] { return .list([.number(0)] + reply) }
        set(lease, Array(index.token.utf8) + holder, for: Self.number(words[5]))
        return .list([.number(1)] + reply)
    }

    private mutating func renew(_ words: [[UInt8]]) -> RedisReply {
        guard let present = value(words[0]), present.starts(with: words[1]) else { return .number(0) }
        set(words[0], present, for: Self.number(words[2]))
        return .number(1)
    }

    private mutating func release(_ words: [[UInt8]]) -> RedisReply {
        guard end(words[0], words[1]) else { return .number(0) }
        let time = Self.number(words[2])
        if time > 0 { set(words[0], [UInt8(ascii: "-")], for: time) }
        return .number(1)
    }

    private mutating func end(_ lease: [UInt8], _ value: [UInt8]) -> Bool {
        guard !value.isEmpty, let present = self.value(lease), present.starts(with: value) else { return false }
        entries[lease] = nil
        if present != value { published.append(lease) }
        return true
    }

    private mutating func store(_ words: [[UInt8]]) -> RedisReply {
        let (token, number) = (String(decoding: words[3], as: UTF8.self), String(decoding: words[4], as: UTF8.self))
        var index = index(words[0])
        let present = (value(words[1]) ?? []).dropFirst(4).prefix(48)
        let isLatest =
            !present.starts(with: token.utf8) || String(decoding: present.dropFirst(32), as: UTF8.self) <= number
        let isStored = index?.token == token && isLatest
        if isStored {
            set(words[1], words[6], for: Self.number(words[7]))
            let latest = max(index?.latestStored ?? "", number)
            index?.latestStored = latest
            let head = index.map { "\($0.token) \($0.latestLoad) \($0.latestStored)\n" } ?? ""
            set(words[0], Array(head.utf8) + words[5], for: max(left(words[0]) ?? 0, Self.number(words[7])))
        }
        _ = end(words[2], words[8])
        return .number(isStored ? 1 : 0)
    }

    private mutating func add(_ words: [[UInt8]]) -> RedisReply {
        let previous = stream.last?.id ?? .none
        var id = PurgeID(time: UInt64(now), number: 0)
        if id <= previous { id = previous.next }
        if words[2] != Array("*".utf8) {
            guard let place = PurgeID(String(decoding: words[2], as: UTF8.self)), place > previous else {
                return .text(previous.text)
            }
            id = place
        }
        stream.append((id, [.text("p"), .text(previous.text)] + words[3...].map { .text($0) }))
        return .text(id.text)
    }

    private func entries(after text: ArraySlice<UInt8>, count: [UInt8]) -> RedisReply {
        let last = PurgeID(String(decoding: text, as: UTF8.self)) ?? .none
        let found = stream.filter { $0.id > last }.prefix(Self.number(count))
        return .list(found.map { .list([.text($0.id.text), .list($0.fields)]) })
    }

    // MARK: Values

    private static let plus = UInt8(ascii: "+")

    private static func number(_ text: [UInt8]) -> Int { Int(String(decoding: text, as: UTF8.self)) ?? 0 }

    private static func next(_ number: String) -> String {
        let digits = String((Int(number, radix: 16) ?? 0) + 1, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private func entry(_ key: [UInt8]) -> Entry? {
        guard let entry = entries[key], entry.end.map({ $0 > now }) ?? true else { return nil }
        return entry
    }

    func value(_ key: [UInt8]) -> [UInt8]? { entry(key)?.value }

    /// The milliseconds that a value will be there.
    private func left(_ key: [UInt8]) -> Int? { entry(key)?.end.map { $0 - now } }

    private func index(_ key: [UInt8]) -> ResourceIndex? { value(key).flatMap { try? ResourceIndex($0) } }

    private mutating func set(_ key: [UInt8], _ value: [UInt8], for time: Int?) {
        entries[key] = Entry(value: value, end: time.map { now + $0 })
    }

    // MARK: Slots

    /// What is in a slot.
    struct Content {
        fileprivate var entries: [[UInt8]: Entry] = [:]
        fileprivate var stream: [(id: PurgeID, fields: [RedisReply])] = []
    }

    private static func isIn(_ slot: UInt16, _ key: [UInt8]) -> Bool { KeySlot.slot(of: key) == slot }

    mutating func take(_ slot: UInt16) -> Content {
        var content = Content(entries: entries.filter { Self.isIn(slot, $0.key) })
        entries = entries.filter { !Self.isIn(slot, $0.key) }
        if Self.isIn(slot, PurgeEntry.stream) { swap(&content.stream, &stream) }
        return content
    }

    mutating func add(_ content: Content) {
        entries.merge(content.entries) { $1 }
        if !content.stream.isEmpty { stream = content.stream }
    }

    // MARK: Faults

    /// Replaces each value of some length, as damage or another program does.
    mutating func replaceValues(longerThan count: Int, _ change: ([UInt8]) -> [UInt8]) {
        for (key, entry) in entries where entry.value.count > count { entries[key]?.value = change(entry.value) }
    }

    mutating func remove(where condition: ([UInt8]) -> Bool) { entries = entries.filter { !condition($0.key) } }
}
