public import HTTPCore

/// Makes the lines of the access log.
///
/// Each loop has its own, which keeps the texts of the current second and of the last client. What comes from a client
/// is escaped (H-159), and values of secret parameters are omitted (H-158).
public struct AccessLogFormatter: Sendable {
    private let format: AccessLogFormat
    private let secrets: SecretParameters
    /// The second that `timeText` shows, since 1970.
    private var second = Int64.min
    private var timeText: [UInt8] = []
    /// The same second in the other form; only for a template.
    private var isoText: [UInt8] = []
    /// The client that `clientText` shows.
    private var client: IPAddress?
    private var clientText = Self.text(of: nil)

    public init(format: AccessLogFormat, secrets: SecretParameters) {
        self.format = format
        self.secrets = secrets
    }

    /// Appends a line with its end.
    ///
    /// - Parameters:
    ///   - prefix: scheme and authority of a request inside a CONNECT, otherwise empty.
    public mutating func append(
        _ entry: AccessLogEntry,
        of head: RequestHead,
        behind prefix: [UInt8] = [],
        _ notes: AccessLogNotes? = nil,
        to output: inout [UInt8]
    ) {
        noteTime(entry.milliseconds)
        if entry.client != client {
            client = entry.client
            clientText = Self.text(of: client)
        }
        let target = head.fields.bytes.span.extracting(head.targetRange)
        if prefix.isEmpty, !SecretParameters.mayConcern(target) {
            append(entry, head, target, notes, to: &output)
        } else {
            let text = secrets.redacted(prefix + [UInt8](copying: target))
            append(entry, head, text.span, notes, to: &output)
        }
    }

    private func append(
        _ entry: AccessLogEntry,
        _ head: RequestHead,
        _ target: Span<UInt8>,
        _ notes: AccessLogNotes?,
        to output: inout [UInt8]
    ) {
        if case .template(let template) = format {
            let values = AccessLogTemplate.Values(
                entry: entry,
                notes: notes,
                client: clientText,
                localTime: timeText,
                isoTime: isoText,
                secrets: secrets
            )
            template.append(values, head, target, to: &output)
            return output.append(0x0A)
        }
        let agent = head.fields.withValue(of: .userAgent) { LogEscaping.room(for: $0) } ?? 0
        // Of a Referer, whose length redaction changes, the most.
        let hasReferer = format == .combined && head.fields.contains(.referer)
        let referer = hasReferer ? LogEscaping.room(forBytes: LogEscaping.limit) : 0
        let user = format == .combined ? Array((notes?.user ?? "-").utf8) : []
        let room = 512 + LogEscaping.room(for: target) + LogEscaping.room(for: user.span) + agent + referer
        output.append(room: room) { line in
            switch format {
            case .text: appendText(entry, head, target, to: &line)
            case .json: appendJSON(entry, head, target, to: &line)
            case .combined: appendCombined(entry, head, target, user: user, to: &line)
            case .template: break
            }
        }
        switch format {
        case .text: appendText(notes, to: &output)
        case .json: appendJSON(notes, to: &output)
        case .combined, .template: break
        }
        output.append(0x0A)
    }

    // MARK: Time

    /// Renews the text of the second if another one has begun.
    private mutating func noteTime(_ milliseconds: Int64) {
        let second = milliseconds.quotientAndRemainder(dividingBy: 1000).quotient
        guard second != self.second else { return }
        self.second = second
        timeText.removeAll(keepingCapacity: true)
        switch format {
        case .combined: Timestamp.appendLogTime(seconds: second, to: &timeText)
        case .text, .json: Self.append(second, to: &timeText)
        case .template:
            Timestamp.appendLogTime(seconds: second, to: &timeText)
            isoText.removeAll(keepingCapacity: true)
            Self.append(second, to: &isoText)
        }
    }

    /// Appends a second (RFC 3339) without fraction and zone.
    private static func append(_ second: Int64, to output: inout [UInt8]) {
        Timestamp.append(milliseconds: second * 1000, to: &output)
        // `.000Z`
        output.removeLast(5)
    }

    /// Appends the time with milliseconds (RFC 3339).
    private func appendTime(_ milliseconds: Int64, to line: inout LineWriter) {
        line.append(copying: timeText.span)
        line.append(".")
        line.append(UInt64(clamping: milliseconds % 1000), digits: 3)
        line.append("Z")
    }

    // MARK: Text

    private func appendText(
        _ entry: AccessLogEntry,
        _ head: RequestHead,
        _ target: Span<UInt8>,
        to line: inout LineWriter
    ) {
        appendTime(entry.milliseconds, to: &line)
        line.append(" info request client=")
        line.append(copying: clientText.span)
        line.append(" method=")
        Self.append(head.method, to: &line)
        line.append(" target=")
        LogEscaping.append(target, to: &line)
        line.append(" status=")
        line.append(UInt64(clamping: entry.status))
        line.append(" bytes=")
        line.append(UInt64(clamping: entry.contentBytes))
        line.append(" duration=")
        Self.append(seconds: entry.duration, to: &line)
        line.append("s cache=")
        line.append(entry.outcome)
        line.append(entry.isComplete ? " complete=true" : " complete=false")
        head.fields.withValue(of: .userAgent) { agent in
            line.append(" agent=")
            LogEscaping.append(agent, to: &line)
        }
    }

