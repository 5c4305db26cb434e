public import HTTPCore
import Locking

/// The URIs in which a regular expression is found, anywhere in the whole text, query included (S-065).
///
/// Anchors and options such as `ignoresCase()` are the expression's own. It is asked once for each resource and change of
/// the configuration, by one thread at a time; one that throws, or runs for long on some texts, is the program's business.
public struct RegexPattern: ConfigurationPattern {
    public let patternDescription: String
    private let expression: SerialRegex

    public init<Output>(_ expression: sending Regex<Output>, description: String = "expression") {
        patternDescription = description
        self.expression = SerialRegex(expression)
    }

    public func matcher(base: TargetURI?) -> @Sendable (TargetURI) -> Bool {
        { [expression] in expression.isFound(in: $0.text) }
    }
}

/// An expression that one thread at a time uses: what stands behind `lock` makes it `Sendable`.
private final class SerialRegex: @unchecked Sendable {
    private let lock = Lock(())
    private let search: (String) -> Bool

    init<Output>(_ expression: sending Regex<Output>) {
        search = { ((try? expression.firstMatch(in: $0)) ?? nil) != nil }
    }

    func isFound(in text: String) -> Bool { lock.withLock { _ in search(text) } }
}
