import Locking

/// What the resource core tells of its work, by category; all of it off until a program asks (S-229…S-232).
///
/// ```swift
/// RespiteLog.Category.enabled = RespiteLog.Category.common
/// RespiteLog.messageHandler = { category, message in journal.write("\(category): \(message)") }
/// ```
///
/// Messages name URLs, methods, states and sizes: never content, credentials or the values of fields that may hold them.
/// Everything here may be used from any thread.
public enum RespiteLog {
    /// Receives one message; called on the thread that logs, under no lock, by several threads at once.
    public typealias MessageHandler = @Sendable (Category, String) -> Void

    private static let handler = Lock<MessageHandler>(printMessage)

    /// Where messages go; by default one line each on standard output.
    public static var messageHandler: MessageHandler {
        get { handler.withLock { $0 } }
        set { handler.withLock { $0 = newValue } }
    }

    /// Hands `message` to the handler if `category` is enabled; otherwise does not even evaluate it.
    public static func log(_ category: Category, _ message: @autoclosure () -> String) {
        guard category.isEnabled else { return }
        messageHandler(category, message())
    }
}
