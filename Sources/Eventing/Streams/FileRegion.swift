/// A part of a file, to be sent without passing through memory of this process's own.
public struct FileRegion: Sendable {
    /// Keeps `descriptor` open and never moves its offset.
    public let owner: any AnyObject & Sendable
    public let descriptor: Int32
    /// The first octet.
    public private(set) var offset: Int64
    /// How many octets; not below 0.
    public private(set) var count: Int
    /// Where the first octet lies in memory, if it is to be sent from there.
    ///
    /// For system calls alone, and only while the file is as long as the region says; else, and by TLS, it is read from the
    /// descriptor all the same.
    public private(set) var address: UInt?

    /// - Parameter address: valid as long as `owner` lives.
    public init(
        owner: any AnyObject & Sendable,
        descriptor: Int32,
        offset: Int64,
        count: Int,
        address: UInt? = nil
    ) {
        precondition(offset >= 0 && count >= 0, "a file region lies inside its file")
        self.owner = owner
        self.descriptor = descriptor
        self.offset = offset
        self.count = count
        self.address = address
    }

    public init(file: OpenFile, offset: Int64, count: Int) {
        self.init(owner: file, descriptor: file.descriptor, offset: offset, count: count)
    }

    mutating func consume(_ octets: Int) {
        offset += Int64(octets)
        address = address.map { $0 + UInt(octets) }
        count -= octets
    }
}
