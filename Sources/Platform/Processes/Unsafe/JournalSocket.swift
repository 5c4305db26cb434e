import CLinux
import LibC

/// Sends entries to systemd's journal by its native protocol: one datagram each, of `NAME=value` lines.
///
/// Our entries are far smaller than a datagram may be, so none needs a file of its own, as larger ones do.
public final class JournalSocket: Sendable {
    private let socket: FileDescriptor
    private let path: String

    /// - Parameter path: of the journal's socket; returns nil if there is none.
    public init?(path: String = "/run/systemd/journal/socket") {
        let flags = respite_datagram | respite_closed_on_exec
        let descriptor = LibC.socket(AF_UNIX, flags, 0)
        guard descriptor >= 0 else { return nil }
        socket = FileDescriptor(adopting: descriptor)
        self.path = path
        guard unsafe access(path, W_OK) == 0 else { return nil }
    }

    /// Sends one entry; waits while the journal is busy.
    ///
    /// - Returns: whether the journal has accepted it.
    public func send(_ entry: [UInt8]) -> Bool {
        NoticeSocket.send(entry, descriptor: socket.number, to: path)
    }
}

extension StandardError {
    /// Whether it leads to the journal.
    ///
    /// - Parameter stream: the value of `JOURNAL_STREAM`, device and number of the journal's stream: a program that
    ///   inherits the variable may write elsewhere (systemd.exec(5)).
    public static func isJournal(_ stream: String?) -> Bool { isStream(stream, descriptor: descriptor) }

    /// Whether a descriptor is the stream of `DEVICE:NUMBER`.
    package static func isStream(_ stream: String?, descriptor: Int32) -> Bool {
        var status = stat()
        guard let stream, unsafe fstat(descriptor, &status) == 0 else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }
}
