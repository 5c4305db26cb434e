public import HTTPCore

/// Content in a file, readable while anybody holds this object.
public protocol FileContent: AnyObject, Sendable {
    /// At most `count` bytes from `offset`, fewer at the end; nil if they cannot be read. Blocks: for worker threads.
    func read(_ count: Int, at offset: Int64) -> [UInt8]?
}

/// A whole body in a file; the file stays readable while anybody holds this object, also after it was evicted.
public protocol BodyFile: FileContent, FileReadObserver {
    var count: Int64 { get }
    /// An open descriptor for `sendfile` and `pread`; valid as long as this object lives. The owner never moves its offset.
    var descriptor: Int32 { get }

    /// Makes sure that the blocks of `range` are what was stored: at once true if this process checked them before,
    /// otherwise after a worker has read them. False: never serve it; the store drops the entry.
    ///
    /// `completion` may run inside this call when the answer is known, else on any thread.
    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void)

    /// Whether it is known already that the blocks of `range` are what was stored.
    func isVerified(_ range: Range<Int64>) -> Bool
}

extension BodyFile {
    public func fileCouldNotBeRead() {}
}

/// A body file that is being written; appended to in order, readable behind what is flushed.
public protocol BodyWriter: FileContent {
    /// An open descriptor to read what is flushed.
    var descriptor: Int32 { get }

    /// Queues `chunk` to be written at the end, off the loops. `completion` (on any thread) tells how many bytes are
    /// flushed in all, or nil if the disk, the cap or the object limit refuses: nothing more is written then.
    func append(_ chunk: ByteChunk, _ completion: @escaping @Sendable (Int64?) -> Void)

    /// Everything is flushed: turns the bytes into a complete body for the store. Nil if anything was refused.
    func finish(_ completion: @escaping @Sendable ((any BodyFile)?) -> Void)

    /// Removes the file once nobody reads it; no effect on a body that `finish` made of it.
    func discard()
}
