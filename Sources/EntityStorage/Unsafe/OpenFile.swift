import CLinux
import Glibc
import HTTPCore

/// What the system says to a call on a file.
struct FileError: Error {
    var code: Int32

    var isMissing: Bool { code == ENOENT }
    /// No space, or more than a quota or a file-size limit allows.
    var isFull: Bool { code == ENOSPC || code == EDQUOT || code == EFBIG }
    var text: String { unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)" }
}

/// An open file; closed with the last reference.
final class OpenFile: Sendable {
    let descriptor: Int32

    init(_ path: String, flags: Int32, mode: mode_t = 0o600) throws(FileError) {
        descriptor = unsafe open(path, flags | O_CLOEXEC, mode)
        if descriptor < 0 { throw FileError(code: errno) }
    }

    deinit { close(descriptor) }

    /// The file's length in octets.
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

    /// Reads at most `count` octets at `offset`; fewer at the end of the file.
    func read(_ count: Int, at offset: Int64) throws(FileError) -> [UInt8] {
        var code: Int32 = 0
        let octets = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
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
        return octets
    }

    /// For a file that is made anew.
    static let createFlags = O_RDWR | O_CREAT | O_TRUNC

    /// Takes the space of the first `count` octets.
    func allocate(_ count: Int64) throws(FileError) {
        let code = posix_fallocate(descriptor, 0, off_t(count))
        if code != 0 { throw FileError(code: code) }
    }

    /// Takes the lock of the file; false if another process has it.
    func lock() -> Bool { flock(descriptor, LOCK_EX | LOCK_NB) == 0 }

    func unlock() { _ = flock(descriptor, LOCK_UN) }
}

/// Calls on paths.
enum FileSystem {
    /// Makes a directory; one that is there already is no error.
    static func makeDirectory(_ path: String, mode: mode_t = 0o700) throws(FileError) {
        if unsafe mkdir(path, mode) != 0, errno != EEXIST { throw FileError(code: errno) }
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

    static func rename(_ old: String, _ new: String) throws(FileError) {
        if unsafe Glibc.rename(old, new) != 0 { throw FileError(code: errno) }
    }

    /// Gives a file a second name; fails if that is taken.
    static func link(_ old: String, _ new: String) throws(FileError) {
        if unsafe Glibc.link(old, new) != 0 { throw FileError(code: errno) }
    }

    /// Removes a file's name; whether there was one.
    @discardableResult
    static func remove(_ path: String) -> Bool { unsafe unlink(path) == 0 }

    /// The names in a directory, without `.` and `..`; none if it cannot be read.
    static func names(in path: String) -> [String] {
        guard let directory = unsafe opendir(path) else { return [] }
        defer { unsafe _ = closedir(directory) }
        var names: [String] = []
        while let entry = unsafe readdir(directory) {
            let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) { unsafe String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    /// What `du` counts for one file or directory, in octets; 0 if it is not there.
    static func usage(_ path: String) -> Int64 {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int64(status.st_blocks) * 512 : 0
    }

    /// The length of a file, or nil if it is not there.
    static func count(_ path: String) -> Int64? {
        var status = stat()
        return unsafe lstat(path, &status) == 0 ? Int64(status.st_size) : nil
    }
}
