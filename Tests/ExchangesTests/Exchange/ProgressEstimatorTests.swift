import Exchanges
import HTTPCore
import Testing

/// How much of a request is done (S-220 to S-223).
@Suite("Progress of requests") struct ProgressEstimatorTests {
    private static func at(_ seconds: Double) -> MonotonicTime {
        MonotonicTime(nanoseconds: Int64(seconds * 1_000_000_000))
    }

    private static func isNear(_ value: Double, _ expected: Double) -> Bool { abs(value - expected) < 1e-9 }

    @Test("waiting for a connection is three quarters of its part after 2.5 s, counted from the start")
    func connecting() {
        var estimator = ProgressEstimator(isDownload: true, now: Self.at(0))
        #expect(estimator.fraction == 0)
        estimator.start(now: Self.at(10))
        estimator.update(received: 0, receivedTotal: nil, now: Self.at(12.5))
        #expect(Self.isNear(estimator.fraction, 0.3 * 0.75 / 1.6))
        // A clock that goes back takes nothing away.
        estimator.update(received: 0, receivedTotal: nil, now: Self.at(11))
        #expect(Self.isNear(estimator.fraction, 0.3 * 0.75 / 1.6))
        estimator.update(received: 0, receivedTotal: nil, now: Self.at(12))
        let share: Double = 3.5 / (3.5 + 2.5 / 3)
        #expect(Self.isNear(estimator.fraction, 0.3 * share / 1.6))
    }

    @Test("an upload counts by its share once the connection is there; the wait behind it by its time")
    func upload() {
        var estimator = ProgressEstimator(isDownload: false, now: Self.at(0))
        func update(_ sent: Int64, _ total: Int64?, _ seconds: Double) -> Double {
            estimator.update(sent: sent, sentTotal: total, received: 0, receivedTotal: nil, now: Self.at(seconds))
            return estimator.fraction
        }
        // The connection is there without a jump: 1.4 of 1.7 parts are left.
        #expect(Self.isNear(update(50, 100, 0), 0.5 / 1.4))
        // Nothing waits for the response before all is sent.
        #expect(Self.isNear(update(50, 100, 100), 0.5 / 1.4))
        #expect(Self.isNear(update(100, 100, 100), 1 / 1.4))
        #expect(Self.isNear(update(100, 100, 101.2), 1.225 / 1.4))
        // What was sent is not taken back.
        #expect(Self.isNear(update(10, 100, 101.2), 1.225 / 1.4))
    }

    @Test("an upload of unknown length is three quarters done after 8 KiB", arguments: [nil, 0, -1] as [Int64?])
    func unknownUpload(total: Int64?) {
        var estimator = ProgressEstimator(isDownload: false, now: Self.at(0))
        estimator.update(sent: 8192, sentTotal: total, received: 0, receivedTotal: nil, now: Self.at(0))
        #expect(Self.isNear(estimator.fraction, 0.75 / 1.4))
    }

    @Test("without an upload nothing waits for the response before the first byte is sent")
    func nothingSent() {
        var estimator = ProgressEstimator(isDownload: false, now: Self.at(0))
        estimator.update(sent: 0, sentTotal: 0, received: 0, receivedTotal: nil, now: Self.at(2.5))
        #expect(Self.isNear(estimator.fraction, 0.225 / 1.7))
    }

    @Test(
        "a download counts by its share, or if its length is unknown, three quarters after 64 KiB",
        arguments: [
            (32_768, 65_536, 0.5), (65_536, nil, 0.75), (65_536, 0, 0.75), (65_536, -1, 0.75), (131_072, 65_536, 1),
            (1, 1, 1),
        ] as [(Int64, Int64?, Double)]
    )
    func download(received: Int64, total: Int64?, share: Double) {
        var estimator = ProgressEstimator(isDownload: true, now: Self.at(0))
        estimator.update(received: received, receivedTotal: total, now: Self.at(0))
        #expect(Self.isNear(estimator.fraction, share))
    }

    @Test("a length that becomes known does not move the value")
    func length() {
        var estimator = ProgressEstimator(isDownload: true, now: Self.at(0))
        estimator.update(received: 65_536, receivedTotal: nil, now: Self.at(0))
        estimator.update(received: 65_536, receivedTotal: 131_072, now: Self.at(0))
        #expect(Self.isNear(estimator.fraction, 0.75))
        estimator.update(received: 98_304, receivedTotal: 131_072, now: Self.at(0))
        #expect(Self.isNear(estimator.fraction, 0.875))
    }
}
