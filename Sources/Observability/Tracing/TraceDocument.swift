import Formats
import HTTPCore

/// Writes spans as OTLP/HTTP in JSON, the content of `POST /v1/traces`.
///
/// Attributes are those of OpenTelemetry's conventions for HTTP, and `respite.cache` with what became of a request.
/// Values of secret parameters and user information are left out (H-158).
public struct TraceDocument: Sendable {
    private let secrets: SecretParameters
    private let version: String

    /// - Parameters:
    ///   - secrets: query parameters whose values are omitted.
    ///   - version: the program's.
    public init(secrets: SecretParameters, version: String) {
        self.secrets = secrets
        self.version = version
    }

    /// - Parameter wallOffset: nanoseconds from the monotonic clock to the wall clock.
    public func bytes(_ spans: [TracedSpan], wallOffset: Int64) -> [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.memberArray("resourceSpans") { writer in
                writer.object { writer in
                    writer.memberObject("resource") { $0.attributes(resource) }
                    writer.memberArray("scopeSpans") { writer in
                        writer.object { writer in
                            writer.memberObject("scope") { writer in
                                writer.member("name", "respite")
                                writer.member("version", version)
                            }
                            writer.memberArray("spans") { writer in
                                for span in spans { write(span, wallOffset, to: &writer) }
                            }
                        }
                    }
                }
            }
        }
        return writer.bytes
    }

    private var resource: [SpanAttribute] {
        [SpanAttribute("service.name", "respite"), SpanAttribute("service.version", version)]
    }

    private func write(_ span: TracedSpan, _ wallOffset: Int64, to writer: inout JSONWriter) {
        let method = span.method.isKnown ? span.method.text : "HTTP"
        writer.object { writer in
            writer.member("traceId", bytes: span.context.traceText)
            writer.member("spanId", bytes: span.context.spanText)
            if !span.state.isEmpty { writer.member("traceState", bytes: span.state) }
            if let parent = span.parentText { writer.member("parentSpanId", bytes: parent) }
            writer.member("name", method)
            writer.member("kind", span.kind == .server ? 2 : 3)
            writer.member("startTimeUnixNano", "\(span.start.nanoseconds &+ wallOffset)")
            writer.member("endTimeUnixNano", "\(span.end.nanoseconds &+ wallOffset)")
            writer.attributes(span.attributes(secrets))
            if let link = span.link {
                writer.memberArray("links") { writer in
                    writer.object { writer in
                        writer.member("traceId", bytes: link.traceText)
                        writer.member("spanId", bytes: link.spanText)
                    }
                }
            }
            writer.memberObject("status") { writer in
                if span.errorType != nil { writer.member("code", 2) }
            }
        }
    }
}

/// A name and its value.
struct SpanAttribute {
    enum Value {
        case text([UInt8])
        case number(Int64)
        case flag(Bool)
    }

    var name: String
    var value: Value

    init(_ name: String, _ text: String) { (self.name, value) = (name, .text(Array(text.utf8))) }
    init(_ name: String, _ bytes: [UInt8]) { (self.name, value) = (name, .text(bytes)) }
    init(_ name: String, _ number: Int64) { (self.name, value) = (name, .number(number)) }
    init(_ name: String, _ flag: Bool) { (self.name, value) = (name, .flag(flag)) }
}

extension JSONWriter {
    /// The member `attributes`; numbers are texts there, as Protocol Buffers write 64 bits in JSON.
    mutating func attributes(_ attributes: [SpanAttribute]) {
        memberArray("attributes") { writer in
            for attribute in attributes {
                writer.object { writer in
                    writer.member("key", attribute.name)
                    writer.memberObject("value") { writer in
                        switch attribute.value {
                        case .text(let text): writer.member("stringValue", bytes: text)
                        case .number(let number): writer.member("intValue", "\(number)")
                        case .flag(let flag): writer.member("boolValue", flag)
                        }
                    }
                }
            }
        }
    }
}
