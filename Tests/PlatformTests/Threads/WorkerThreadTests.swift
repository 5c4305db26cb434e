import Locking
import Platform
import Testing

@Suite struct WorkerThreadTests {
    @Test("jobs run in the order they were submitted, on one thread")
    func order() {
        let worker = WorkerThread(name: "test")
        let seen = Lock<[(Int, UInt)]>([])
        for number in 0..<100 { worker.submit { seen.withLock { $0.append((number, Thread.currentIdentifier)) } } }
        worker.perform {}
        let jobs = seen.withLock { $0 }
        #expect(jobs.map(\.0) == Array(0..<100))
        #expect(Set(jobs.map(\.1)).count == 1 && jobs[0].1 != Thread.currentIdentifier)
        worker.stop()
    }

    @Test("delayed jobs run in the order of their times")
    func delays() {
        let worker = WorkerThread(name: "test")
        let seen = BlockingQueue<Int>()
        let began = SystemClock.awakeNanoseconds()
        for milliseconds in [30, 10, 20] {
            worker.submit(after: .milliseconds(milliseconds)) { seen.push(milliseconds) }
        }
        #expect([seen.pop(), seen.pop(), seen.pop()] == [10, 20, 30])
        #expect(SystemClock.awakeNanoseconds() - began >= 30_000_000)
        worker.stop()
    }

    @Test("a stopped worker runs what was submitted, drops what was delayed, and accepts no more")
    func stopped() {
        let worker = WorkerThread(name: "test")
        let seen = BlockingQueue<String>()
        let (runs, mayEnd) = (Latch(), Latch())
        worker.submit {
            runs.open()
            mayEnd.wait()
        }
        runs.wait()
        worker.submit(after: .milliseconds(1)) { seen.push("delayed") }
        worker.submit { seen.push("submitted") }
        worker.stop()
        #expect(!worker.submit {})
        worker.perform { seen.push("performed") }
        mayEnd.open()
        #expect(seen.pop() == "submitted")
        #expect(seen.count == 0)
    }
}
