/// How a store's limit is divided; all figures in bytes unless they say otherwise.
struct Budget: Sendable {
    static let pageSize: Int64 = 4096
    /// A frame of the log: a page and its header.
    static let frameSize: Int64 = 4120
    /// Bodies up to this go into the database, larger ones into files: where the costs of both meet.
    static let inlineLimit = 64 * 1024
    static let minimumLimit: Int64 = 1 << 20

    let limit: Int64
    /// A file to remove when the disk is full: deleting rows needs room first.
    let ballast: Int64
    /// Room kept for the log.
    let log: Int64
    /// What is spent before the first row: ballast, log, its index, small files, directories, and a margin for what file
    /// systems add to a file unasked.
    let fixed: Int64
    /// The largest content stored: larger ones would evict half of everything.
    let maximumObjectSize: Int64
    /// A transaction's limits.
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

    /// Frames the log may hold.
    var logFrames: Int { Int(log / Budget.frameSize) - 1 }
    /// Frames that make a checkpoint due: a longer log costs longer stalls and a slower start.
    var checkpointFrames: Int { min(1000, logFrames / 2) }

    /// What `du` counts for a body file of `count` bytes, its part of the directory included.
    static func fileCost(_ count: Int64) -> Int64 {
        (count + pageSize - 1) / pageSize * pageSize + pageSize
    }
}
