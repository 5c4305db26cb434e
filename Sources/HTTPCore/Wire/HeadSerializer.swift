/// What a head states about its connection (RFC 9112 §9).
public enum ConnectionOption: Sendable, Hashable {
    /// Nothing: persistence is the default.
    case none
    case close
    /// Persistence, for an HTTP/1.0 client that asked for it.
    case keepAlive
    /// `Connection: Upgrade` with this protocol in `Upgrade`; a token.
    case upgrade([UInt8])
}

/// Writes heads and chunk frames in the strict grammar of RFC 9112.
///
/// It generates `Host`, framing and connection fields. It skips lines of these fields in `fields`, and lines whose name
/// is no token. Controls in a value, such as CR, LF and NUL, become spaces.
public enum HeadSerializer {
    /// The form of a request target on the wire.
    public enum RequestForm: Sendable {
        /// Path and query.
        case origin
        /// The whole URI, to a parent proxy.
        case absolute
        /// `*`, for OPTIONS.
        case asterisk
        /// The URI without path: OPTIONS for the server as a whole, to a parent proxy (RFC 9112 §3.2.4).
        case server
        /// Host and port, for CONNECT to a parent proxy.
        case authority
    }

    /// Whether this type generates the field itself.
    @inline(__always)
    private static func isGenerated(_ field: KnownField?) -> Bool {
        switch field {
        case .contentLength, .transferEncoding, .connection, .keepAlive, .proxyConnection, .upgrade: true
        default: false
        }
    }

    // MARK: Heads

    /// Appends a request head; `Host` is the target's authority.
    ///
    /// A method that defines content gets `Content-Length: 0` if `framing` is `.none`.
    /// - Parameter host: the value of `Host` in place of the authority.
    public static func appendRequest(
        _ method: Method,
        _ target: TargetURI,
        form: RequestForm = .origin,
        fields: Fields,
        framing: Framing,
        connection: ConnectionOption = .none,
        host: [UInt8]? = nil,
        to output: inout [UInt8]
    ) {
        method.append(to: &output)
        output.append(0x20)
        appendTarget(target, form, to: &output)
        ByteScan.append(" HTTP/1.1\r\nHost: ", to: &output)
        if let host {
            output += host
        } else {
            appendAuthority(target, withPort: form == .authority, to: &output)
        }
        appendLineEnd(to: &output)
        let isEmpty = framing == .none && method.definesContent
        output.append(addingCapacity: size(of: fields, connection)) { target in
            appendLines(of: fields, except: .host, to: &target)
            appendEnd(isEmpty ? .length(0) : framing, connection, to: &target)
        }
    }

    /// Appends a final response head.
    ///
    /// An empty `reason` becomes the customary phrase. `framing` is that of the message as sent; for a response to HEAD
    /// it is that of the response to GET. `.none` and `.untilClose` write no framing field.
    public static func appendResponse(
        status: UInt16,
        reason: [UInt8] = [],
        fields: Fields,
        framing: Framing,
        connection: ConnectionOption = .none,
        to output: inout [UInt8]
    ) {
        output.append(addingCapacity: statusLine + reason.count + size(of: fields, connection)) { target in
            appendStatusLine(status, reason: reason, to: &target)
            appendLines(of: fields, to: &target)
            appendEnd(framing, connection, to: &target)
        }
    }

    /// Room for a status line with its customary phrase.
    private static let statusLine = 96
    /// Room for framing, a short Connection, and the end of the head.
    private static let frame = 128

    /// The most bytes that the lines of `fields` and the end of the head can take.
    private static func size(of fields: Fields, _ connection: ConnectionOption) -> Int {
        var size = frame
        for index in fields.lines.indices {
            size += Int(fields.lines[index].nameCount) + Int(fields.lines[index].valueCount) + 4
        }
        if case .upgrade(let token) = connection { size += token.count }
        return size
    }

    private static func appendEnd(
        _ framing: Framing,
        _ connection: ConnectionOption,
        to target: inout OutputSpan<UInt8>
    ) {
        appendFraming(framing, to: &target)
        appendConnection(connection, to: &target)
        target.append("\r\n")
    }

    /// Appends an interim response head (1xx).
    public static func appendInterim(status: UInt16, fields: Fields = Fields(), to output: inout [UInt8]) {
        appendResponse(status: status, fields: fields, framing: .none, to: &output)
    }

    // MARK: Chunks

