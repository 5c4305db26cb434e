/// A part of a file, to be sent without passing through this process's memory.
public struct FileRegion: Sendable {
    public let file: OpenFile
    /// The first octet.
    public private(set) var offset: Int64
    /// How many octets; not below 0.
    public private(set) var count: Int

    public init(file: OpenFile, offset: Int64, count: Int) {
        precondition(offset >= 0 && count >= 0, "a file region lies inside its file")
        self.file = file
        self.offset = offset
        self.count = count
    }

    mutating func consume(_ octets: Int) {
        offset += Int64(octets)
        count -= octets
    }
}
