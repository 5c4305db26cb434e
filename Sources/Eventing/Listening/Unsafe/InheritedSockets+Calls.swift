import CLinux
import Glibc

extension InheritedSockets {
    /// Whether the value of `LISTEN_PID` means us.
    static func isForThisProcess(_ text: String?) -> Bool { text.flatMap { Int32($0) } == getpid() }

    /// Whether a descriptor is an open socket that takes connections.
    static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &count) == 0 && value != 0
    }
}
