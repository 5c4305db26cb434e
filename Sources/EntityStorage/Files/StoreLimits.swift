/// How the limit of a store is divided; in bytes unless a name says otherwise.
struct StoreLimits: Sendable {
    static let pageSize: Int64 = 4096
    /// A frame of the log: a page and its header.
    static let frameSize: Int64 = 4120
    /// Content up to this size goes into the database, larger content into a file: here both cost the same.
    static let inlineLimit = 64 * 1024
    static let minimumLimit: Int64 = 1 << 20

    let limit: Int64
    /// The size of a file that is removed when the disk is full: deleting rows needs room first.
    let ballast: Int64
    /// Room for the log.
    let log: Int64
    /// Space used before the first row: ballast, log and its index, small files, directories, and a margin for the
    /// overhead of file systems.
    let fixed: Int64
    /// The largest content stored: larger content would evict half of everything.
    let maximumObjectSize: Int64
    /// A transaction changes at most this many entries, and this many bytes.
    let batchEntries = 100
    let batchBytes: Int64

    init(limit: Int64, maximumObjectSize: Int64) {
        self.limit = limit
        ballast = min(8 << 20, limit / 8)
        log = min(8_704 << 10, limit / 4)
        let small: Int64 = 32 << 10 + 48 << 10
        fixed = ballast + log + small + min(4 << 20, limit / 128)
        self.maximumObjectSize = min(maximumObjectSize, (limit - fixed) / 2)
        batchBytes = min(1 << 20, limit / 32)
    }

    /// The most frames in the log.
    var logFrames: Int { Int(log / StoreLimits.frameSize) - 1 }
    /// The number of frames at which a checkpoint is due: a longer log costs longer stalls and a slower start.
    var checkpointFrames: Int { min(1000, logFrames / 2) }

    /// What `du` counts for a body file of `count` bytes, with its share of the directory.
    static func fileCost(_ count: Int64) -> Int64 { contentCost(count) + pageSize }

    /// What `du` counts for the bytes of a file alone, which a further name of it does not take again.
    static func contentCost(_ count: Int64) -> Int64 { (count + pageSize - 1) / pageSize * pageSize }
}
