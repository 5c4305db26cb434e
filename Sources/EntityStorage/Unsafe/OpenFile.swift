import CLinux
import LibC
import HTTPCore
import Platform

/// Why the system refused a call on a file.
struct FileError: Error {
    var code: Int32
    /// The name of the file, if the caller does not know it.
    var name: String?

    init(code: Int32, name: String? = nil) {
        self.code = code
        self.name = name
    }

    var isMissing: Bool { code == ENOENT }
    /// No space, or more than a quota or a file-size limit allows.
    var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    var text: String {
        let text = unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        return name.map { "\($0): \(text)" } ?? text
    }
}

/// An open file; the last reference closes it.
final class OpenFile: Sendable {
    let descriptor: Int32

    /// Opens a file in `directory`, but no link; a file that this makes is for its owner alone, whatever the umask.
    init(_ name: String, in directory: OpenDirectory, flags: Int32) throws(FileError) {
        descriptor = unsafe openat(directory.descriptor, name, flags | O_NOFOLLOW | O_CLOEXEC, 0o600)
        if descriptor < 0 { throw FileError(code: errno) }
        if flags & O_CREAT != 0 { fchmod(descriptor, 0o600) }
    }

    deinit { close(descriptor) }

    /// The status of the file; nil if the system reports none.
    var status: FileStatus? {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? FileStatus(status) : nil
    }

    /// The file's length in bytes.
    var count: Int64 {
        var status = stat()
        return unsafe fstat(descriptor, &status) == 0 ? Int64(status.st_size) : -1
    }

    /// Writes all of `chunk` at `offset`.
    func write(_ chunk: ByteChunk, at offset: Int64) throws(FileError) {
        let code = chunk.withBytes { span in
            unsafe span.withUnsafeBytes { buffer -> Int32 in
                var done = 0
                while done < buffer.count {
                    let start = unsafe buffer.baseAddress?.advanced(by: done)
                    let count = unsafe pwrite(descriptor, start, buffer.count - done, off_t(offset) + off_t(done))
                    if count < 0, errno == EINTR { continue }
                    if count <= 0 { return count == 0 ? EIO : errno }
                    done += count
                }
                return 0
            }
        }
        if code != 0 { throw FileError(code: code) }
    }

    /// Reads at most `count` bytes at `offset`; fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        var code: Int32 = 0
        let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
            while filled < count {
                let start = unsafe buffer.baseAddress?.advanced(by: filled)
                let got = unsafe pread(descriptor, start, count - filled, off_t(offset) + off_t(filled))
                if got < 0, errno == EINTR { continue }
                if got < 0 { code = errno }
                if got <= 0 { break }
                filled += got
            }
        }
        if code != 0 { throw FileError(code: code) }
        return bytes
    }

    /// Makes the descriptor that of another file, which must have the same bytes: a read meanwhile gets either.
    func refer(to other: OpenFile) { _ = dup3(other.descriptor, descriptor, O_CLOEXEC) }

    /// The flags for a file that must not exist yet.
    static let createFlags = O_RDWR | O_CREAT | O_EXCL

    /// Makes the file system allocate the first `count` bytes.
    func allocate(_ count: Int64) throws(FileError) {
        let code = posix_fallocate(descriptor, 0, off_t(count))
        if code != 0 { throw FileError(code: code) }
    }

    /// Locks the file; returns false if another process has the lock.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    func unlock() { _ = flock(descriptor, LOCK_UN) }
}

/// Calls on paths.
enum FileSystem {
    /// Makes a directory for its owner alone, whatever the umask; does nothing if there is one.
    private static func makeDirectory(_ path: String) throws(FileError) {
        guard unsafe mkdir(path, 0o700) == 0 else {
            if errno == EEXIST { return }
            throw FileError(code: errno)
        }
        let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fchmod(descriptor, 0o700)
        close(descriptor)
    }

    /// Makes a directory and those above it.
    static func makeDirectories(_ path: String) throws(FileError) {
        do {
            try makeDirectory(path)
        } catch {
            guard error.isMissing, let slash = path.lastIndex(of: "/"), slash != path.startIndex else { throw error }
            try makeDirectories(String(path[..<slash]))
            try makeDirectory(path)
        }
    }

    /// Removes the name of a file; returns whether there was one.
    @discardableResult
    static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    /// The status of the file or link at this path; nil if there is none.
    static func status(_ path: String) -> FileStatus? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? FileStatus(status) : nil
    }

    /// The status of what this path leads to through links; nil if there is nothing.
    static func target(_ path: String) -> FileStatus? {
        var status = stat()
        return unsafe stat(path, &status) == 0 ? FileStatus(status) : nil
    }

    /// The path without links in it; nil if the system cannot resolve it.
    static func canonicalPath(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        guard unsafe realpath(path, &buffer) != nil else { return nil }
        return String(terminatedIn: buffer)
    }
}
