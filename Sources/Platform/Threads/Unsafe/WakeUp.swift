import CLinux
import LibC

/// A descriptor that one thread makes readable to wake another, which polls it (eventfd(2)).
public final class WakeUp: Sendable {
    /// The descriptor to poll.
    public var descriptor: Int32 { file.number }
    private let file: FileDescriptor

    public init() throws(SystemError) {
        let number = eventfd(0, Int32(EFD_NONBLOCK | EFD_CLOEXEC))
        guard number >= 0 else { throw SystemError(errno, "no eventfd") }
        file = FileDescriptor(adopting: number)
    }

    /// Makes the descriptor readable.
    public func signal() {
        var one: UInt64 = 1
        _ = unsafe write(file.number, &one, 8)
    }

    /// Consumes all signals so far: the descriptor is not readable until the next one.
    public func clear() {
        var count: UInt64 = 0
        _ = unsafe read(file.number, &count, 8)
    }
}
