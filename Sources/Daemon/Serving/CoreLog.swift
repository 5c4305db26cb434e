import Observability
import ResourceCore

/// Puts into the daemon's log what the core tells of its work, as far as categories are switched on (S-229).
enum CoreLog {
    /// - Parameter secrets: asked for each message, since settings are read again.
    static func begin(_ log: Logger, secrets: @escaping @Sendable () -> SecretParameters) {
        RespiteLog.messageHandler = { category, message in
            log.tell("core", ["category": "\(category)", "text": redacted(message, secrets())])
        }
    }

    /// The message without values of secret query parameters, whatever URLs are in it (H-158).
    static func redacted(_ message: String, _ secrets: SecretParameters) -> [UInt8] {
        let words = message.utf8.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        return Array(words.map { secrets.redacted(Array($0)) }.joined(separator: [UInt8(ascii: " ")]))
    }
}
