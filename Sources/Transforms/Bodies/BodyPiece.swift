public import Exchanges
public import HTTPCore

/// What a reader of a growing body receives.
public enum BodyPiece: Sendable {
    /// The next bytes, in memory.
    case chunks([ByteChunk])
    /// The next bytes, in a file.
    case file(FileRegion)
    /// No bytes yet. The reader is woken once when there are some.
    case wait
    /// The reader has read everything, and the body is complete.
    case end(trailers: Fields?)
    /// The body will never be complete, or this reader fell too far behind. The client must be able to notice.
    case failed(ExchangeFailure)
}

/// A range of bytes in an open file.
///
/// The owner keeps the descriptor valid and never moves its offset.
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
