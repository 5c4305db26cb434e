import Locking

/// Messages of the resource core about its work, by category; all are off until a program enables them (S-229…S-232).
///
/// ```swift
/// RespiteLog.Category.enabled = RespiteLog.Category.common
/// RespiteLog.messageHandler = { category, message in journal.write("\(category): \(message)") }
/// ```
///
/// Messages name URLs, methods, states and sizes, but never content, credentials or values of fields that may contain
/// credentials. Safe from any thread.
public enum RespiteLog {
    /// Receives one message; called on the thread that logs, under no lock, by several threads at once.
    public typealias MessageHandler = @Sendable (Category, String) -> Void

    /// In a structure: a function by itself would be wrapped once more by each access to the lock.
    private struct Handler: Sendable {
        var receive: MessageHandler
    }

    private static let handler = Lock(Handler(receive: printMessage))

    /// Where messages go; by default one line each on standard output.
    public static var messageHandler: MessageHandler {
        get { handler.withLock { $0 }.receive }
        set { handler.withLock { $0.receive = newValue } }
    }

    /// Passes `message` to the handler if `category` is enabled; otherwise does not even evaluate it.
    public static func log(_ category: Category, _ message: @autoclosure () -> String) {
        guard category.isEnabled else { return }
        messageHandler(category, message())
    }
}
