import Transforms

/// The value of a comparable at one node.
enum JSONOperand: Sendable {
    case nothing
    /// A node of the document.
    case node(Int)
    case literal(JSONLiteral)
}

extension JSONEvaluation {
    /// Whether a filter is true for the node `current` (RFC 9535 §2.3.5.2).
    mutating func test(_ filter: JSONFilter, current: Int) throws(TransformFailure) -> Bool {
        try meter.tick()
        switch filter {
        case .any(let parts):
            for part in parts where try test(part, current: current) { return true }
            return false
        case .all(let parts):
            for part in parts where try !test(part, current: current) { return false }
            return true
        case .not(let inner): return try !test(inner, current: current)
        case .exists(let query): return try !nodes(query, current: current).isEmpty
        case .compare(let one, let comparison, let other):
            return try compare(operand(one, current), comparison, operand(other, current))
        case .matches(let test): return try matches(test, current)
        }
    }

    private mutating func operand(_ comparable: JSONComparable, _ current: Int) throws(TransformFailure) -> JSONOperand
    {
        switch comparable {
        case .literal(let literal): return .literal(literal)
        case .singular(let query):
            guard let node = try nodes(query, current: current).first else { return .nothing }
            return .node(Int(node))
        case .length(let argument): return try length(operand(argument, current))
        case .count(let query): return number(try nodes(query, current: current).count)
        case .value(let query):
            let nodes = try nodes(query, current: current)
            guard nodes.count == 1, let node = nodes.first else { return .nothing }
            return .node(Int(node))
        }
    }

    // MARK: Functions

    /// The number of characters of a string, elements of an array or members of an object (RFC 9535 §2.4.4).
    private mutating func length(_ operand: JSONOperand) throws(TransformFailure) -> JSONOperand {
        switch operand {
        case .nothing: return .nothing
        case .literal(.string(let text)): return number(CodePoints.count(text))
        case .literal: return .nothing
        case .node(let node):
            switch document.kind(of: node) {
            case .string: return number(CodePoints.count(try string(node)))
            case .array: return number(Int(document.nodes[node].count))
            case .object:
                try requireDistinctNamesInFilter(node)
                return number(Int(document.nodes[node].count))
            case .number, .true, .false, .null: return .nothing
            }
        }
    }

    private func number(_ value: Int) -> JSONOperand { .literal(.number(Array(String(value).utf8))) }

    private mutating func matches(_ test: JSONPatternTest, _ current: Int) throws(TransformFailure) -> Bool {
        guard let subject = try text(operand(test.subject, current)) else { return false }
        if let pattern = test.compiled {
            return try pattern.matches(subject, isWhole: test.isWhole, meter: &meter)
        }
        guard let source = try text(operand(test.pattern, current)),
            let pattern = try pattern(source)
        else { return false }
        return try pattern.matches(subject, isWhole: test.isWhole, meter: &meter)
    }

    /// Compiles a pattern from the document.
    ///
    /// If it is not an I-Regexp, it matches nothing (RFC 9535 §2.4.6).
    ///
    /// For redaction, and for a pattern that is too large, this is an error instead.
    private mutating func pattern(_ source: [UInt8]) throws(TransformFailure) -> IRegexp? {
        if let known = patterns[source] { return known }
        try meter.tick(source.count)
        do throws(IRegexpError) {
            let pattern = try IRegexp(source)
            if patterns.count < 64 { patterns[source] = pattern }
            return pattern
        } catch {
            if error == .tooLarge { throw TransformFailure(.limit, "a pattern in the content is too large") }
            if repetition == .all {
                throw TransformFailure(.invalidContent, "a pattern in the content is not an I-Regexp (RFC 9485)")
            }
            if patterns.count < 64 { patterns[source] = .some(nil) }
            return nil
        }
    }

    private mutating func text(_ operand: JSONOperand) throws(TransformFailure) -> [UInt8]? {
        switch operand {
        case .literal(.string(let text)): return text
        case .node(let node) where document.kind(of: node) == .string: return try string(node)
        case .nothing, .literal, .node: return nil
        }
    }

    /// The value of the string at `node`.
    mutating func string(_ node: Int) throws(TransformFailure) -> [UInt8] {
        try meter.tick(document.range(of: node).count)
        return document.string(of: node)
    }
}
