/// A file that reserves space on the disk: when the disk is full it is removed, so that rows can be deleted.
///
/// If it can be made, a disk that was full accepts writes again. Used on the writer's thread.
struct Ballast {
    private let size: Int64
    private(set) var isPresent = false

    init(size: Int64) { self.size = size }

    /// Bytes that it uses now.
    var usage: Int64 { isPresent ? size : 0 }

    /// Makes the file in `directory`, unless it exists with this size.
    mutating func make(in directory: StoreDirectory) throws(FileError) {
        let usage = directory.usage(of: StoreDirectory.ballast)
        if usage >= size, usage <= size + StoreLimits.pageSize {
            isPresent = true
            return
        }
        remove(from: directory)
        do throws(FileError) {
            let file = try OpenFile(StoreDirectory.ballast, in: directory.root, flags: OpenFile.createFlags)
            try file.allocate(size)
            isPresent = true
        } catch {
            remove(from: directory)
            throw error
        }
    }

    mutating func remove(from directory: StoreDirectory) {
        directory.root.remove(StoreDirectory.ballast)
        isPresent = false
    }

    /// Forgets the file: its directory is no longer ours.
    mutating func forget() { isPresent = false }
}
