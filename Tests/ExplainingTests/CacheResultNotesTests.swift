import Testing

@testable import Explaining

/// Numbers in what is told of results.
@Suite struct CacheResultNotesTests {
    @Test(
        "of a time to come a part of a second counts as a whole one, however small it is",
        arguments: [(0, 0, 0), (0, 1, 1), (3, 0, 3), (3, 1, 4), (3, 999_999_999_999_999_999, 4)]
            as [(Int64, Int64, Int64)]
    )
    func seconds(whole: Int64, attoseconds: Int64, rounded: Int64) {
        let duration = Duration(secondsComponent: whole, attosecondsComponent: attoseconds)
        #expect(duration.secondsRoundedUp == rounded)
    }
}
