import HTTPCore
import Testing

@testable import HTTPCaching

/// Properties of status codes, of each from 0 to 999.
@Suite struct StatusCodesTests {
    private static func statuses(_ condition: (UInt16) -> Bool) -> [UInt16] { (0...999).filter(condition) }

    @Test("statuses that may be stored without a lifetime (RFC 9110 §15.1)")
    func heuristic() {
        #expect(
            Self.statuses(StatusCodes.isHeuristicallyCacheable)
                == [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]
        )
    }

    @Test("statuses that a specification defines (RFC 9111 §5.2.2.3)")
    func understood() {
        let expected =
            [
                Array(200...208), [226], Array(300...305), [307, 308], Array(400...417), Array(421...426),
                [428, 429, 431, 451],
                Array(500...508), [510, 511],
            ] as [[UInt16]]
        #expect(Self.statuses(StatusCodes.isUnderstood) == expected.flatMap { $0 })
    }

    @Test("statuses that concern one request, and those that stale-if-error covers (RFC 5861 §4)")
    func others() {
        #expect(Self.statuses(StatusCodes.isForOneRequest) == [304, 407, 412, 416, 417])
        #expect(Self.statuses(StatusCodes.isCoveredByStaleIfError) == [500, 502, 503, 504])
    }
}
