import Exchanges
import HTTPCaching
import HTTPCore
import ResourceCore

/// The data of a resource that a program loads, with what its freshness depends on; never changes.
final class ModelEntity: ProgramData {
    /// Where data came from.
    enum Source: Sendable, Equatable { case network, cache, localOverride }

    let entity: Entity<any Sendable>
    let source: Source
    /// The load that brought or confirmed it; 0: none.
    let number: UInt64
    /// When its age began, on the monotonic clock (S-251); nil: its date is not credible.
    let validSince: MonotonicTime?
    /// The head that it came with, which decides its lifetime; nil if there was none.
    let head: ResponseHead?
    let metadata: ResponseMetadata?

    /// - Parameter head: nil: only the configured expiration time counts.
    init(
        _ entity: Entity<any Sendable>,
        _ source: Source,
        number: UInt64 = 0,
        head: ResponseHead? = nil,
        _ context: ResourceContext
    ) {
        self.entity = entity
        self.source = source
        self.number = number
        self.head = head
        let age = context.timestamp - entity.timestamp
        // A date in the future makes data of a cache stale (S-251), other data new.
        validSince = source == .cache && age < .zero ? nil : context.now + (.zero - max(.zero, age))
        metadata = head.map { head in
            ResponseMetadata(
                status: head.status,
                fields: head.fields,
                requestTime: entity.timestamp.date,
                responseTime: entity.timestamp.date,
                options: context.configuration.caching
            )
        }
    }

    var isLocal: Bool { source == .localOverride }
    var timestamp: Timestamp { entity.timestamp }

    /// Whether it is fresh by its fields, or by the configuration if those give no lifetime (S-040, S-084).
    func isFresh(_ context: ResourceContext) -> Bool {
        guard let validSince else { return false }
        if let metadata, !isLocal {
            if !metadata.control.flags.isDisjoint(with: [.noCache, .noStore]) { return false }
            if metadata.lifetimeSource.isExplicit || metadata.lifetimeSource == .rule {
                let age = metadata.currentAgeSeconds(sinceReceipt: context.now.wholeSeconds(since: validSince))
                return metadata.isFresh(ageSeconds: age)
            }
        }
        return context.now - validSince <= context.configuration.expirationTime
    }

    /// The entity after a "not modified": with the time of that, and with the fields of its head (S-097, RFC 9111
    /// §3.2).
    func confirmed(
        by answer: ResponseHead?,
        at time: Timestamp,
        number: UInt64,
        _ context: ResourceContext
    ) -> ModelEntity {
        var entity = entity
        entity.touch(at: time)
        guard let answer, var head else {
            return ModelEntity(entity, source, number: number, head: head, context)
        }
        let former = head.fields
        head.fields = Freshening.freshened(
            former,
            by: answer.fields,
            receivedAt: context.wallNow,
            keepsSetCookie: true
        )
        for line in answer.fields.lines {
            let name = answer.fields.name(of: line)
            guard head.fields.values(named: name) != former.values(named: name) else { continue }
            let values = head.fields.values(named: name).map { String(decoding: $0, as: UTF8.self) }
            entity.setHeader(values.joined(separator: ", "), forKey: String(decoding: name, as: UTF8.self))
        }
        return ModelEntity(entity, source, number: number, head: head, context)
    }

    /// The head of a cached entity, made of its fields.
    static func head(of entity: Entity<any Sendable>) -> ResponseHead? {
        var fields = Fields()
        for (name, value) in entity.headers { fields.append(name: Array(name.utf8), value: Array(value.utf8)) }
        return ResponseHead(status: 200, fields: fields)
    }
}
