import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import ResourceCore
@testable import ResourceModel

@Suite("Requests: progress")
struct ProgressTests {
    /// A request held back, whose metrics the test sets.
    private struct Held {
        let world = ProgramWorld()
        let request: Request

        init(_ method: Method = .get) {
            request = world.resource().request(method) { $0.body = method == .get ? nil : [1] }
        }

        func metrics(_ sent: Int64, _ total: Int64? = nil, _ received: Int64 = 0, of length: Int64? = nil) -> Double {
            world.networking.last.metrics.change {
                $0 = RequestTransferMetrics(
                    requestBytesSent: sent,
                    requestBytesTotal: total,
                    responseBytesReceived: received,
                    responseBytesTotal: length
                )
            }
            return request.progress
        }

        func wait(_ duration: Duration) -> Double {
            world.timekeeper.advance(by: duration)
            return request.progress
        }
    }

    @Test("progress is 1 once completed: by success, failure or cancelling (T-138, T-139, T-140, S-220)")
    func completed() {
        let world = ProgramWorld()
        let requests = [Method.get, .post, .put].map { world.resource().request($0) }
        #expect(requests.allSatisfy { $0.progress == 0 })
        world.networking.exchanges[0].answer(200, [], "abc")
        world.networking.exchanges[1].answer(500)
        world.runUntilIdle()
        requests[2].cancel()
        #expect(requests.allSatisfy { $0.progress == 1 })
    }

    @Test("waiting for a connection counts (T-141, S-222)")
    func connecting() {
        let held = Held()
        #expect(held.request.progress == 0)
        let one = held.wait(.seconds(1))
        let two = held.wait(.seconds(1000))
        #expect(one > 0 && two > one && two < 0.3)
    }

    @Test("the value does not jump when a wait ends with the response (T-142, S-223)")
    func firstByte() {
        let held = Held()
        let before = held.wait(.seconds(1))
        held.world.timekeeper.advance(by: .seconds(3600))
        let after = held.metrics(0, nil, 1, of: 1000)
        #expect(after >= before && after - before <= 0.01)
    }

    @Test("download counts by its share (T-143, S-222)")
    func download() {
        let held = Held()
        let one = held.metrics(0, nil, 1, of: 1000)
        let two = held.metrics(0, nil, 2, of: 1000)
        let half = held.metrics(0, nil, 500, of: 1000)
        #expect(one < two && abs((half - one) - 499 * (two - one)) < 1e-9)
        #expect(abs(held.metrics(0, nil, 1000, of: 1000) - 1) < 1e-9)
    }

    @Test("what has no known size grows, below 1 (T-144, S-223, S-148)", arguments: [nil, 0, -1] as [Int64?])
    func unknownSize(total: Int64?) {
        let held = Held()
        let few = held.metrics(0, nil, 1000, of: total)
        let many = held.metrics(0, nil, 1_000_000, of: total)
        let most = held.metrics(0, nil, 1_000_000_000_000, of: total)
        #expect(few > 0 && many > few && most > many && most < 1)
    }

    @Test("an unknown download is three quarters done at 65536 bytes, an unknown upload at 8192 (S-222)")
    func asymptotes() {
        let download = Held()
        #expect(abs(download.metrics(0, nil, 65_536) - 0.75) < 1e-9)
        var upload = ProgressEstimator(isDownload: false, now: MonotonicTime(nanoseconds: 0))
        upload.update(RequestTransferMetrics(requestBytesSent: 8192), now: MonotonicTime(nanoseconds: 0))
        // What is left of the weights: upload 1, response latency 0.3, download 0.1
        #expect(abs(upload.fraction - 0.75 / 1.4) < 1e-9)
    }

    @Test("waits are three quarters over at 2.5 s and 1.2 s (S-222)")
    func waits() {
        let connect = Held()
        #expect(abs(connect.wait(.milliseconds(2500)) - 0.75 * 0.3 / 1.6) < 1e-9)
        let response = Held(.post)
        let sent = response.metrics(1, 1)
        #expect(abs(response.wait(.milliseconds(1200)) - sent - 0.75 * 0.3 / 1.4) < 1e-9)
    }

    @Test("more bytes than announced never make more than 1 (T-145, S-223)")
    func moreThanAnnounced() {
        let held = Held()
        let all = held.metrics(0, nil, 1001, of: 1000)
        #expect(all == 1 && held.metrics(0, nil, 2000, of: 1000) == 1)
        let posted = Held(.post)
        _ = posted.wait(.milliseconds(700))
        #expect(posted.metrics(7, 7, 1001, of: 1000) == 1 && posted.metrics(7, 7, 2000, of: 1000) == 1)
    }

    @Test("the value does not jump when a wait ends with the upload (T-146, S-223)")
    func firstUpload() {
        let held = Held(.post)
        let before = held.wait(.seconds(1))
        held.world.timekeeper.advance(by: .seconds(3600))
        let after = held.metrics(1, 1000)
        #expect(after >= before && after - before <= 0.01)
    }

    @Test("upload counts by its share; time does not count meanwhile (T-147, T-149, S-222, S-223)")
    func upload() {
        let held = Held(.post)
        let one = held.metrics(1, 1000)
        let two = held.metrics(2, 1000)
        #expect(two > one && held.wait(.seconds(60)) == two)
    }

