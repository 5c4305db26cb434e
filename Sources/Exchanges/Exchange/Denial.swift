/// Why requests are refused, by a rule; nothing is asked of the origin.
///
/// An object, since configurations and requests carry it along.
public final class Denial: Sendable {
    /// A sentence for clients.
    public let text: String
    /// The rule's name, such as `rule 1`.
    public let rule: String

    public init(_ text: String, rule: String) {
        self.text = text
        self.rule = rule
    }

    /// The word in Cache-Status.
    public static let detail = "denied"

    /// The failure of an exchange that was not made.
    var failure: ExchangeFailure { ExchangeFailure(.requestDenied, text) }
}
