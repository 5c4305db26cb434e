import CLinux
import LibC

/// An open `PressureSource`.
struct PressureFile: Sendable {
    enum Event { case pressure, woken, lost }

    private let file: FileDescriptor
    /// Whether it is a FIFO, which reports by bytes to read.
    ///
    /// A file of the kernel reports by an exceptional condition.
    private let isFIFO: Bool

    /// Opens the file; writes the trigger if it is a file of the kernel.
    init(_ source: PressureSource) throws(SystemError) {
        // Open it for writing, too: a FIFO hangs up when its last writer closes it.
        let descriptor = unsafe open(source.path, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { throw SystemError(errno, source.path) }
        file = FileDescriptor(adopting: descriptor)
        var status = stat()
        guard unsafe fstat(descriptor, &status) == 0 else { throw SystemError(errno, source.path) }
        let kind = status.st_mode & S_IFMT
        isFIFO = kind == S_IFIFO
        if isFIFO { return }
        guard kind == S_IFREG else { throw SystemError(EINVAL, source.path) }
        let count = unsafe source.trigger.withUnsafeBytes { bytes in
            unsafe write(descriptor, bytes.baseAddress, bytes.count)
        }
        guard count == source.trigger.count else { throw SystemError(count < 0 ? errno : EIO, source.path) }
    }

    /// Blocks until memory is short, `wakeUp` is signalled, or the file no longer reports.
    func wait(_ wakeUp: WakeUp) -> Event {
        let wanted = isFIFO ? POLLIN : POLLPRI
        var descriptors = [
            pollfd(fd: file.number, events: Int16(wanted), revents: 0),
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
                if isFIFO { drain() }
                return .pressure
            }
            if events & POLLHUP != 0 { return .lost }
        }
    }

    /// Discards the bytes: their presence is the whole message.
    private func drain() {
        var buffer = [UInt8](repeating: 0, count: 512)
        while unsafe buffer.withUnsafeMutableBytes({ unsafe read(file.number, $0.baseAddress, $0.count) }) > 0 {}
    }
}
