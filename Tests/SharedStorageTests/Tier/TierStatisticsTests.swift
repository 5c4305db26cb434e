import Testing

@testable import SharedStorage

/// What a tier counts, and the times that it gives the server.
@Suite struct TierStatisticsTests {
    @Test("each event counts once, in its own place")
    func counts() {
        let statistics = TierStatistics()
        func values() -> [Int] {
            let one = [statistics.hits, statistics.misses, statistics.skipped, statistics.stored, statistics.refused]
            let two = [statistics.announcements, statistics.purges, statistics.foreignPurges, statistics.resets]
            return one + two + [statistics.waits, statistics.lostLeases, statistics.failures]
        }
        let events: [() -> Void] = [
            statistics.noteHit, statistics.noteMiss, statistics.noteSkipped, statistics.noteStored,
            statistics.noteRefused, statistics.noteAnnouncement, statistics.notePurge, statistics.noteForeignPurge,
            statistics.noteReset, statistics.noteWait, statistics.noteLostLease, statistics.noteFailure,
        ]
        #expect(values() == Array(repeating: 0, count: events.count))
        for (index, event) in events.enumerated() {
            event()
            event()
            #expect(
                values() == Array(repeating: 2, count: index + 1) + Array(repeating: 0, count: events.count - index - 1)
            )
        }
    }

    @Test("leases that are held and that were taken are counted apart, and so are broken and foreign records")
    func leases() {
        let statistics = TierStatistics()
        for isHeld in [true, true, false] { statistics.noteLease(isHeld: isHeld) }
        #expect(statistics.heldLeases == 1 && statistics.leases == 2)
        statistics.note([.broken, .foreign, .broken])
        #expect(statistics.broken == 2 && statistics.foreign == 1)
    }

    @Test("a fault is news once, and its end is news, too")
    func faults() {
        let statistics = TierStatistics()
        #expect(!statistics.note(fault: nil) && statistics.note(fault: "a") && !statistics.note(fault: "a"))
        #expect(statistics.fault == "a" && statistics.note(fault: "b") && statistics.note(fault: nil))
        #expect(statistics.fault == nil && !statistics.isFollowing)
        statistics.noteFollowing(true)
        #expect(statistics.isFollowing)
    }

    @Test("content has ten times the time of a look-up, storing twenty times and a second at least")
    func times() {
        var options = SharedTierOptions()
        #expect(options.timeout == .milliseconds(50) && options.maximumObjectSize == 8 << 20 && !options.sharesPrivate)
        #expect(options.contentTimeout == .milliseconds(500) && options.storeTimeout == .seconds(1))
        options.timeout = .milliseconds(100)
        #expect(options.storeTimeout == .seconds(2))
        options.timeout = .milliseconds(10)
        #expect(options.storeTimeout == .seconds(1))
        #expect(PurgeExchange.silence == .seconds(10))
    }
}
