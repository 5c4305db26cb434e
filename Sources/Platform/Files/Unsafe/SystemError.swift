import CLinux
import LibC

/// The `errno` of a failed system call, and perhaps what could not be done.
public struct SystemError: Error, Sendable, Hashable, CustomStringConvertible {
    public let code: Int32
    /// What could not be done, such as "cannot start a thread"; nil if the caller adds that.
    public let failure: String?

    public init(_ code: Int32, _ failure: String? = nil) {
        self.code = code
        self.failure = failure
    }

    /// Whether there is no such file.
    public var isMissingFile: Bool { code == ENOENT }

    /// Whether something has more bytes than it may have.
    public var isTooLarge: Bool { code == EFBIG }

    /// Whether the time for it was over.
    public var isTimeout: Bool { code == ETIMEDOUT }

    /// Whether the call can be repeated once the descriptor is ready.
    public var isBlocked: Bool { code == EAGAIN }

    /// The system's sentence for the code, such as "Connection refused".
    public var reason: String {
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe respite_strerror(code, &buffer, buffer.count) == 0 else { return "error \(code)" }
        return String(terminatedIn: buffer)
    }

    /// The failure and its reason.
    public var description: String { failure.map { "\($0): \(reason)" } ?? reason }
}
