public import HTTPCore
import Locking

/// The URIs whose text contains a match of a regular expression, query included (S-065).
///
/// The expression's own anchors and options apply, such as `ignoresCase()`. It runs once per resource and change of the
/// configuration, on one thread at a time. The program must avoid expressions that run long.
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

/// A regular expression that one thread at a time uses; `lock` makes it `Sendable`.
private final class SerialRegex: @unchecked Sendable {
    private let lock = Lock(())
    private let search: (String) -> Bool

    init<Output>(_ expression: sending Regex<Output>) {
        search = { ((try? expression.firstMatch(in: $0)) ?? nil) != nil }
    }

    func isFound(in text: String) -> Bool { lock.withLock { _ in search(text) } }
}
