public import HTTPCore

/// Receives the content of a response piece by piece, so that no more than a piece is in memory.
///
/// A provider that transfers files calls the sink of a request in order, one call at a time. Calls may block. If one
/// throws, the provider cancels the request, and reports that error with the head.
public protocol ContentSink: AnyObject, Sendable {
    /// The final head has come, with all fields about codings and ranges.
    ///
    /// Returns whether content goes to `receive`; otherwise the provider collects it in memory, as without a sink.
    func begin(_ head: ResponseHead) throws -> Bool

    /// The next bytes of the content, as they came.
    func receive(_ content: ByteChunk) throws
}

/// The file that a download has written.
public struct DownloadedFile: Sendable, Hashable {
    /// The path that the program gave.
    public var path: String
    /// The number of its bytes.
    public var size: Int64
    /// How many of them an earlier attempt had brought.
    public var resumedAt: Int64

    public init(path: String, size: Int64, resumedAt: Int64 = 0) {
        self.path = path
        self.size = size
        self.resumedAt = resumedAt
    }
}
