import HTTPCore
import ResourceCore
import Stores

/// Stores responses, and forgets those of a resource, by commands and scripts.
enum Filling {
    /// Stores a record, unless the resource was purged since its load began or the response of a later load is there.
    ///
    /// Then ends the lease of the load.
    ///
    /// KEYS: index, record, lease. ARGV: version and number of the load; names in Vary; the record and its
    /// milliseconds; the lease's value, empty if it has none. Returns 1 if the record is stored, else 0.
    static let storing =
        Claiming.release + """
            local index = redis.call('GET', KEYS[1])
            local token, load, stored
            if index then token, load, stored = string.match(index, '^(%x+) (%x+) (%x+)\\n') end
            local present = redis.call('GETRANGE', KEYS[2], 4, 51)
            local isLatest = string.sub(present, 1, 32) ~= token or string.sub(present, 33) <= ARGV[2]
            local isStored = token == ARGV[1] and isLatest
            if isStored then
                redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
                if ARGV[2] > stored then stored = ARGV[2] end
                local left = math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[5]))
                local head = token .. ' ' .. load .. ' ' .. stored .. '\\n'
                redis.call('SET', KEYS[1], head .. ARGV[3], 'PX', string.format('%d', left))
            end
            release(KEYS[3], ARGV[6])
            return isStored and 1 or 0
            """

    /// How long the server keeps the version of a purged resource: longer than loads last that began before.
    private static let purgeTime = Duration.seconds(3600)

    /// The commands that store large content; they must succeed before the record that refers to it is stored.
    static func pieces(_ packed: PackedRecord, of uri: TargetURI, lifetime: Duration) -> [RedisCommand] {
        let keys = ResourceKeys(uri)
        return packed.pieces.enumerated().map { number, piece in
            RedisCommand("SET", key: keys.piece(number, id: packed.id), [piece] + expiry(lifetime))
        }
    }

    /// - Parameter claim: that of the load which brought the response.
    static func record(
        _ packed: PackedRecord,
        _ response: StoredRecord,
        vary: [[UInt8]],
        _ claim: Claim,
        lifetime: Duration
    ) -> RedisCommand {
        let keys = ResourceKeys(response.uri)
        let names = ResourceIndex(token: claim.token, vary: vary).varyText
        let lease = claim.lease ?? Lease(key: keys.index, value: [])
        let began = [Array(claim.token.utf8), Array(claim.number.utf8)]
        return RedisCommand(
            script: storing,
            keys: [keys.index, keys.record(response.partition, response.selection), lease.key],
            began + [names, packed.record, milliseconds(lifetime), lease.value]
        )
    }

    /// Gives a resource another version: its records, and the records of loads in progress, no longer count.
    static func forget(_ uri: TargetURI) -> RedisCommand {
        let index = ResourceIndex(token: ResourceIndex.newToken(), vary: [])
        return RedisCommand("SET", key: ResourceKeys(uri).index, [index.encoded] + expiry(purgeTime))
    }

    private static func expiry(_ time: Duration) -> [[UInt8]] { [Array("PX".utf8), milliseconds(time)] }

    private static func milliseconds(_ time: Duration) -> [UInt8] {
        Array("\(max(1, time.components.seconds * 1000))".utf8)
    }
}
