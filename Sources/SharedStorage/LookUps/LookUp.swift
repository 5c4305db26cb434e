import HTTPCore
import ResourceCore
import Stores

/// Looks on the shared server for a response that answers a load: decides what to ask, and what the replies mean.
///
/// Without I/O. The first question finds a response without Vary, the second one with it, and the third brings large
/// content. If nothing is found, this node claims the load: it may begin, or waits for the load of another node.
struct LookUp {
    enum Step {
        /// Ask this; `isContent`: it may take longer than a look-up.
        case ask([RedisCommand], isContent: Bool)
        case found(SharedAnswer)
        /// Nothing that is there may answer: load it. Nil: the response is not stored on the server.
        case load(Claim?)
        /// Another node loads it: ask `claim` again after a pause, or when the channel of this name has a message.
        case wait([UInt8])
        case end(Ending)
    }

    /// Why the server is of no use.
    enum Ending: Equatable {
        /// The server refused to answer.
        case refused(RedisError)
        /// The questions cannot have these replies.
        case unexpected
    }

    private enum Phase {
        case index
        case variants(ResourceIndex)
        case content(SharedRecord, age: Int64)
        case claim(lease: [UInt8])
    }

    /// How often it begins anew because something was stored or purged meanwhile; then the load has no claim.
    private static let roundLimit = 4

    private let load: SharedLoad
    private let keys: ResourceKeys
    private let sizeLimit: Int
    /// Whether it claims the load if nothing is found; if not, it only looks, and reads no large content.
    private let announces: Bool
    private var phase = Phase.index
    /// The index that was read last; nil: there was none.
    private var index: ResourceIndex?
    /// `ResourceIndex.content` when the index was read; empty if there was none.
    private var content = ""
    private var rounds = 0
    /// Names this load; nil: it acquires no lease.
    private let holder: String?
    /// Why values on the server were of no use.
    private(set) var faults: [RecordFault] = []

    init(_ load: SharedLoad, sizeLimit: Int, announces: Bool = true) {
        (self.load, self.sizeLimit, self.announces) = (load, sizeLimit, announces)
        keys = ResourceKeys(load.uri)
        holder = load.mayWait ? ResourceIndex.randomDigits() : nil
    }

    /// The first question.
    var beginning: [RedisCommand] { [RedisCommand("GET", key: keys.index)] + records([]) }

    private func records(_ vary: [[UInt8]]) -> [RedisCommand] {
        let selection = load.selection(vary)
        return load.partitions.flatMap { partition in
            let key = keys.record(partition, selection)
            return [RedisCommand("GET", key: key), RedisCommand("PTTL", key: key)]
        }
    }

    mutating func receive(_ replies: [RedisReply], _ packer: RecordPacker) -> Step {
        if let error = replies.lazy.compactMap(\.failure).first { return .end(.refused(error)) }
        switch phase {
        case .index: return receiveIndex(replies, packer)
        case .variants(let index): return choose(replies[...], index, packer)
        case .content(let record, let age): return receiveContent(replies, record, age, packer)
        case .claim(let lease): return receiveClaim(replies, lease)
        }
    }

    private mutating func receiveIndex(_ replies: [RedisReply], _ packer: RecordPacker) -> Step {
        guard let first = replies.first, replies.count == 2 * load.partitions.count + 1 else {
            return .end(.unexpected)
        }
        (index, content) = (nil, "")
        guard let bytes = first.bytes else { return first.isNothing ? claim() : .end(.unexpected) }
        let index: ResourceIndex
        do throws(RecordFault) { index = try ResourceIndex(bytes) } catch {
            faults.append(error)
            return claim()
        }
        (self.index, content) = (index, index.content)
        guard !index.vary.isEmpty else { return choose(replies.dropFirst(), index, packer) }
        phase = .variants(index)
        return .ask(records(index.vary), isContent: false)
    }

    /// Chooses the first record that may answer.
    private mutating func choose(
        _ replies: ArraySlice<RedisReply>,
        _ index: ResourceIndex,
        _ packer: RecordPacker
    ) -> Step {
        guard replies.count == 2 * load.partitions.count else { return .end(.unexpected) }
        let selection = load.selection(index.vary)
        for (number, partition) in load.partitions.enumerated() {
            let place = replies.startIndex + 2 * number
            guard let bytes = replies[place].bytes, let left = replies[place + 1].number else { continue }
            do throws(RecordFault) {
                let record = try SharedRecord(decoding: bytes, sizeLimit: sizeLimit)
                // Rules of this node may add names to Vary, or leave some out; the record then does not fit.
                guard record.isAbout(load.uri, partition, selection), record.token == index.token,
                    load.vary(of: record.response) == index.vary, let age = record.storing.age(left: left),
                    load.isAnswered(by: record.response, ageSeconds: age)
                else { continue }
                return try take(record, age, packer)
            } catch {
                faults.append(error)
            }
        }
        return claim()
    }

    private mutating func take(
        _ record: SharedRecord,
        _ age: Int64,
        _ packer: RecordPacker
    ) throws(RecordFault) -> Step {
        guard announces else { return .found(SharedAnswer(record, age: age, content: [])) }
        if let content = try packer.content(of: record) {
            return .found(SharedAnswer(record, age: age, content: content))
        }
        guard case .pieces(let id, let sums) = record.content else { throw .broken }
        phase = .content(record, age: age)
        let questions = sums.indices.map { RedisCommand("GET", key: keys.piece($0, id: id)) }
        return .ask(questions, isContent: true)
    }

    private mutating func receiveContent(
        _ replies: [RedisReply],
        _ record: SharedRecord,
        _ age: Int64,
        _ packer: RecordPacker
    ) -> Step {
        let pieces = replies.compactMap(\.bytes)
        // The server may evict a piece; that is no fault.
        guard pieces.count == replies.count else { return claim() }
        do throws(RecordFault) {
            let content = try packer.content(of: record, pieces)
            return .found(SharedAnswer(record, age: age, content: content))
        } catch {
            faults.append(error)
            return claim()
        }
    }

    // MARK: The load

    /// Claims the load, or asks again whether it may begin.
    mutating func claim() -> Step {
        guard announces else { return .load(nil) }
        let lease = load.lease(keys, index?.vary ?? [])
        phase = .claim(lease: lease)
        return .ask([Claiming.claim(keys.index, lease, content: content, holder: holder)], isContent: false)
    }

    private mutating func receiveClaim(_ replies: [RedisReply], _ lease: [UInt8]) -> Step {
        guard replies.count == 1, let reply = Claiming.reply(replies[0], lease, holder: holder) else {
            return .end(.unexpected)
        }
        switch reply {
        case .load(let claim): return .load(claim)
        case .wait(let content):
            self.content = content
            return .wait(lease)
        case .lookAgain:
            rounds += 1
            guard rounds < Self.roundLimit else { return .load(nil) }
            phase = .index
            return .ask(beginning, isContent: false)
        }
    }
}

extension SharedRecord {
    /// Whether it is the record that was asked for; equal hashes of keys make others possible.
    fileprivate func isAbout(_ uri: TargetURI, _ partition: Partition, _ selection: [UInt8]) -> Bool {
        response.uri == uri && response.partition == partition && response.selection == selection
    }
}
