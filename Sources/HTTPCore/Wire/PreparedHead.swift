/// The serialized part of a stored response's head that is the same for each hit.
///
/// A hit appends `Cache-Status` with the lifetime left, `Age` and `Connection`. That takes a few copies and no
/// allocation. Serializing line by line took a tenth of a hit.
public struct PreparedHead: Sendable {
    /// The constant part of the head, followed, if a field section is kept, by the rest of that section.
    ///
    /// The rest is the text of the lines that are not in the head, and a table of all lines.
    public let bytes: [UInt8]
    private let end: UInt32
    /// The start of the table of lines; the end of `bytes` if there is none.
    private let table: UInt32

    /// The number of bytes of the constant part.
    @inline(__always) public var count: Int { Int(end) }

    /// The kept field section; without lines if none is kept.
    ///
    /// Each use makes a new array of the lines, over the text of the head.
    public var fields: Fields { LineTable.section(in: bytes, at: Int(table)) }

    /// Serializes a head, without `Age` lines; `Cache-Status` lines of other caches come before ours.
    public init(status: UInt16, reason: [UInt8] = [], fields: Fields, framing: Framing) {
        var text: [UInt8] = []
        HeadSerializer.appendStatusLine(status, reason: reason, to: &text)
        for line in fields.lines where line.known != .age { HeadSerializer.appendLine(line, of: fields, to: &text) }
        HeadSerializer.appendFraming(framing, to: &text)
        // It lives as long as the response: the copy has no spare capacity.
        bytes = [UInt8](copying: text.span)
        end = UInt32(truncatingIfNeeded: text.count)
        table = end
    }

    /// Serializes a head that also keeps `section`; both share the text.
    ///
    /// `fields` then has the lines and values of `section` in their order. Both together take little more memory than
    /// one.
    ///
    /// - Parameter isReused: whether the head gets a line; it never gets `Age` lines.
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
        // The indexes of lines that are not in the head, or that differ there.
        var missing: [Int] = []
        for line in section.lines {
            if line.known != .age, isReused(line),
                let appended = HeadSerializer.appendLine(line, of: section, to: &text)
            {
                lines.append(appended)
            } else {
                missing.append(lines.count)
                lines.append(line)
            }
        }
        let framingStart = text.count
        HeadSerializer.appendFraming(framing, to: &text)
        end = UInt32(truncatingIfNeeded: text.count)
        let framingLine = framingStart..<text.count
        for index in missing {
            let line = lines[index]
            lines[index] = section.find(line, in: text, framingLine) ?? section.appendText(of: line, to: &text)
        }
        table = UInt32(truncatingIfNeeded: text.count)
        LineTable.append(lines, to: &text)
        bytes = [UInt8](copying: text.span)
    }

    /// Appends the head for one response.
    ///
    /// - Parameters:
    ///   - age: the current age in seconds; a negative one counts as 0.
    ///   - ttl: the lifetime left in seconds; negative if the response is stale.
    ///   - connection: `.upgrade` counts as `.none`.
    ///   - via: a complete `Via` line with its end, or nothing.
    ///   - detail: a token of less than 64 bytes for `detail=`, if any.
    ///   - content: bytes to append after the head.
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

    /// Room for status line and framing.
    private static let frame = 96

    /// Room for Cache-Status, Age and Connection.
    private static let variablePart = 224
}
