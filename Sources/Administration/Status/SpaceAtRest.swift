import Formats

/// The stored responses whose content is compressed in the store.
public struct CompressedContent: Sendable {
    public var entries: Int64
    /// Bytes of their content, as clients get it.
    public var content: Int64
    /// Bytes that it occupies in the store.
    public var bytes: Int64

    public init(entries: Int64 = 0, content: Int64 = 0, bytes: Int64 = 0) {
        self.entries = entries
        self.content = content
        self.bytes = bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.member("entries", entries)
        writer.member("contentBytes", content)
        writer.member("storedBytes", bytes)
    }
}

/// The body files of the store that share the bytes of another one.
public struct SharedBodies: Sendable {
    public var bodies: Int64
    /// Bytes that they would take as files of their own.
    public var bytes: Int64

    public init(bodies: Int64 = 0, bytes: Int64 = 0) {
        self.bodies = bodies
        self.bytes = bytes
    }

    func write(to writer: inout JSONWriter) {
        writer.member("bodies", bodies)
        writer.member("savedBytes", bytes)
    }
}
