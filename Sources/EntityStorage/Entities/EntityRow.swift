/// An entity as it is stored in the file.
package struct EntityRow: Equatable, Sendable {
    /// Nanoseconds since 1970 UTC.
    package var time: Int64
    /// The kind of the content: a number that the caller chooses.
    package var kind: Int64
    /// Bytes that the caller stores with the content.
    package var head: [UInt8]
    package var content: [UInt8]

    package init(time: Int64, kind: Int64, head: [UInt8], content: [UInt8]) {
        self.time = time
        self.kind = kind
        self.head = head
        self.content = content
    }
}
