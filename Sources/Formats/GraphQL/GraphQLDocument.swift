/// What a GraphQL document asks for, as far as a cache needs to know.
///
/// It reads definitions, and no further than their balanced brackets: a server judges the rest. It needs time for the
/// length of the document only, and memory for that and the open brackets.
public struct GraphQLDocument: Sendable, Equatable {
    public enum Operation: UInt8, Sendable { case query, mutation, subscription }

    /// The kinds of its operations; empty if it has fragments only.
    public private(set) var operations: Set<Operation> = []
    /// Its tokens with one space between them: equal only for documents that differ in ignored tokens.
    ///
    /// These are white space, commas and comments. Strings stay as they are written.
    public private(set) var text: [UInt8] = []

    /// - Parameters:
    ///   - source: UTF-8.
    ///   - depthLimit: how deep brackets may be nested.
    /// - Returns: nil if it is no document of operations and fragments, or nested too deep.
    public init?(_ source: [UInt8], depthLimit: Int) {
        text.reserveCapacity(source.count)
        var scanner = GraphQLScanner(source)
        var outline = GraphQLOutline(depthLimit: depthLimit)
        while true {
            switch scanner.next() {
            case .fault: return nil
            case .end:
                guard outline.isComplete else { return nil }
                return
            case .token(let token):
                let bytes = source[token.range]
                guard outline.accept(token, bytes) else { return nil }
                if let operation = outline.begun.take() { operations.insert(operation) }
                if !text.isEmpty { text.append(0x20) }
                text += bytes
            }
        }
    }
}

/// Follows the definitions of a document, token by token.
struct GraphQLOutline {
    /// What may come next outside all brackets.
    private enum Place {
        case start
        /// A description, which an operation or fragment must follow.
        case description
        case operationName, variables, directives, directiveName, arguments
        case fragmentName, fragmentOn, fragmentType
    }

    private let depthLimit: Int
    private var place = Place.start
    /// The closing brackets that are awaited, the innermost last.
    private var open: [UInt8] = []
    private var hasDefinitions = false
    /// The operation that the last token began.
    var begun: GraphQLDocument.Operation?

    init(depthLimit: Int) { self.depthLimit = depthLimit }

    /// Whether the document may end here.
    var isComplete: Bool { open.isEmpty && place == .start && hasDefinitions }

    /// Accepts the next token; returns false if it cannot be there.
    mutating func accept(_ token: GraphQLScanner.Token, _ bytes: ArraySlice<UInt8>) -> Bool {
        if !open.isEmpty { return acceptInside(token) }
        switch token {
        case .name: return acceptName(bytes)
        case .string:
            guard place == .start else { return false }
            place = .description
            return true
        case .punctuator(0x7B, _): return beginSelection()
        case .punctuator(0x28, _):
            switch place {
            case .operationName, .variables, .arguments: place = .directives
            default: return false
            }
            return push(0x29)
        case .punctuator(0x40, _):
            switch place {
            case .operationName, .variables, .directives, .arguments: place = .directiveName
            default: return false
            }
            return true
        case .punctuator, .spread, .number: return false
        }
    }

    private mutating func acceptInside(_ token: GraphQLScanner.Token) -> Bool {
        guard case .punctuator(let byte, _) = token else { return true }
        switch byte {
        case 0x28: return push(0x29)
        case 0x5B: return push(0x5D)
        case 0x7B: return push(0x7D)
        case 0x29, 0x5D, 0x7D: return open.popLast() == byte
        default: return true
        }
    }

    private mutating func push(_ closing: UInt8) -> Bool {
        guard open.count < depthLimit else { return false }
        open.append(closing)
        return true
    }

    private mutating func beginSelection() -> Bool {
        switch place {
        case .start: begun = .query
        case .operationName, .variables, .directives, .arguments: break
        case .description, .directiveName, .fragmentName, .fragmentOn, .fragmentType: return false
        }
        place = .start
        hasDefinitions = true
        return push(0x7D)
    }

    private mutating func acceptName(_ name: ArraySlice<UInt8>) -> Bool {
        switch place {
        case .start, .description: return beginDefinition(name)
        case .operationName: place = .variables
        case .directiveName: place = .arguments
        case .fragmentName:
            guard !name.elementsEqual("on".utf8) else { return false }
            place = .fragmentOn
        case .fragmentOn:
            guard name.elementsEqual("on".utf8) else { return false }
            place = .fragmentType
        case .fragmentType: place = .directives
        case .variables, .directives, .arguments: return false
        }
        return true
    }

    /// Definitions of types are none of a request.
    private mutating func beginDefinition(_ keyword: ArraySlice<UInt8>) -> Bool {
        place = .operationName
        switch String(decoding: keyword, as: UTF8.self) {
        case "query": begun = .query
        case "mutation": begun = .mutation
        case "subscription": begun = .subscription
        case "fragment": place = .fragmentName
        default: return false
        }
        return true
    }
}
