import HTTPCore
import Testing

@testable import Observability

/// The field `traceparent`.
@Suite struct TraceContextTests {
    private static let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    private static let span = "00f067aa0ba902b7"

    private static func context(_ text: String) -> TraceContext? { TraceContext(field: Array(text.utf8)) }
    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    @Test("a valid traceparent is read and written again, and its flag says whether it is recorded")
    func valid() throws {
        let text = "00-\(Self.trace)-\(Self.span)-01"
        let context = try #require(Self.context(text))
        #expect(context.isSampled && Self.text(context.field) == text)
        #expect(Self.text(context.traceText) == Self.trace && Self.text(context.spanText) == Self.span)
        #expect(try !#require(Self.context("00-\(Self.trace)-\(Self.span)-02")).isSampled)
    }

    @Test("of a later version the known parts are read")
    func later() throws {
        let context = try #require(Self.context("cc-\(Self.trace)-\(Self.span)-01-what-else"))
        #expect(Self.text(context.field) == "00-\(Self.trace)-\(Self.span)-01")
    }

    @Test(
        "what is not valid is no traceparent",
        arguments: [
            "", "00", "00-", "00-\(trace)-\(span)", "00-\(trace)-\(span)-", "00-\(trace)-\(span)-1",
            "00-\(trace)-\(span)-01-more", "00-\(trace)-\(span)-011", "cc-\(trace)-\(span)-01x",
            "ff-\(trace)-\(span)-01",
            "00-\(trace.uppercased())-\(span)-01", "00-00000000000000000000000000000000-\(span)-01",
            "00-\(trace)-0000000000000000-01", "00_\(trace)-\(span)-01", "00-\(trace.dropLast())g-\(span)-01",
            " 00-\(trace)-\(span)-01",
        ]
    )
    func invalid(text: String) { #expect(Self.context(text) == nil) }

    @Test("of two fields none is taken")
    func twice() {
        var fields = Fields()
        fields.append(name: "TraceParent", value: "00-\(Self.trace)-\(Self.span)-01")
        #expect(TraceContext(of: fields) != nil)
        fields.append(name: "traceparent", value: "00-\(Self.trace)-\(Self.span)-01")
        #expect(TraceContext(of: fields) == nil)
    }

    @Test("a child has the trace, another span, and is recorded; whether the trace is random stays as it was")
    func child() throws {
        for (flags, expected) in [("01", 1), ("03", 3), ("05", 1)] as [(String, UInt8)] {
            let parent = try #require(Self.context("00-\(Self.trace)-\(Self.span)-\(flags)"))
            let child = parent.child()
            #expect(child.traceText == parent.traceText && child.span != parent.span && child.flags == expected)
        }
        #expect(TraceContext.root().flags == 3 && TraceContext.root() != TraceContext.root())
    }
}
