public import Platform

/// A part of a file, to be sent without a copy in this process.
public struct FileRegion: Sendable {
    /// Keeps `descriptor` open and never moves its offset.
    public let owner: any AnyObject & Sendable
    public let descriptor: Int32
    /// The first byte.
    public private(set) var offset: Int64
    /// The number of bytes; not below 0.
    public private(set) var count: Int

    public init(owner: any AnyObject & Sendable, descriptor: Int32, offset: Int64, count: Int) {
        precondition(offset >= 0 && count >= 0, "a file region lies inside its file")
        self.owner = owner
        self.descriptor = descriptor
        self.offset = offset
        self.count = count
    }

    public init(file: FileDescriptor, offset: Int64, count: Int) {
        self.init(owner: file, descriptor: file.number, offset: offset, count: count)
    }

    mutating func consume(_ bytes: Int) {
        offset += Int64(bytes)
        count -= bytes
    }
}