    /// Appends the size line of a chunk of `count` bytes, which must be above 0.
    public static func appendChunkSize(_ count: Int, to output: inout [UInt8]) {
        var shift = (UInt64.bitWidth - 4 - UInt64(count).leadingZeroBitCount) / 4 * 4 + 4
        if UInt64(count) >> UInt64(shift) == 0 { shift -= 4 }
        while shift >= 0 {
            let digit = UInt8(truncatingIfNeeded: UInt64(count) >> UInt64(shift) & 15)
            output.append(digit < 10 ? 0x30 + digit : 0x57 + digit)
            shift -= 4
        }
        appendLineEnd(to: &output)
    }

    /// Appends the line end after the bytes of a chunk.
    public static func appendChunkEnd(to output: inout [UInt8]) { appendLineEnd(to: &output) }

    /// Appends the last chunk and the trailer section.
    public static func appendLastChunk(trailers: Fields = Fields(), to output: inout [UInt8]) {
        ByteScan.append("0\r\n", to: &output)
        for line in trailers.lines where line.known?.isAllowedInTrailers ?? true {
            appendLine(line, of: trailers, to: &output)
        }
        appendLineEnd(to: &output)
    }

    // MARK: Lines

    static func appendStatusLine(_ status: UInt16, reason: [UInt8], to output: inout [UInt8]) {
        output.append(addingCapacity: statusLine + reason.count) { appendStatusLine(status, reason: reason, to: &$0) }
    }

    @inline(__always)
    private static func appendStatusLine(_ status: UInt16, reason: [UInt8], to target: inout OutputSpan<UInt8>) {
        target.append("HTTP/1.1 ")
        target.append(decimal: UInt64(status))
        target.append(" ")
        if reason.isEmpty {
            target.append(ReasonPhrase.text(for: status))
        } else {
            appendText(reason.span, 0..<reason.count, to: &target)
        }
        target.append("\r\n")
    }

    /// Appends a line, unless its field is generated or its name is no token.
    ///
    /// - Returns: the ranges of the line in `output`; nil if it was skipped or changed.
    @discardableResult
    static func appendLine(_ line: Fields.Line, of fields: Fields, to output: inout [UInt8]) -> Fields.Line? {
        let start = output.count
        var isVerbatim = false
        output.append(addingCapacity: Int(line.nameCount) + Int(line.valueCount) + 4) { target in
            isVerbatim = appendLine(line, of: fields, to: &target)
        }
        guard isVerbatim else { return nil }
        let value = start + Int(line.nameCount) + 2
        return Fields.Line(
            known: line.known,
            name: start..<start + Int(line.nameCount),
            value: value..<value + Int(line.valueCount)
        )
    }

    /// Appends a line; there must be room for name, value and four bytes.
    ///
    /// - Returns: whether the line was appended unchanged.
    @inline(__always)
    @discardableResult
    private static func appendLine(
        _ line: Fields.Line,
        of fields: Fields,
        to target: inout OutputSpan<UInt8>
    ) -> Bool {
        let bytes = fields.bytes.span
        guard isWritten(line, in: bytes) else { return false }
        if let line = completeLine(line, in: bytes) {
            target.append(copying: bytes, line)
            return true
        }
        return appendIncomplete(line, in: bytes, to: &target)
    }

    /// Appends lines; adjacent complete lines are copied at once.
    ///
    /// - Parameter left: a field to leave out.
    @inline(__always)
    private static func appendLines(
        of fields: Fields,
        except left: KnownField? = nil,
        to target: inout OutputSpan<UInt8>
    ) {
        let bytes = fields.bytes.span
        var run = 0..<0
        // Goes by index, since an iterator would retain the lines.
        for index in fields.lines.indices {
            let line = fields.lines[index]
            guard left == nil || line.known != left, isWritten(line, in: bytes) else { continue }
            let complete = completeLine(line, in: bytes)
            if let complete, complete.lowerBound == run.upperBound {
                run = run.lowerBound..<complete.upperBound
                continue
            }
            if !run.isEmpty { target.append(copying: bytes, run) }
            run = complete ?? 0..<0
            if complete == nil { appendIncomplete(line, in: bytes, to: &target) }
        }
        if !run.isEmpty { target.append(copying: bytes, run) }
    }

    /// Whether a line is for the wire: its field is not generated, and its name is a token.
    @inline(__always)
    private static func isWritten(_ line: Fields.Line, in bytes: Span<UInt8>) -> Bool {
        guard line.known == nil else { return !isGenerated(line.known) }
        let name = line.name
        return !name.isEmpty
            && ByteScan.end(of: .token, bytes, from: name.lowerBound, to: name.upperBound) == name.upperBound
    }

