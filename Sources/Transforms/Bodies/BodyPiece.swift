public import Exchanges
public import HTTPCore

/// What a reader of a growing body gets.
public enum BodyPiece: Sendable {
    /// The next bytes, in memory.
    case chunks([ByteChunk])
    /// The next bytes, in a file.
    case file(FileRegion)
    /// Nothing now; the reader is woken once when that changes.
    case wait
    /// The body is complete and everything was read.
    case end(trailers: Fields?)
    /// The body will never be complete, or this reader fell too far behind: the client must be able to tell.
    case failed(ExchangeFailure)
}

/// A run of bytes in an open file; the owner keeps the descriptor valid and never moves its offset.
public struct FileRegion: Sendable {
    public var owner: any FileContent
    public var descriptor: Int32
    public var offset: Int64
    public var count: Int

    public init(owner: any FileContent, descriptor: Int32, offset: Int64, count: Int) {
        self.owner = owner
        self.descriptor = descriptor
        self.offset = offset
        self.count = count
    }
}