    private func appendText(_ notes: AccessLogNotes?, to output: inout [UInt8]) {
        func append(_ key: StaticString, _ value: String) {
            output.append(key)
            LogEscaping.append(Array(value.utf8), to: &output)
        }
        if let reason = notes?.reason { append(" reason=", reason) }
        if let rule = notes?.rule { append(" rule=", rule) }
        if let service = notes?.service { append(" service=", service) }
        if let user = notes?.user { append(" user=", user) }
    }

    // MARK: JSON

    private func appendJSON(
        _ entry: AccessLogEntry,
        _ head: RequestHead,
        _ target: Span<UInt8>,
        to line: inout LineWriter
    ) {
        line.append(#"{"time":""#)
        appendTime(entry.milliseconds, to: &line)
        line.append(#"","level":"info","message":"request","client":""#)
        line.append(copying: clientText.span)
        line.append(#"","method":""#)
        Self.append(head.method, to: &line)
        line.append(#"","target":"#)
        LogEscaping.appendJSON(target, to: &line)
        line.append(#","status":"#)
        line.append(UInt64(clamping: entry.status))
        line.append(#","bytes":"#)
        line.append(UInt64(clamping: entry.contentBytes))
        line.append(#","duration":"#)
        Self.append(seconds: entry.duration, to: &line)
        line.append(#","cache":""#)
        line.append(entry.outcome)
        line.append(entry.isComplete ? #"","complete":true"# : #"","complete":false"#)
        head.fields.withValue(of: .userAgent) { agent in
            line.append(#","agent":"#)
            LogEscaping.appendJSON(agent, to: &line)
        }
    }

    private func appendJSON(_ notes: AccessLogNotes?, to output: inout [UInt8]) {
        func append(_ name: StaticString, _ value: String) {
            let text = Array(value.utf8)
            output.append(name)
            output.append(room: LogEscaping.room(for: text.span)) { line in
                LogEscaping.appendJSON(text.span, to: &line)
            }
        }
        if let reason = notes?.reason { append(#","reason":"#, reason) }
        if let rule = notes?.rule { append(#","rule":"#, rule) }
        if let service = notes?.service { append(#","service":"#, service) }
        if let user = notes?.user { append(#","user":"#, user) }
        output.append(UInt8(ascii: "}"))
    }

    // MARK: Combined

    /// Appends `CLIENT - USER [TIME] "METHOD TARGET VERSION" STATUS BYTES`.
    private func appendCombined(
        _ entry: AccessLogEntry,
        _ head: RequestHead,
        _ target: Span<UInt8>,
        user: [UInt8],
        to line: inout LineWriter
    ) {
        line.append(copying: clientText.span)
        line.append(" - ")
        LogEscaping.appendInner(user.span, to: &line)
        line.append(" [")
        line.append(copying: timeText.span)
        line.append("] \"")
        Self.append(head.method, to: &line)
        line.append(" ")
        LogEscaping.appendInner(target, to: &line)
        line.append(entry.version == .http11 ? " HTTP/1.1\" " : " HTTP/1.0\" ")
        line.append(UInt64(clamping: entry.status))
        line.append(" ")
        line.append(UInt64(clamping: entry.contentBytes))
        appendReferer(head, to: &line)
    }

    /// Appends ` "REFERER" "USER-AGENT"`, and `-` for what is missing.
    private func appendReferer(_ head: RequestHead, to line: inout LineWriter) {
        line.append(" \"")
        if head.fields.contains(.referer) {
            let referer = secrets.redacted(head.fields.value(of: .referer) ?? [])
            LogEscaping.appendInner(referer.span, to: &line)
        } else {
            line.append("-")
        }
        line.append("\" \"")
        if head.fields.withValue(of: .userAgent, { LogEscaping.appendInner($0, to: &line) }) == nil { line.append("-") }
        line.append("\"")
    }

    // MARK: Parts

    private static func text(of client: IPAddress?) -> [UInt8] { Array((client?.description ?? "unix").utf8) }

    /// Appends a method, which is a token and needs no escapes; a long one is cut off.
    private static func append(_ method: Method, to line: inout LineWriter) {
        if method == .get { return line.append("GET") }
        line.append(copying: Array(method.bytes.prefix(64)).span)
    }

    /// Appends nanoseconds as seconds with six decimals.
    private static func append(seconds nanoseconds: Int64, to line: inout LineWriter) {
        let microseconds = UInt64(clamping: nanoseconds) / 1000
        line.append(microseconds / 1_000_000)
        line.append(".")
        line.append(microseconds % 1_000_000, digits: 6)
    }
}
