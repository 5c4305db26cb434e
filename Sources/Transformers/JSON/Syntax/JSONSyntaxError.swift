import ResourceCore

/// Why octets are not JSON text.
struct JSONSyntaxError: Error, Equatable, Sendable {
    enum Problem: Equatable, Sendable {
        /// Something else stands where this is due.
        case expected(String)
        /// The text ends where this is due.
        case ended(String)
        /// Arrays and objects are nested deeper than the limit.
        case tooDeep(limit: Int)
    }

    var problem: Problem
    /// From 1.
    var line: Int
    /// In characters, from 1.
    var column: Int

    /// What a pipeline reports.
    var failure: TransformFailure {
        let place = "line \(line), column \(column)"
        switch problem {
        case .expected(let what):
            return TransformFailure(.invalidContent, "the content is not JSON: \(place) should be \(what)")
        case .ended(let what):
            return TransformFailure(.invalidContent, "the content is not JSON: it ends at \(place) without \(what)")
        case .tooDeep(let limit):
            return TransformFailure(.limit, "the JSON is nested more than \(limit) deep at \(place)")
        }
    }
}
