public import HTTPCore

/// Content in a file, readable as long as this object lives.
public protocol FileContent: AnyObject, Sendable {
    /// Returns at most `count` bytes from `offset`, fewer at the end; nil if they cannot be read. Blocks: call it on
    /// worker threads.
    func read(_ count: Int, at offset: Int64) -> [UInt8]?
}

/// A complete body in a file.
///
/// The file stays readable as long as this object lives, even after the store has evicted it.
public protocol BodyFile: FileContent, FileReadObserver {
    var count: Int64 { get }
    /// Where the first bytes of `range` are, and perhaps all: in memory, or in an open file.
    ///
    /// Call it only for bytes that are verified.
    func piece(_ range: Range<Int64>) -> BodyPiece

    /// Checks that the blocks of `range` contain what was stored.
    ///
    /// Blocks that this process has checked before are not read again; a worker reads the others. If the result is
    /// false, never serve the body; the store drops the entry.
    ///
    /// `completion` may run inside this call if the result is known, otherwise on any thread.
    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void)

    /// Whether this process has already checked the blocks of `range`.
    func isVerified(_ range: Range<Int64>) -> Bool
}

extension BodyFile {
    public func fileCouldNotBeRead() {}
}

/// A body file that is being written.
///
/// Bytes are appended in order, and are readable once they are flushed.
public protocol BodyWriter: FileContent {
    /// An open descriptor for reading flushed bytes.
    var descriptor: Int32 { get }

    /// Queues `chunk` to be written at the end, on another thread.
    ///
    /// `completion` (on any thread) receives the number of bytes flushed in total. It receives nil if the disk, the
    /// disk limit or the limit for one object prevents the write; then nothing more is written.
    func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void)

    /// Turns the bytes into a complete body for the store, once everything is flushed. Nil if a write was refused.
    func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void)

    /// Removes the file once it has no reader. It has no effect after `finish` made a body of the file.
    func discard()
}
