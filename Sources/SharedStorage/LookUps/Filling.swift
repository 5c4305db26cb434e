import Stores
import HTTPCore
import ResourceCore

/// Stores responses, and forgets those of a resource, by commands and scripts.
enum Filling {
    /// Stores a record unless the resource has another version than when its load began.
    ///
    /// KEYS: index, record. ARGV: that version, empty if there was none; the version to begin with; names in Vary; the
    /// record; its milliseconds.
    static let storing = """
        local present = redis.call('GET', KEYS[1])
        local token = present and string.match(present, '^(%x+)\\n') or ''
        if token ~= ARGV[1] then return 0 end
        if token == '' then token = ARGV[2] end
        redis.call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
        local left = math.max(redis.call('PTTL', KEYS[1]), tonumber(ARGV[5]))
        redis.call('SET', KEYS[1], token .. '\\n' .. ARGV[3], 'PX', string.format('%d', left))
        return 1
        """

    /// How long a purged resource remembers its version: longer than any load that began before.
    private static let purgeTime = Duration.seconds(3600)

    /// Values that must be there before the record that refers to them.
    static func pieces(_ packed: PackedRecord, of uri: TargetURI, lifetime: Duration) -> [RedisCommand] {
        let keys = ResourceKeys(uri)
        return packed.pieces.enumerated().map { number, piece in
            RedisCommand("SET", key: keys.piece(number, id: packed.id), [piece] + expiry(lifetime))
        }
    }

    /// - Parameters:
    ///   - seen: the resource's version when its load began; empty if it had none.
    ///   - token: the version that the record has: `seen`, or a new one.
    static func record(
        _ packed: PackedRecord,
        _ response: StoredRecord,
        vary: [[UInt8]],
        seen: String,
        token: String,
        lifetime: Duration
    ) -> RedisCommand {
        let keys = ResourceKeys(response.uri)
        let names = ResourceIndex(token: token, vary: vary).varyText
        return RedisCommand(
            script: storing,
            keys: [keys.index, keys.record(response.partition, response.selection)],
            [Array(seen.utf8), Array(token.utf8), names, packed.record, milliseconds(lifetime)]
        )
    }

    /// Makes all records of a resource useless, also those of loads in progress.
    static func forget(_ uri: TargetURI) -> RedisCommand {
        let index = ResourceIndex(token: ResourceIndex.newToken(), vary: [])
        return RedisCommand("SET", key: ResourceKeys(uri).index, [index.encoded] + expiry(purgeTime))
    }

    private static func expiry(_ time: Duration) -> [[UInt8]] { [Array("PX".utf8), milliseconds(time)] }

    private static func milliseconds(_ time: Duration) -> [UInt8] {
        Array("\(max(1, time.components.seconds * 1000))".utf8)
    }
}
