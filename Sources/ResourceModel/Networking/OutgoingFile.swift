import Platform

/// A file whose bytes are the content of a request.
///
/// Opened anew for each request. All faults are `RequestError.Cause.FileTransfer` with the path that the program gave.
final class OutgoingFile: Sendable {
    /// The size of a file that may be in memory as a whole: 64 MiB.
    static let memoryLimit: Int64 = 64 << 20

    private let path: String
    private let file: RegularFile

    /// Opens it; blocks.
    init(path: String) throws(RequestError.Cause.FileTransfer) {
        self.path = path
        do { file = try RegularFile(path: path) } catch { throw Self.failure(path, error) }
    }

    /// In bytes, when it was opened.
    var size: Int64 { file.size }

    /// Exactly `count` bytes, and the last ones only if the size is still the same; blocks.
    func read(from offset: Int64, count: Int) throws(RequestError.Cause.FileTransfer) -> [UInt8] {
        do throws(FileFault) {
            let bytes = try file.read(from: offset, count: count)
            if offset + Int64(count) == size { try file.checkSize() }
            return bytes
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// All bytes, of a file that may be in memory; blocks.
    func readWhole() throws(RequestError.Cause.FileTransfer) -> [UInt8] {
        guard size <= Self.memoryLimit else {
            let limit = "more than the \(Self.memoryLimit) that may be in memory"
            let reason = "its \(size) bytes are \(limit); HTTPClient sends files of any size"
            throw RequestError.Cause.FileTransfer(.sending, path: path, reason: reason)
        }
        return try read(from: 0, count: Int(size))
    }

    private static func failure(_ path: String, _ fault: FileFault) -> RequestError.Cause.FileTransfer {
        RequestError.Cause.FileTransfer(.sending, path: path, fault)
    }
}
