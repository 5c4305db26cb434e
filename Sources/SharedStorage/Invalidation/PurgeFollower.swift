import HTTPCore

/// Follows the purges of all nodes: decides what to ask of the server's stream, and what the replies mean.
///
/// Without I/O. Each entry names the one before it. So a gap shows where entries were trimmed, or a server lost them.
struct PurgeFollower {
    /// The meaning of a reply.
    enum Event: Sendable {
        /// A change that this node has to make.
        case change(PurgeEntry)
        /// A change that this node has made before; it still shows which responses on the server are outdated.
        case old(PurgeEntry)
        /// This node may have missed a change: nothing that it has is proven current.
        case unproven
        /// Entries before this one may be lost: responses of loads that began before it are not used.
        case forgotten(before: PurgeID)
        /// All entries until now are known.
        case caughtUp
    }

    private enum Phase {
        /// Reads the entries that are there, behind this one.
        case catchingUp(after: PurgeID)
        case following
    }

    private static let count = 512
    /// How long the server waits for the next entry before it replies that there is none.
    static let block = Duration.seconds(5)

    private var phase = Phase.catchingUp(after: .none)
    /// The latest entry whose change this node has made; nil: none is known.
    private(set) var position: PurgeID?
    /// The latest entry that was read.
    private var latest = PurgeID.none
    private let filter: @Sendable (String) -> (@Sendable (TargetURI) -> Bool)?

    init(from position: PurgeID?, filter: @escaping @Sendable (String) -> (@Sendable (TargetURI) -> Bool)?) {
        (self.position, self.filter) = (position, filter)
    }

    var isFollowing: Bool { if case .following = phase { true } else { false } }

    /// After a lost connection: begins again with the entries that are in the stream.
    mutating func restart() {
        phase = .catchingUp(after: .none)
        latest = .none
    }

    /// What to ask now; `isWaiting`: the server may take `block` to reply.
    var question: (command: RedisCommand, isWaiting: Bool) {
        switch phase {
        case .catchingUp(let last):
            let words = ["(\(last.text)", "+", "COUNT", "\(Self.count)"].map { Array($0.utf8) }
            return (RedisCommand("XRANGE", key: PurgeEntry.stream, words), false)
        case .following:
            let milliseconds = Self.block.components.seconds * 1000
            let words = ["COUNT", "\(Self.count)", "BLOCK", "\(milliseconds)", "STREAMS"].map { Array($0.utf8) }
            var command = RedisCommand("XREAD", words + [PurgeEntry.stream, Array((position ?? .none).text.utf8)])
            command.key = PurgeEntry.stream
            return (command, true)
        }
    }

    /// Nil: the reply is none that the question can have.
    mutating func receive(_ reply: RedisReply) -> [Event]? {
        switch phase {
        case .catchingUp: catchUp(reply)
        case .following: follow(reply)
        }
    }

    // MARK: Catching up

    private mutating func catchUp(_ reply: RedisReply) -> [Event]? {
        guard let list = reply.list else { return nil }
        var events: [Event] = []
        for each in list {
            guard let entry = PurgeEntry(each, filter), entry.id > latest else { return nil }
            // The stream's first entry names one before it, so older ones are gone.
            if latest == .none, entry.previous != .none { events.append(.forgotten(before: entry.previous)) }
            latest = entry.id
            take(entry, &events)
        }
        if list.count == Self.count {
            phase = .catchingUp(after: latest)
        } else {
            end(&events)
        }
        return events
    }

    private mutating func take(_ entry: PurgeEntry, _ events: inout [Event]) {
        guard let position, entry.id > position else { return events.append(.old(entry)) }
        make(entry, after: position, &events)
    }

    private mutating func make(_ entry: PurgeEntry, after position: PurgeID, _ events: inout [Event]) {
        if entry.previous != position {
            events += [.unproven, .forgotten(before: max(position, entry.previous))]
        }
        events.append(.change(entry))
        self.position = entry.id
    }

    private mutating func end(_ events: inout [Event]) {
        phase = .following
        if position == nil { events.append(.unproven) }
        // The server has less than this node has read: it lost its latest entries.
        if let position, position > latest { events += [.unproven, .forgotten(before: position)] }
        position = latest
        events.append(.caughtUp)
    }

    // MARK: Following

    private mutating func follow(_ reply: RedisReply) -> [Event]? {
        if reply.isNothing { return [] }
        guard let stream = reply.list?.first?.list, stream.count == 2, let list = stream[1].list else { return nil }
        var events: [Event] = []
        for each in list {
            guard let entry = PurgeEntry(each, filter), let position, entry.id > position else { return nil }
            make(entry, after: position, &events)
        }
        return events
    }
}
