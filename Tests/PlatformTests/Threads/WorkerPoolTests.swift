import Locking
import Platform
import Testing

@Suite struct WorkerPoolTests {
    @Test("a stopped pool has run all submitted jobs, and accepts no more")
    func stoppedWorkers() throws {
        let workers = try WorkerPool(count: 3)
        let count = Lock(0)
        for _ in 0..<100 { workers.submit { count.withLock { $0 += 1 } } }
        workers.stop()
        #expect(count.withLock { $0 } == 100)
        #expect(!workers.submit {})
    }

    @Test("jobs beyond the limit of the queue are refused")
    func queueLimit() throws {
        let pool = try WorkerPool(count: 1, queueLimit: 1)
        let (runs, mayEnd) = (Latch(), Latch())
        pool.submit {
            runs.open()
            mayEnd.wait()
        }
        runs.wait()
        #expect(pool.submit {} && pool.backlog == 1)
        #expect(!pool.submit {})
        mayEnd.open()
        pool.stop()
    }

    @Test("without a limit of its own, the queue holds 10,000 jobs")
    func usualLimit() throws {
        let pool = try WorkerPool(count: 1)
        let (runs, mayEnd) = (Latch(), Latch())
        pool.submit {
            runs.open()
            mayEnd.wait()
        }
        runs.wait()
        #expect((0..<10_001).count { _ in pool.submit {} } == 10_000)
        mayEnd.open()
        pool.stop()
    }

    @Test("work that has begun goes on, however many jobs wait, until the pool has stopped")
    func resuming() throws {
        let pool = try WorkerPool(count: 1, queueLimit: 0)
        let isDone = Latch()
        #expect(!pool.submit {})
        #expect(pool.resume { isDone.open() })
        isDone.wait()
        pool.stop()
        #expect(!pool.resume {})
    }

    @Test("the threads of a pool have its name and their numbers, unless it has none: then they are workers")
    func names() throws {
        for (pool, name) in [(try WorkerPool(count: 2), "worker"), (try WorkerPool(count: 2, name: "files"), "files")] {
            let (names, mayEnd) = (BlockingQueue<[UInt8]>(), Latch())
            for _ in 0..<2 {
                pool.submit {
                    names.push((try? SmallFile.read("/proc/thread-self/comm", limit: 100)) ?? [])
                    mayEnd.wait()
                }
            }
            let seen = [names.pop(), names.pop()].map { String(decoding: $0 ?? [], as: UTF8.self) }
            mayEnd.open()
            pool.stop()
            #expect(seen.sorted() == ["\(name)-0\n", "\(name)-1\n"])
        }
    }
}
