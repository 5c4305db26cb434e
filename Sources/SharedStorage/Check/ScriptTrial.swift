/// Does with keys of its own what nodes do: acquires a lease, stores a record, announces a purge.
///
/// Without I/O: the owner sends the commands, and `cleaning` when it is done.
struct ScriptTrial {
    /// What went wrong; nil if nothing did.
    typealias Fault = String

    enum Step {
        case ask([RedisCommand])
        case done(Fault?)
    }

    private let keys: CheckKeys
    private let holder = ResourceIndex.randomDigits()
    private var claim: Claim?

    init(_ keys: CheckKeys) { self.keys = keys }

    /// What to send first.
    var beginning: [RedisCommand] {
        let fields = ["1", "*", "n", holder, "c", "1", "k", "check", "v", "check"].map { Array($0.utf8) }
        return [
            Claiming.claim(keys.index, keys.lease, content: "", holder: holder),
            RedisCommand(script: PurgeEntry.adding, keys: [keys.stream], fields),
            RedisCommand("PEXPIRE", key: keys.stream, [Array(CheckKeys.time.utf8)]),
            ProbedRight.xrange.command(keys), ProbedRight.xread.command(keys),
        ]
    }

    /// The replies to what was sent last.
    mutating func receive(_ replies: [RedisReply]) -> Step {
        if let claim { return .done(fault(replies, claim)) }
        let reply = replies.first.flatMap { Claiming.reply($0, keys.lease, holder: holder) }
        if case .load(let claim)? = reply { self.claim = claim }
        let isThere = replies.count == 5 && replies[3].list?.count == 1 && replies[4].list?.count == 1
        guard let claim else { return .done(Self.fault("a lease was not given", replies.prefix(1))) }
        guard isThere else { return .done(Self.fault("a purge was not announced", replies.dropFirst())) }
        return .ask(ending(claim))
    }

    private func ending(_ claim: Claim) -> [RedisCommand] {
        let words = [claim.token, claim.number, ""].map { Array($0.utf8) }
        let rest = [value(claim), Array(CheckKeys.time.utf8), claim.lease?.value ?? []]
        return [
            Claiming.renew(claim.lease ?? Lease(key: keys.lease, value: [])),
            RedisCommand(script: Filling.storing, keys: [keys.index, keys.record, keys.lease], words + rest),
            RedisCommand("GET", key: keys.record), RedisCommand("GET", key: keys.lease),
        ]
    }

    /// Deletes all keys that the trial may have made.
    var cleaning: RedisCommand { RedisCommand("DEL", key: keys.index, [keys.record, keys.lease, keys.stream]) }

    /// As long as a record's beginning, which the script that stores reads.
    private func value(_ claim: Claim) -> [UInt8] { Array("RSR2\(claim.token)\(claim.number)check".utf8) }

    private func fault(_ replies: [RedisReply], _ claim: Claim) -> Fault? {
        let expected: [RedisReply] = [.number(1), .number(1), .text(value(claim)), .nothing]
        let names = ["a lease was not renewed", "a record was not stored", "a record was lost", "a lease did not end"]
        for (index, name) in names.enumerated() where index >= replies.count || replies[index] != expected[index] {
            return Self.fault(name, replies.dropFirst(index).prefix(1))
        }
        return nil
    }

    private static func fault(_ what: String, _ replies: ArraySlice<RedisReply>) -> Fault {
        guard let error = replies.lazy.compactMap(\.failure).first else { return what }
        return "\(what) (\(error.text))"
    }
}
