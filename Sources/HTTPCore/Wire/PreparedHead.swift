/// The head of a stored response, serialized up to what differs from hit to hit.
///
/// A hit appends `Cache-Status` with the lifetime left, `Age` and `Connection`. That is a few copies and no allocation,
/// where serializing line by line took a tenth of a hit.
public struct PreparedHead: Sendable {
    /// The constant part; behind it, where it keeps a field section, the text of the lines that the head does not have, and
    /// where all lines stand.
    public let bytes: [UInt8]
    private let end: UInt32
    /// Where the table of the lines begins; the end of `bytes` if there is none.
    private let table: UInt32

    /// Bytes of the constant part.
    @inline(__always) public var count: Int { Int(end) }

    /// The section it keeps; none has no lines.
    ///
    /// Made anew each time: an array of the lines, over the text of the head.
    public var fields: Fields { LineTable.section(in: bytes, at: Int(table)) }

    /// Serializes a head; `Age` lines are left out, `Cache-Status` lines of others are kept before ours.
    public init(status: UInt16, reason: [UInt8] = [], fields: Fields, framing: Framing) {
        var text: [UInt8] = []
        HeadSerializer.appendStatusLine(status, reason: reason, to: &text)
        for line in fields.lines where line.known != .age { HeadSerializer.appendLine(line, of: fields, to: &text) }
        HeadSerializer.appendFraming(framing, to: &text)
        // It stays as long as the response: as long as it is, not as it has grown.
        bytes = [UInt8](copying: text.span)
        end = UInt32(truncatingIfNeeded: text.count)
        table = end
    }

    /// Serializes a head that also keeps `section`, whose text is that of the head.
    ///
    /// Lines, order and values of `fields` are what they were; head and section take the memory of little more than one.
    ///
    /// - Parameter isReused: whether a line belongs into the head; `Age` lines never do.
    public init(
        status: UInt16,
        reason: [UInt8] = [],
        keeping section: Fields,
        framing: Framing,
        where isReused: (Fields.Line) -> Bool
    ) {
        var text: [UInt8] = []
        text.reserveCapacity(section.bytes.count + Self.frame + section.lines.count * 8)
        HeadSerializer.appendStatusLine(status, reason: reason, to: &text)
        var lines: [Fields.Line] = []
        lines.reserveCapacity(section.lines.count)
        var apart: [Int] = []
        for line in section.lines {
            if line.known != .age, isReused(line),
                let place = HeadSerializer.appendLine(line, of: section, to: &text)
            {
                lines.append(place)
            } else {
                apart.append(lines.count)
                lines.append(line)
            }
        }
        let own = text.count
        HeadSerializer.appendFraming(framing, to: &text)
        end = UInt32(truncatingIfNeeded: text.count)
        let framed = own..<text.count
        for index in apart {
            let line = lines[index]
            lines[index] = section.place(of: line, in: text, framed) ?? section.appendText(of: line, to: &text)
        }
        table = UInt32(truncatingIfNeeded: text.count)
        LineTable.append(lines, to: &text)
        bytes = [UInt8](copying: text.span)
    }

    /// Appends the head for one response.
    ///
    /// - Parameters:
    ///   - age: the current age in seconds; below 0 counts as 0.
    ///   - ttl: the lifetime left in seconds; below 0 if the response is stale.
    ///   - connection: `.upgrade` counts as `.none`.
    ///   - via: a whole `Via` line with its end, or nothing.
    ///   - detail: a token for `detail=` of less than 64 bytes, if there is something to tell.
    ///   - content: what is appended behind the head.
    @inline(__always)
    public func append(
        to output: inout [UInt8],
        age: Int64,
        ttl: Int64,
        connection: ConnectionOption = .none,
        via: [UInt8] = [],
        detail: StaticString? = nil,
        content: [UInt8] = []
    ) {
        let size = count + via.count + Self.variablePart + content.count
        output.append(addingCapacity: size) { target in
            target.append(copying: bytes.span, 0..<count)
            target.append("Cache-Status: respite; hit; ttl=")
            if ttl < 0 { target.append(0x2D) }
            target.append(decimal: ttl.magnitude)
            if let detail {
                target.append("; detail=")
                target.append(detail)
            }
            target.append("\r\nAge: ")
            target.append(decimal: UInt64(max(0, age)))
            target.append("\r\n")
            target.append(copying: via.span, 0..<via.count)
            switch connection {
            case .none, .upgrade: target.append("\r\n")
            case .close: target.append("Connection: close\r\n\r\n")
            case .keepAlive: target.append("Connection: keep-alive\r\n\r\n")
            }
            target.append(copying: content.span, 0..<content.count)
        }
    }

    /// Room for status line and framing, on the whole.
    private static let frame = 96

    /// Room for Cache-Status, age and connection; a detail is shorter than 64 bytes.
    private static let variablePart = 224
}
