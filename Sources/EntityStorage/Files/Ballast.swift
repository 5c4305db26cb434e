/// A file that takes room on the disk so that it can be given up: deleting rows needs room first.
///
/// Whether it can be made is also the test whether a full disk accepts writes again. Used on the writer's thread.
struct Ballast {
    private let size: Int64
    private(set) var isPresent = false

    init(size: Int64) { self.size = size }

    /// Bytes it takes now.
    var usage: Int64 { isPresent ? size : 0 }

    /// Makes the file in `directory`, unless it is there; one of another size is made anew.
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

    /// The directory it was in is no longer ours.
    mutating func forget() { isPresent = false }
}
