import HTTPCore
import WireReference

extension ParserLimits {
    init(_ bounds: Bounds) {
        self.init()
        method = bounds.method
        requestTarget = bounds.target
        headerSection = bounds.section
        headerFields = bounds.lines
        emptyLines = bounds.emptyLines
        reasonPhrase = bounds.reason
        content = bounds.content
        chunkExtensionLine = bounds.extensionLine
        chunkExtensions = bounds.extensions
        trailerSection = bounds.trailerSection
        trailerFields = bounds.trailerLines
    }
}

extension Fields {
    func field(_ line: Line) -> ReferenceField { ReferenceField(name: name(of: line), value: value(of: line)) }
}

extension ReferenceFraming {
    init(_ framing: Framing) {
        switch framing {
        case .none: self = .none
        case .length(let length): self = .length(length)
        case .chunked: self = .chunked
        case .untilClose: self = .untilClose
        }
    }
}

extension ReferenceRequest {
    init(_ head: RequestHead) {
        let fields = head.fields
        self.init(
            method: head.method.bytes,
            minor: head.version == .http10 ? 0 : 1,
            form: Form(head.form),
            target: head.target,
            scheme: head.parts.scheme?.text,
            host: Array(fields.bytes[head.parts.host]),
            port: head.parts.port.map(Int.init),
            path: Array(fields.bytes[head.parts.path]),
            fields: fields.lines.map { fields.field($0) },
            framing: ReferenceFraming(head.framing),
            isPersistent: head.isPersistent,
            expectsContinue: head.expectsContinue
        )
    }
}

extension ReferenceRequest.Form {
    init(_ form: TargetForm) {
        switch form {
        case .origin: self = .origin
        case .absolute: self = .absolute
        case .authority: self = .authority
        case .asterisk: self = .asterisk
        }
    }
}

extension ReferenceResponse {
    init(_ head: ResponseHead) {
        self.init(
            status: Int(head.status),
            reason: head.reason,
            minor: head.version == .http10 ? 0 : 1,
            fields: head.fields.lines.map { head.fields.field($0) },
            framing: ReferenceFraming(head.framing),
            isPersistent: head.isPersistent,
            contentLength: head.contentLength
        )
    }
}
