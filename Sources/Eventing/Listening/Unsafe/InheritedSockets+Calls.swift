import CLinux
import LibC

extension InheritedSockets {
    /// Whether `LISTEN_PID` names this process.
    static func isForThisProcess(_ text: String?) -> Bool { text.flatMap { Int32($0) } == getpid() }

    /// Whether a descriptor is a listening socket.
    static func isListening(_ descriptor: Int32) -> Bool {
        var value: Int32 = 0
        var count = socklen_t(MemoryLayout<Int32>.size)
        return unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &value, &count) == 0 && value != 0
    }
}
