/// Why bytes are not JSON text.
public struct JSONSyntaxError: Error, Equatable, Sendable {
    public enum Problem: Equatable, Sendable {
        /// The text has something else where this is expected.
        case expected(String)
        /// The text ends where this is expected.
        case ended(String)
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep(limit: Int)
    }

    public var problem: Problem
    /// From 1.
    public var line: Int
    /// In characters, from 1.
    public var column: Int
}

extension JSONSyntaxError: CustomStringConvertible {
    /// A sentence for people: what is wrong, and where.
    public var description: String {
        let position = "line \(line), column \(column)"
        return switch problem {
        case .expected(let what): "the content is not JSON: \(position) should be \(what)"
        case .ended(let what): "the content is not JSON: it ends at \(position) without \(what)"
        case .tooDeep(let limit): "the JSON is nested more than \(limit) deep at \(position)"
        }
    }
}
