import HTTPCore

/// Acquires, renews and ends leases, by scripts.
///
/// The value of a lease is the resource's version and the holder's name, and `+` if another node waits. The value `-`
/// means that nodes load this variant without waiting for each other. A lease of another version counts as none.
enum Claiming {
    /// What the server replies to a node that wants to load.
    enum Reply: Equatable {
        /// It may load.
        case load(Claim)
        /// Another node loads it; with the present `ResourceIndex.content`.
        case wait(content: String)
        /// Since it looked, something was stored or purged.
        case lookAgain
    }

    /// How long a lease lasts unless it is renewed.
    static let time = Duration.seconds(3)
    /// How long the server remembers that a load began: longer than loads last.
    private static let indexTime = Duration.seconds(600)

    /// Lets a load begin, or returns why it should wait.
    ///
    /// KEYS: index, lease. ARGV, in this order:
    ///
    /// - `ResourceIndex.content` when the index was read; empty if there was none
    /// - a version, for a resource without one
    /// - the holder; empty: no lease is wanted
    /// - the milliseconds of the lease, and those of the index
    /// - `ResourceIndex.none`
    ///
    /// Returns 0 (load without a lease) or 1 (load with one), each with the version and the load's number. Otherwise 2
    /// (wait) with the present content of the index, or 3 (look again).
    static let claiming = """
        local index = redis.call('GET', KEYS[1])
        local token, load, stored, names
        if index then token, load, stored, names = string.match(index, '^(%x+) (%x+) (%x+)\\n(.*)$') end
        local isNew = ARGV[1] == '' and (not token or stored == ARGV[6])
        if not isNew and (not token or token .. stored ~= ARGV[1]) then return {3} end
        local holder = ARGV[3] ~= '' and redis.call('GET', KEYS[2])
        if holder and token and string.sub(holder, 1, #token) == token then
            if string.sub(holder, -1) ~= '+' then redis.call('SET', KEYS[2], holder .. '+', 'KEEPTTL') end
            return {2, token .. stored}
        end
        if not token then token, load, stored, names = ARGV[2], ARGV[6], ARGV[6], '' end
        load = string.format('%016x', tonumber(load, 16) + 1)
        local left = math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[5]))
        redis.call('SET', KEYS[1], token .. ' ' .. load .. ' ' .. stored .. '\\n' .. names, 'PX', string.format('%d', left))
        if ARGV[3] == '' or holder == '-' then return {0, token, load} end
        redis.call('SET', KEYS[2], token .. ARGV[3], 'PX', ARGV[4])
        return {1, token, load}
        """

    /// Renews a lease; returns 0 if it is not held any more.
    ///
    /// KEYS: lease. ARGV: its value; milliseconds.
    static let renewing = """
        local holder = redis.call('GET', KEYS[1])
        if not holder or string.sub(holder, 1, #ARGV[1]) ~= ARGV[1] then return 0 end
        return redis.call('PEXPIRE', KEYS[1], ARGV[2])
        """

    /// A Lua function that ends the lease with this key and value, and informs the nodes that wait for it.
    static let release = """
        local function release(key, value)
            local holder = redis.call('GET', key)
            if value == '' or not holder or string.sub(holder, 1, #value) ~= value then return 0 end
            redis.call('DEL', key)
            if holder ~= value then redis.call('PUBLISH', key, '') end
            return 1
        end

        """

    /// Ends a lease, if its holder still has it.
    ///
    /// KEYS: lease. ARGV: its value; for how many milliseconds nodes then load without waiting.
    static let releasing =
        release + """
            if release(KEYS[1], ARGV[1]) == 0 then return 0 end
            if ARGV[2] ~= '0' then redis.call('SET', KEYS[1], '-', 'PX', ARGV[2]) end
            return 1
            """

    // MARK: Commands

    /// - Parameters:
    ///   - content: `ResourceIndex.content` when the index was read; empty if there was none.
    ///   - holder: nil: no lease is wanted.
    static func claim(_ index: [UInt8], _ lease: [UInt8], content: String, holder: String?) -> RedisCommand {
        let words = [content, ResourceIndex.newToken(), holder ?? ""].map { Array($0.utf8) }
        let none = Array(ResourceIndex.none.utf8)
        return RedisCommand(
            script: claiming,
            keys: [index, lease],
            words + [milliseconds(time), milliseconds(indexTime), none]
        )
    }

    static func renew(_ lease: Lease) -> RedisCommand {
        RedisCommand(script: renewing, keys: [lease.key], [lease.value, milliseconds(time)])
    }

    static func release(_ lease: Lease, _ ending: LeaseEnding) -> RedisCommand {
        RedisCommand(script: releasing, keys: [lease.key], [lease.value, milliseconds(ending.pause ?? .zero)])
    }

    private static func milliseconds(_ time: Duration) -> [UInt8] { Array("\(time.components.seconds * 1000)".utf8) }

    // MARK: Replies

    /// Reads the reply to a claim; nil if the script cannot have returned it.
    static func reply(_ reply: RedisReply, _ lease: [UInt8], holder: String?) -> Reply? {
        guard let list = reply.list, let state = list.first?.number else { return nil }
        let words = list.dropFirst().map { $0.string ?? "" }
        switch (state, words.count) {
        case (3, 0): return .lookAgain
        case (2, 1) where words[0].utf8.count == 48: return .wait(content: words[0])
        case (0...1, 2) where words[0].utf8.count == 32 && words[1].utf8.count == 16:
            var claim = Claim(token: words[0], number: words[1])
            if state == 1, let holder { claim.lease = Lease(key: lease, value: Array((words[0] + holder).utf8)) }
            return .load(claim)
        default: return nil
        }
    }
}
