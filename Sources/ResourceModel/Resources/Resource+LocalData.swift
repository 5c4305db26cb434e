import HTTPCore
public import ResourceCore
import Exchanges

/// Changes of data by the program.
extension Resource {
    /// Replaces the data by an entity of the program, and clears error and invalidation (S-199).
    ///
    /// Persistent copies are removed; the entity is kept in memory only (S-192). Requests in progress continue, and may
    /// replace it. It is up to date for the expiration time after its timestamp, and the origin never validates it
    /// (S-249). If loads run over exchanges, clients get it, too, if it is bytes.
    public func overrideLocalData(_ entity: Entity<some Sendable>) {
        if !loadsByRequests, let bytes = entity.content as? [UInt8] {
            return overrideLocalData(bytes, fields: entity.fields)
        }
        perform { $0.override(with: entity.erased) }
    }

    /// Replaces only the content: type, charset and other fields stay, the timestamp is now (S-200).
    ///
    /// Fields that describe or validate the former content are removed. Without former data, the type is
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
