import HTTPCore
public import ResourceCore
import Exchanges

/// Changes of the data by the program.
extension Resource {
    /// Replaces the data by an entity of the program's, and clears error and invalidation (S-199).
    ///
    /// Persistent copies are removed, and the entity is kept in memory only (S-192). Requests under way go on, and may
    /// replace it in turn. It is up to date for the expiration time from its timestamp on; the origin is never asked to
    /// confirm it (S-249). Where loads run over exchanges, bytes are served to clients as well.
    public func overrideLocalData(_ entity: Entity<some Sendable>) {
        if !loadsByRequests, let bytes = entity.content as? [UInt8] {
            return overrideLocalData(bytes, fields: entity.fields)
        }
        perform { $0.override(with: entity.erased) }
    }

    /// Replaces the content alone: type, charset and fields stay, the timestamp is now (S-200).
    ///
    /// Fields that describe or validate the former content go. Where there is no data yet, the type is
    /// `application/binary`.
    public func overrideLocalContent(_ content: some Sendable) {
        let now = environment.timekeeper.timestamp
        guard var entity = snapshot.latestData?.withContent(content as any Sendable) else {
            let type = "application/binary"
            return overrideLocalData(
                Entity<any Sendable>(content: content, contentType: type, timestamp: now)
            )
        }
        for name in Self.fieldsOfContent { entity.setHeader(nil, forKey: name) }
        entity.touch(at: now)
        overrideLocalData(entity)
    }
}

extension Entity {
    /// The header fields for the wire, in the order of their names.
    fileprivate var fields: Fields {
        var fields = Fields()
        for (name, value) in headers.sorted(by: { $0.key < $1.key }) { fields.append(name: name, value: value) }
        return fields
    }
}
