import CLinux
import Glibc

/// The system calls of `PressureWatch`.
enum PressureCalls {
    enum Event { case pressure, woken, lost }

    /// Opens what tells of pressure, and says to the kernel when it is to tell; a FIFO is read instead.
    static func open(_ source: PressureSource) -> Result<(file: OpenFile, isStream: Bool), SystemError> {
        // A FIFO without writer does not hang up while it is open for writing too.
        let descriptor = unsafe Glibc.open(source.path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return .failure(SystemError(errno)) }
        let file = OpenFile(adopting: descriptor)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { return .failure(SystemError(errno)) }
        let kind = status.st_mode & S_IFMT
        if kind == S_IFIFO { return .success((file, true)) }
        guard kind == S_IFREG else { return .failure(SystemError(EINVAL)) }
        let trigger = source.trigger
        let count = unsafe trigger.withUnsafeBytes { bytes in
            unsafe write(descriptor, bytes.baseAddress, bytes.count)
        }
        guard count == trigger.count else { return .failure(SystemError(count < 0 ? errno : EIO)) }
        return .success((file, false))
    }

    /// Blocks until there is pressure, or `wakeUp` is written to, or the file tells nothing any more.
    static func wait(_ file: OpenFile, isStream: Bool, wakeUp: OpenFile) -> Event {
        let wanted = isStream ? POLLIN : POLLPRI
        var descriptors = [
            pollfd(fd: file.descriptor, events: Int16(wanted), revents: 0),
            pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        while true {
            let count = unsafe descriptors.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, 2, -1) }
            if count < 0 {
                if errno == EINTR { continue }
                return .lost
            }
            if descriptors[1].revents != 0 { return .woken }
            let events = Int32(descriptors[0].revents)
            if events & (POLLERR | POLLNVAL) != 0 { return .lost }
            if events & wanted != 0 {
                if isStream { drain(file) }
                return .pressure
            }
            if events & POLLHUP != 0 { return .lost }
        }
    }

    /// What is written says nothing by itself.
    private static func drain(_ file: OpenFile) {
        var buffer = [UInt8](repeating: 0, count: 512)
        while unsafe buffer.withUnsafeMutableBytes({ unsafe read(file.descriptor, $0.baseAddress, $0.count) }) > 0 {}
    }
}
