import Eventing
import HTTPCore
import Platform
import Terminal

/// Where the content of `respite get` goes.
final class GetOutput: ProxyExchange.Receiver {
    private let isOffline: Bool
    private let file: PendingFile?
    private let path: String
    private let start = MonotonicTime.now
    private var progress: TransferProgress
    private var head = ResponseHead(status: 0)

    /// - Parameter path: nil: standard output.
    init(path: String?, isOffline: Bool, progress screen: Screen) throws(CommandFailure) {
        self.isOffline = isOffline
        self.path = path ?? ""
        progress = TransferProgress(on: screen, at: start)
        do throws(SystemError) {
            file = try path.map { path throws(SystemError) in try PendingFile(path: path) }
        } catch {
            throw Self.failure(path ?? "", error)
        }
    }

    private static func failure(_ path: String, _ error: SystemError) -> CommandFailure {
        CommandFailure("cannot write \(Console.printable(path)): \(error.reason)")
    }

    // MARK: Receiving

    func receive(_ head: ResponseHead) throws(CommandFailure) {
        self.head = head
        progress.total = head.contentLength
    }

    func receive(_ bytes: [UInt8]) throws(CommandFailure) {
        guard !isUnavailable else { return }
        if let file {
            do throws(SystemError) { try file.write(bytes) } catch { throw Self.failure(path, error) }
        } else {
            Console.write(bytes)
        }
        progress.add(bytes.count)
        progress.show(at: .now)
    }

    func endProgress() { progress.clear() }

    /// Gives the file its name.
    func finish() throws(CommandFailure) {
        do throws(SystemError) { try file?.finish() } catch { throw Self.failure(path, error) }
    }

    /// Removes what was written to the file.
    func discard() { file?.discard() }

    // MARK: Results

    /// Whether the cache was to respond, and cannot.
    var isUnavailable: Bool {
        isOffline && head.status == 504 && CacheStatusText.parameters(head.fields)["hit"] == nil
    }

    var isError: Bool { head.status >= 400 }

    /// `5.0 KiB of 100 KiB`; empty before the head.
    var sizes: String {
        guard head.status != 0 else { return "" }
        let count = "after \(Table.Cell.readable(bytes: progress.count))"
        return head.contentLength.map { "\(count) of \(Table.Cell.readable(bytes: $0))" } ?? count
    }

    /// `200 OK, 51 B in 3.4 ms: a hit, fresh for 9 min 12 s`.
    var summary: String {
        let reason = head.reason.isEmpty ? "" : " \(Console.printable(String(decoding: head.reason, as: UTF8.self)))"
        let time = Table.Cell.readable(microseconds: (MonotonicTime.now - start).wholeNanoseconds / 1000)
        let size = Table.Cell.readable(bytes: progress.count)
        let words = CacheStatusText.sentence(head.fields).map { ": \($0)" } ?? ""
        return (isError ? "the response is an error: " : "") + "\(head.status)\(reason), \(size) in \(time)\(words)"
    }
}
