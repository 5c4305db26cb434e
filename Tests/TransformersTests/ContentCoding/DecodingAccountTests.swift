import Transforms
import Testing

@testable import Transformers

@Suite("Limits of decoding (H-131)") struct DecodingAccountTests {
    private static func refusal(
        _ decoded: Int64,
        of coded: Int64,
        _ change: (inout TransformLimits) -> Void = { _ in }
    ) -> String? {
        var limits = TransformLimits()
        change(&limits)
        let account = DecodingAccount(limits: limits, budget: TransformBudget())
        account.coded = coded
        do throws(TransformFailure) { try account.judge(decoded: decoded) } catch { return error.reason.rawValue }
        return nil
    }

    @Test("beyond 1 MiB there is a limit to what comes of each byte; 0 or less is none")
    func ratio() {
        #expect(Self.refusal(1 << 20, of: 0) == nil && Self.refusal(1 << 20 + 1, of: 0) == "limit")
        #expect(Self.refusal(2_000_000, of: 20_000) == nil && Self.refusal(2_000_000, of: 19_999) == "limit")
        for ratio in [0, -1] { #expect(Self.refusal(2_000_000, of: 1) { $0.ratio = ratio } == nil) }
        #expect(Self.refusal(2_000_000, of: 1_999_999) { $0.ratio = 1 } == "limit")
    }

    @Test("there is a limit to what comes of all bytes; 0 or less is none")
    func size() {
        #expect(Self.refusal(5, of: 1) { $0.decodedContent = 5 } == nil)
        #expect(Self.refusal(6, of: 1) { $0.decodedContent = 5 } == "limit")
        #expect(Self.refusal(1, of: 1) { $0.decodedContent = 1 } == nil)
        #expect(Self.refusal(2, of: 1) { $0.decodedContent = 1 } == "limit")
        for limit in [0, -1] as [Int64] { #expect(Self.refusal(6, of: 1) { $0.decodedContent = limit } == nil) }
    }

    @Test(
        "the bytes of the content as received are counted, not those between two codings",
        arguments: ContentCoding.allCases,
        [1, 100]
    )
    func received(coding: ContentCoding, piece: Int) throws {
        let coded = try encoded(prose(5_000), coding)
        for isOutermost in [true, false] {
            let account = DecodingAccount(limits: TransformLimits(), budget: TransformBudget())
            var run = Run(piece: piece)
            let decoded = try run.transform(CodingDecoder(coding, account: account, isOutermost: isOutermost), coded)
            #expect(decoded == prose(5_000) && account.coded == (isOutermost ? Int64(coded.count) : 0))
        }
    }

    @Test("one step in 64 looks whether there is time left")
    func time() {
        let budget = TransformBudget()
        budget.cancel()
        let account = DecodingAccount(limits: TransformLimits(), budget: budget)
        let failures = (1...128).filter { _ in (try? account.judge(decoded: 1)) == nil }
        #expect(failures == [64, 128])
    }

    @Test("results of JSON transformers are bounded like decoded content; 0 is no bound")
    func output() throws {
        var limits = TransformLimits()
        limits.decodedContent = 5
        var output = JSONOutput(limits)
        try output.append([1, 2, 3] as [UInt8])
        try output.append([4, 5] as [UInt8])
        #expect(throws: TransformFailure(.limit, "the result is larger than 5 bytes; see `decoded-size`")) {
            try output.append([6] as [UInt8])
        }
        #expect(output.bytes == [1, 2, 3, 4, 5])
        limits.decodedContent = 0
        var unlimited = JSONOutput(limits)
        try unlimited.append([1] as [UInt8])
        #expect(unlimited.bytes == [1])
    }
}
