import HTTPCaching
import HTTPCore
import Testing

/// The last responses that were not stored.
@Suite struct UnstoredResponsesTests {
    private static func response(_ hash: UInt64, _ status: UInt16 = 200) -> UnstoredResponse {
        UnstoredResponse(hash: hash, status: status, reason: .noStore, time: MonotonicTime(nanoseconds: 1))
    }

    @Test("there is one for each of 32 slots, and a newer one replaces an older one of its slot")
    func slots() {
        var responses = UnstoredResponses()
        #expect(responses[2] == nil)
        responses.remove(2)
        for number in 0..<32 { responses.insert(Self.response(UInt64(number) * 2)) }
        #expect((0..<32).allSatisfy { responses[UInt64($0) * 2]?.hash == UInt64($0) * 2 })
        responses.insert(Self.response(64, 404))
        #expect(responses[64]?.status == 404 && responses[0] == nil && responses[2] != nil && responses[62] != nil)
        responses.insert(Self.response(64, 500))
        #expect(responses[64]?.status == 500)
    }

    @Test("only the response of the same URI is forgotten")
    func removing() {
        var responses = UnstoredResponses()
        responses.insert(Self.response(64))
        responses.remove(0)
        #expect(responses[64] != nil)
        responses.remove(64)
        #expect(responses[64] == nil)
    }
}
