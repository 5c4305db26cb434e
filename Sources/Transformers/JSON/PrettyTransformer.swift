import Formats
public import Transforms

/// Formats JSON with a line for each element or member; every token keeps its exact text.
///
/// It streams, and fails as soon as the content is not JSON. It writes no line break at the end, and removes a byte
/// order mark. Empty content stays empty (S-252).
public struct PrettyTransformer: StreamingTransformer {
    private let indent: Int

    /// - Parameter indent: spaces for each level, 0 to 16.
    public init(indent: Int = 2) throws(JSONOptionError) {
        guard 0...16 ~= indent else { throw JSONOptionError("the indent is a number from 0 to 16") }
        self.indent = indent
    }

    public var name: String { "json pretty" }
    public var fingerprint: String { "json pretty 1 \(indent)" }
    public var needsDecodedContent: Bool { true }
    public var dependsOnRequest: Bool { false }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        JSONRewriter(PrettyLayout(indent: indent), context)
    }
}

/// Begins a line for each element or member, indented by its depth.
struct PrettyLayout: JSONLayout {
    let indent: Int
    private var depth = 0
    /// Whether the last token opened an array or object, which may be empty.
    private var isJustOpened = false

    init(indent: Int) { self.indent = indent }

    mutating func writeSpace(before token: JSONToken, to output: inout [UInt8]) {
        let wasJustOpened = isJustOpened
        isJustOpened = false
        switch token.kind {
        case .endObject, .endArray:
            depth -= 1
            if !wasJustOpened { writeLine(to: &output) }
        case .beginObject, .beginArray, .name, .string, .number, .literal:
            if wasJustOpened { writeLine(to: &output) }
        case .nameSeparator, .valueSeparator: break
        }
        if token.kind == .beginObject || token.kind == .beginArray {
            depth += 1
            isJustOpened = true
        }
    }

    func writeSpace(after token: JSONToken, to output: inout [UInt8]) {
        switch token.kind {
        case .nameSeparator: output.append(0x20)
        case .valueSeparator: writeLine(to: &output)
        default: break
        }
    }

    private func writeLine(to output: inout [UInt8]) {
        output.append(0x0A)
        output.append(contentsOf: repeatElement(0x20, count: depth * indent))
    }
}
