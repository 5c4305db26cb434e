import Formats
import HTTPCore
import Transforms

/// JSON text with a table of its values, in the order in which they begin.
///
/// A value is known by its place in the table. What a value contains follows it directly, so that a value and all of its
/// descendants are the run of places from its own to its `next`. 20 bytes for each value.
struct JSONDocument: Sendable {
    struct Node: Sendable {
        /// Where the text of the value begins and ends.
        var start: UInt32
        var end: UInt32
        /// Where the name of the member begins (its quotation mark) whose value this is; 0 if it is none.
        var name: UInt32
        /// The place behind the last descendant.
        var next: UInt32
        /// Elements or members.
        var count: UInt32

        init(start: Int, name: UInt32) {
            self.start = UInt32(truncatingIfNeeded: start)
            end = 0
            self.name = name
            next = 0
            count = 0
        }
    }

    let bytes: [UInt8]
    /// At least one: the first is the whole value.
    private(set) var nodes: [Node] = []

    /// Reads `text`; throws what is wrong with it.
    init(
        copying text: Span<UInt8>,
        depthLimit: Int,
        meter: inout WorkMeter
    ) throws(TransformFailure) {
        guard text.count < Int(Int32.max) else {
            throw TransformFailure(.limit, "JSON of more than 2 GiB is not taken in")
        }
        bytes = [UInt8](copying: text)
        // Growing would take three times the memory for a moment; what stays unused is never touched.
        nodes.reserveCapacity(Self.countAtMost(text))
        try scan(text, depthLimit: depthLimit, meter: &meter)
    }

    /// A bound of the number of values: each but the first follows a comma or the beginning of an array or object.
    private static func countAtMost(_ text: Span<UInt8>) -> Int {
        var count = 1
        for index in text.indices {
            let byte = text[index]
            if byte == 0x2C || byte | 0x20 == 0x7B { count += 1 }
        }
        return count
    }

    private mutating func scan(
        _ text: Span<UInt8>,
        depthLimit: Int,
        meter: inout WorkMeter
    ) throws(TransformFailure) {
        var scanner = JSONScanner(depthLimit: depthLimit)
        var open: [Int] = []
        var name: UInt32 = 0
        var at = 0
        while let token = try scanner.token(text, &at) {
            try meter.tick(token.range.count)
            switch token.kind {
            case .name: name = UInt32(truncatingIfNeeded: token.range.lowerBound)
            case .nameSeparator, .valueSeparator: break
            case .endObject, .endArray:
                if let container = open.popLast() { close(container, at: token.range.upperBound) }
            case .beginObject, .beginArray, .string, .number, .literal:
                if let container = open.last { nodes[container].count += 1 }
                nodes.append(Node(start: token.range.lowerBound, name: name))
                name = 0
                if token.kind == .beginObject || token.kind == .beginArray {
                    open.append(nodes.count - 1)
                } else {
                    close(nodes.count - 1, at: token.range.upperBound)
                }
            }
        }
        try scanner.end()
    }

    private mutating func close(_ node: Int, at end: Int) {
        nodes[node].end = UInt32(truncatingIfNeeded: end)
        nodes[node].next = UInt32(truncatingIfNeeded: nodes.count)
    }

    // MARK: Values

    /// Where the text of a value stands in `bytes`.
    func range(of node: Int) -> Range<Int> { Int(nodes[node].start)..<Int(nodes[node].end) }

    /// The place behind the last descendant of a value, which is that of its next sibling, if it has one.
    @inline(__always)
    func next(of node: Int) -> Int { Int(nodes[node].next) }

    func kind(of node: Int) -> JSONKind {
        switch bytes[Int(nodes[node].start)] {
        case 0x7B: .object
        case 0x5B: .array
        case 0x22: .string
        case 0x74: .true
        case 0x66: .false
        case 0x6E: .null
        default: .number
        }
    }

    /// Line and column where a value begins, for people.
    func place(of node: Int) -> String {
        var position = TextPosition()
        let start = Int(nodes[node].start)
        for index in 0..<start {
            if bytes[index] == 0x0A {
                position.newLine(at: index + 1)
            } else if bytes[index] & 0xC0 == 0x80 {
                position.noteContinuation(1)
            }
        }
        let place = position.error(.expected(""), at: start)
        return "line \(place.line), column \(place.column)"
    }
}
