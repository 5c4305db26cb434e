import Exchanges
import Observability
import ResourceCore

/// Writes the core's log messages of enabled categories to the daemon's log (S-229).
enum CoreLog {
    /// - Parameter secrets: called for each message, since reloads change the setting.
    static func begin(_ log: Logger, secrets: @escaping @Sendable () -> SecretParameters) {
        RespiteLog.messageHandler = { category, message in
            log.always("core", ["category": "\(category)", "text": redacted(message, secrets())])
        }
    }

    /// The message without the values of secret query parameters in its URLs (H-158).
    static func redacted(_ message: String, _ secrets: SecretParameters) -> [UInt8] {
        let words = message.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return Array(words.map { secrets.redacted(Array($0)) }.joined(separator: [UInt8(ascii: " ")]))
    }
}
