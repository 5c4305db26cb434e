import Testing

@testable import HTTPCaching

/// Lifetimes by status.
@Suite struct StatusLifetimeTests {
    @Test("of the ranges that have a status the narrowest counts, and of equally narrow ones the first")
    func narrowest() {
        let lifetimes = [
            StatusLifetime(200...299, seconds: 1), StatusLifetime(404...405, seconds: 2),
            StatusLifetime(405...406, seconds: 3), StatusLifetime(200...200, seconds: 4),
        ]
        let expected: [(UInt16, Int64?)] = [(200, 4), (201, 1), (299, 1), (300, nil), (404, 2), (405, 2), (406, 3)]
        for (status, seconds) in expected { #expect(lifetimes.seconds(for: status) == seconds, "\(status)") }
        #expect([StatusLifetime]().seconds(for: 200) == nil)
    }
}
