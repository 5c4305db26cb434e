import LibC

/// An open descriptor, closed when the last reference is released.
///
/// Any thread may use it.
public final class FileDescriptor: Sendable {
    /// The number, which this object owns.
    public let number: Int32

    /// Takes over an open descriptor.
    public init(adopting number: Int32) { self.number = number }

    /// Opens a file for reading.
    public convenience init(path: String) throws(SystemError) {
        let number = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, "cannot open \(path)") }
        self.init(adopting: number)
    }

    deinit { _ = close(number) }
}
