import Platform

/// A file whose bytes are the content of a request.
///
/// Opened anew for each request. All faults are `RequestError.Cause.FileTransfer` with the path that the program gave.
package final class OutgoingFile: Sendable {
    private let path: String
    private let file: RegularFile

    /// Opens it; blocks.
    package init(path: String) throws(RequestError.Cause.FileTransfer) {
        self.path = path
        do { file = try RegularFile(path: path) } catch { throw Self.failure(path, error) }
    }

    /// In bytes, when it was opened.
    package var size: Int64 { file.size }
    /// Without symbolic links.
    package var resolvedPath: String { file.resolvedPath }

    /// Exactly `count` bytes, and the last ones only if the size is still the same; blocks.
    package func read(from offset: Int64, count: Int) throws(RequestError.Cause.FileTransfer) -> [UInt8] {
        do throws(FileFault) {
            let bytes = try file.read(from: offset, count: count)
            if offset + Int64(count) == size { try file.checkSize() }
            return bytes
        } catch {
            throw Self.failure(path, error)
        }
    }

    /// What is wrong if the size has changed; nil if it has not.
    package var sizeFault: RequestError.Cause.FileTransfer? {
        do throws(FileFault) {
            try file.checkSize()
            return nil
        } catch {
            return Self.failure(path, error)
        }
    }

    private static func failure(_ path: String, _ fault: FileFault) -> RequestError.Cause.FileTransfer {
        RequestError.Cause.FileTransfer(.sending, path: path, fault)
    }
}
