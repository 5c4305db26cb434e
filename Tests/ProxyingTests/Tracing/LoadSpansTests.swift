import HTTPCore
import Observability
import Testing

@testable import Proxying

/// Which load a request that joined one links to.
@Suite struct LoadSpansTests {
    private static func uri(_ number: Int) throws -> TargetURI { try TargetURI(parsing: "http://a.example/\(number)") }

    @Test("a load is found by its number, or as the latest of its URI")
    func found() throws {
        let spans = LoadSpans()
        let contexts = (0..<3).map { _ in TraceContext.root() }
        spans.add(try Self.uri(1), number: 7, contexts[0])
        spans.add(try Self.uri(1), number: 8, contexts[1])
        spans.add(try Self.uri(2), number: 7, contexts[2])
        #expect(try spans.context(of: Self.uri(1), number: 7) == contexts[0])
        #expect(try spans.context(of: Self.uri(1), number: nil) == contexts[1])
        #expect(try spans.context(of: Self.uri(2), number: 7) == contexts[2])
        #expect(
            try spans.context(of: Self.uri(1), number: 9) == nil && spans.context(of: Self.uri(3), number: nil) == nil
        )
    }

    @Test("of 1,024 loads each is known; every further one has the oldest be forgotten, and no other")
    func bounded() throws {
        let spans = LoadSpans()
        let contexts = (0..<1030).map { _ in TraceContext.root() }
        for number in 0..<1024 { spans.add(try Self.uri(number % 1000), number: UInt64(number), contexts[number]) }
        #expect(try spans.context(of: Self.uri(0), number: 0) == contexts[0])
        for number in 1024..<1030 {
            spans.add(try Self.uri(number), number: UInt64(number), contexts[number])
            let oldest = number - 1024
            #expect(try spans.context(of: Self.uri(oldest), number: UInt64(oldest)) == nil)
            // The second load of the same URI stays.
            #expect(try spans.context(of: Self.uri(oldest), number: nil) == contexts[1000 + oldest])
            #expect(try spans.context(of: Self.uri(oldest + 1), number: UInt64(oldest + 1)) == contexts[oldest + 1])
        }
        #expect(try spans.context(of: Self.uri(999), number: nil) == contexts[999])
        #expect(try spans.context(of: Self.uri(1029), number: nil) == contexts[1029])
    }
}