    /// Appends a line that is not complete in `bytes`; returns whether its value stayed as it was.
    @discardableResult
    private static func appendIncomplete(
        _ line: Fields.Line,
        in bytes: Span<UInt8>,
        to target: inout OutputSpan<UInt8>
    ) -> Bool {
        target.append(copying: bytes, line.name)
        target.append(": ")
        let isVerbatim = appendText(bytes, line.value, to: &target)
        target.append("\r\n")
        return isVerbatim
    }

    /// The range of a line that is complete in `bytes`: with colon, one blank and line end, and without controls.
    ///
    /// Nil for other lines; most are received in this form.
    @inline(__always)
    private static func completeLine(_ line: Fields.Line, in bytes: Span<UInt8>) -> Range<Int>? {
        let (colon, end) = (line.name.upperBound, line.value.upperBound)
        guard line.value.lowerBound == colon + 2, end + 2 <= bytes.count, bytes[colon] == 0x3A,
            bytes[colon + 1] == 0x20, bytes[end] == 0x0D, bytes[end + 1] == 0x0A,
            ByteScan.valueEnd(bytes, from: colon + 2, to: end) == end
        else { return nil }
        return line.name.lowerBound..<end + 2
    }

    /// Appends bytes, with spaces in place of controls other than HTAB; returns whether there were none.
    @inline(__always)
    @discardableResult
    private static func appendText(
        _ bytes: Span<UInt8>,
        _ range: Range<Int>,
        to target: inout OutputSpan<UInt8>
    ) -> Bool {
        let end = ByteScan.valueEnd(bytes, from: range.lowerBound, to: range.upperBound)
        target.append(copying: bytes, range.lowerBound..<end)
        if end == range.upperBound { return true }
        appendUnclean(bytes, end..<range.upperBound, to: &target)
        return false
    }

    /// Does the same from the first control on.
    private static func appendUnclean(_ bytes: Span<UInt8>, _ range: Range<Int>, to target: inout OutputSpan<UInt8>) {
        var start = range.lowerBound
        while start < range.upperBound {
            target.append(" ")
            let end = ByteScan.valueEnd(bytes, from: start + 1, to: range.upperBound)
            target.append(copying: bytes, start + 1..<end)
            start = end
        }
    }

    private static func appendTarget(_ target: TargetURI, _ form: RequestForm, to output: inout [UInt8]) {
        let bytes = target.bytes.span
        switch form {
        case .origin: ByteScan.append(bytes, target.pathRange, to: &output)
        case .absolute: ByteScan.append(bytes, 0..<target.pathRange.upperBound, to: &output)
        case .asterisk: output.append(0x2A)
        case .server: ByteScan.append(bytes, 0..<target.pathRange.lowerBound, to: &output)
        case .authority: appendAuthority(target, withPort: true, to: &output)
        }
    }

    private static func appendAuthority(_ target: TargetURI, withPort: Bool, to output: inout [UInt8]) {
        let bytes = target.bytes.span
        ByteScan.append(bytes, target.hostRange.lowerBound..<target.pathRange.lowerBound, to: &output)
        if withPort, target.port == target.scheme.defaultPort {
            output.append(0x3A)
            ByteScan.append(decimal: UInt64(target.port), to: &output)
        }
    }

    static func appendFraming(_ framing: Framing, to output: inout [UInt8]) {
        output.append(addingCapacity: frame) { appendFraming(framing, to: &$0) }
    }

    @inline(__always)
    private static func appendFraming(_ framing: Framing, to target: inout OutputSpan<UInt8>) {
        switch framing {
        case .none, .untilClose: break
        case .length(let length):
            target.append("Content-Length: ")
            target.append(decimal: UInt64(max(0, length)))
            target.append("\r\n")
        case .chunked: target.append("Transfer-Encoding: chunked\r\n")
        }
    }

    @inline(__always)
    private static func appendConnection(_ option: ConnectionOption, to target: inout OutputSpan<UInt8>) {
        switch option {
        case .none: break
        case .close: target.append("Connection: close\r\n")
        case .keepAlive: target.append("Connection: keep-alive\r\n")
        case .upgrade(let token):
            target.append("Connection: Upgrade\r\nUpgrade: ")
            appendText(token.span, 0..<token.count, to: &target)
            target.append("\r\n")
        }
    }

    @inline(__always)
    static func appendLineEnd(to output: inout [UInt8]) { ByteScan.append("\r\n", to: &output) }
}