    @Test("the value stays when the total becomes known (T-148, S-223)")
    func totalBecomesKnown() {
        let held = Held(.post)
        let before = held.metrics(10)
        #expect(abs(held.metrics(10, 100) - before) < 1e-12)
        #expect(held.metrics(20, 100) > before)
    }

    @Test("once everything is sent, waiting and then the response count (T-150, T-151, S-222)")
    func response() {
        let held = Held(.post)
        let sent = held.metrics(1000, 1000)
        let waited = held.wait(.seconds(10))
        let one = held.metrics(1000, 1000, 1, of: 1000)
        let two = held.metrics(1000, 1000, 2, of: 1000)
        #expect(sent < waited && waited <= one && one < two && two < 1)
    }

    @Test("the value never falls, whatever a provider or delegate reports (S-220)")
    func monotonic() {
        let held = Held()
        let half = held.metrics(0, nil, 500, of: 1000)
        #expect(held.metrics(0, nil, 100, of: 1000) == half)
        #expect(held.metrics(0, nil, 500, of: 1_000_000) >= half)
        let delegate = ReportingDelegate([0.5, 0.2, 7, -1])
        let request = Resource.prepareRequest(using: delegate).start()
        #expect([request.progress, request.progress, request.progress, request.progress] == [0.5, 0.5, 1, 1])
    }

    @Test("what cannot be known is not a number, until something is known (S-220)")
    func unknown() {
        let delegate = ReportingDelegate([.nan, .nan, 0.5, .nan])
        let request = Resource.prepareRequest(using: delegate).start()
        #expect(request.progress.isNaN && request.progress.isNaN)
        #expect(request.progress == 0.5 && request.progress == 0.5)
        request.cancel()
        #expect(request.progress == 1)
    }

    @Test("delegates report no progress and twenty times a second unless they say otherwise (S-145)")
    func defaults() {
        let delegate = FixedDelegate("x")
        #expect(delegate.computeProgress() == 0 && delegate.progressReportingInterval == .milliseconds(50))
    }

    @Test(
        "hooks hear growing values at the interval, and a last 1 in front of the completion hooks (T-152, T-153, S-221)"
    )
    func reports() {
        let world = ProgramWorld()
        world.service.configure { $0.progressReportingInterval = .milliseconds(100) }
        let request = world.resource().request(.get)
        let log = HookLog(request)
        for _ in 0..<5 {
            world.timekeeper.advance(by: .milliseconds(99))
            world.runUntilIdle()
            let count = log.progress.value.count
            world.timekeeper.advance(by: .milliseconds(1))
            world.runUntilIdle()
            #expect(log.progress.value.count == count + 1)
        }
        world.networking.last.answer(200, [], "abc")
        world.runUntilIdle()
        world.timekeeper.advance(by: .seconds(1))
        world.runUntilIdle()
        let values = log.progress.value
        #expect(values.count == 6 && values == values.sorted() && values[0] > 0 && values.last == 1)
        #expect(log.notes.value.first == "progress 1" && log.notes.value.count == 4)
    }

    @Test("what has not changed is not reported; a hook attached later hears what comes then, or the last 1 (S-221)")
    func unchanged() {
        let world = ProgramWorld()
        let request = world.resource().request(.post) { $0.body = [1, 2, 3] }
        world.networking.last.metrics.change { $0.requestBytesSent = 1 }
        world.networking.last.metrics.change { $0.requestBytesTotal = 3 }
        world.timekeeper.advance(by: .seconds(1))
        let log = HookLog(request)
        for _ in 0..<4 {
            world.timekeeper.advance(by: .milliseconds(50))
            world.runUntilIdle()
        }
        #expect(log.progress.value.count == 1)
        request.cancel()
        let late = HookLog(request)
        world.runUntilIdle()
        #expect(log.progress.value.last == 1 && late.progress.value == [1])
    }

    @Test("that it is not known is reported once, and then what is (S-220, S-221)")
    func unknownOnce() {
        let delegate = ReportingDelegate([.nan, .nan, 0.5])
        let world = ProgramWorld()
        let request = Request(delegate: delegate, delivery: world.context, timekeeper: world.timekeeper)
        let log = HookLog(request.start())
        for _ in 0..<4 {
            world.timekeeper.advance(by: .milliseconds(50))
            world.runUntilIdle()
        }
        let values = log.progress.value
        #expect(values.count == 2 && values.first?.isNaN == true && values.last == 0.5)
    }

    @Test("a queue that is slow hears of values in order (S-220)")
    func slowQueue() {
        let delegate = ReportingDelegate([0.1, 0.2, 0.3])
        let world = ProgramWorld()
        let request = Request(delegate: delegate, delivery: world.context, timekeeper: world.timekeeper)
        let log = HookLog(request.start())
        for _ in 0..<3 { world.timekeeper.advance(by: .milliseconds(50)) }
        request.cancel()
        world.runUntilIdle()
        #expect(log.progress.value == [0.1, 0.2, 0.3, 1])
    }
}

/// Reports these values one after another, then the last again and again.
private final class ReportingDelegate: RequestDelegate {
    private let values: LockedBox<[Double]>

    init(_ values: [Double]) { self.values = LockedBox(values) }

    func startUnderlyingOperation(passingResponseTo completionHandler: any RequestCompletionHandler) {}
    func repeated() -> any RequestDelegate { self }
    func computeProgress() -> Double {
        values.change { $0.count > 1 ? $0.removeFirst() : $0[0] }
    }
}
