import HTTPCaching
import HTTPCore
import Testing

@testable import ResourceCore

/// When a load of a part brings a byte soon enough to wait for it (C-22.1).
@Suite("A part that is loading") struct LoadingPartTests {
    @Test(
        "a load has, or brings at once, the bytes from its first one to its last",
        arguments: [(99, false), (100, true), (199, true), (200, true), (999, true), (1000, false), (1001, false)]
            as [(Int64, Bool)]
    )
    func small(position: Int64, isNear: Bool) {
        let part = LoadingPart(number: 1, selection: [], rest: 200..<1000, start: 100)
        #expect(part.isNear(position) == isNear)
    }

    @Test(
        "a byte farther away is waited for if it comes within half a second at the present speed",
        arguments: [(1_500_000, true), (1_500_001, false)] as [(Int64, Bool)]
    )
    func speed(position: Int64, isNear: Bool) {
        // Given a million bytes within a second
        let part = LoadingPart(
            number: 1,
            selection: [],
            rest: 1_000_000..<10_000_000,
            start: 0,
            age: .seconds(1)
        )
        #expect(part.isNear(position) == isNear)
    }

    @Test("256 KiB ahead are waited for, whatever the speed")
    func patience() {
        let part = LoadingPart(number: 1, selection: [], rest: 0..<10_000_000, start: 0, age: .seconds(1000))
        #expect(part.isNear(256 << 10) && !part.isNear(256 << 10 + 1))
        // A load that has just begun has no speed yet.
        let new = LoadingPart(number: 1, selection: [], rest: 0..<10_000_000, start: 0)
        #expect(new.isNear(9_999_999))
    }

    @Test(
        "the first positions of a range are as many as asked for, or all",
        arguments: [(4, 14), (9, 19), (10, 20), (11, 20)] as [(Int64, Int64)]
    )
    func prefix(count: Int64, end: Int64) {
        let range: Range<Int64> = 10..<20
        let prefix: Range<Int64> = range.prefix(count)
        #expect(prefix == 10..<end)
    }
}
