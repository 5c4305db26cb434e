import CLinux
import LibC

/// A regular file that is read in pieces while its size stays what it was when it was opened.
///
/// Any thread may use it; calls block.
public final class RegularFile: Sendable {
    /// In bytes, when it was opened.
    public let size: Int64
    private let descriptor: FileDescriptor

    /// Opens a file; a link stands for what it leads to.
    public init(path: String) throws(FileFault) {
        guard !path.utf8.contains(0) else { throw .notAPath }
        // Non-blocking: opening a pipe without a writer would block.
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw .lastError(errno) }
        descriptor = FileDescriptor(adopting: number)
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw .lastError(errno) }
        switch status.st_mode & S_IFMT {
        case S_IFREG: break
        case S_IFDIR: throw .directory
        default: throw .irregular
        }
        size = Int64(status.st_size)
    }

    /// Exactly `count` bytes from `offset` on; throws `FileFault.resized` if there are fewer.
    public func read(from offset: Int64, count: Int) throws(FileFault) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        var filled = 0
        while filled < count {
            let result = unsafe bytes.withUnsafeMutableBytes { buffer in
                let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
                return unsafe pread(descriptor.number, rest.baseAddress, rest.count, off_t(offset) + off_t(filled))
            }
            if result > 0 {
                filled += result
            } else if result == 0 {
                throw .resized(from: size, to: offset + Int64(filled))
            } else if errno != EINTR {
                throw .lastError(errno)
            }
        }
        return bytes
    }

    /// Throws `FileFault.resized` if the size is another one now.
    public func checkSize() throws(FileFault) {
        var status = stat()
        guard unsafe fstat(descriptor.number, &status) == 0 else { throw .lastError(errno) }
        guard Int64(status.st_size) == size else { throw .resized(from: size, to: Int64(status.st_size)) }
    }
}
