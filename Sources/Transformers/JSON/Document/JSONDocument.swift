import Formats
import HTTPCore
import Transforms

/// JSON text and a table of its values, in the order in which they begin.
///
/// A *node* is the index of a value in the table. The descendants of a value follow it directly. So a value and its
/// descendants are the nodes from its own up to its `next`. Each value takes 20 bytes.
struct JSONDocument: Sendable {
    struct Node: Sendable {
        /// The range of the value's text.
        var start: UInt32
        var end: UInt32
        /// The offset of the quotation mark that begins the member's name; 0 if the value is not of a member.
        var name: UInt32
        /// The node after the last descendant.
        var next: UInt32
        /// The number of elements or members.
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
    /// The table.
    ///
    /// It has at least one entry: the first is the top value.
    private(set) var nodes: [Node] = []

    /// Parses `text`; throws if it is not JSON.
    init(
        copying text: Span<UInt8>,
        depthLimit: Int,
        meter: inout WorkMeter
    ) throws(TransformFailure) {
        guard text.count < Int(Int32.max) else {
            throw TransformFailure(.limit, "JSON of more than 2 GiB is not accepted")
        }
        bytes = [UInt8](copying: text)
        // Growth would briefly need three times the memory. Unused capacity is never touched.
        nodes.reserveCapacity(Self.countAtMost(text))
        try scan(text, depthLimit: depthLimit, meter: &meter)
    }

    /// An upper bound for the number of values: each but the first follows a comma or the beginning of an array or
    /// object.
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

    /// The range of a value's text in `bytes`.
    func range(of node: Int) -> Range<Int> { Int(nodes[node].start)..<Int(nodes[node].end) }

    /// The node after the last descendant of a value: its next sibling, if it has one.
    @inline(__always)
    func next(of node: Int) -> Int { Int(nodes[node].next) }

    /// The elements or members of a value, in their order.
    func children(of node: Int) -> [Int] {
        var found: [Int] = []
        var child = node + 1
        while child < next(of: node) {
            found.append(child)
            child = next(of: child)
        }
        return found
    }

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

    /// The line and column at which a value begins, for people.
    func position(of node: Int) -> String {
        var position = TextPosition()
        let start = Int(nodes[node].start)
        for index in 0..<start {
            if bytes[index] == 0x0A {
                position.newLine(at: index + 1)
            } else if bytes[index] & 0xC0 == 0x80 {
                position.noteContinuation(1)
            }
        }
        let error = position.error(.expected(""), at: start)
        return "line \(error.line), column \(error.column)"
    }
}
