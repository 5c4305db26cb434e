import Glibc
import Platform
import TestSupport
import Testing

@Suite("Threads and what wakes them") struct ThreadNameTests {
    @Test("a thread has the first 15 bytes of its name")
    func name() throws {
        let names = BlockingQueue<[UInt8]>()
        let thread = try Thread(name: "a name of more than 15 bytes") {
            names.push((try? SmallFile.read("/proc/thread-self/comm", limit: 100)) ?? [])
        }
        thread.join()
        #expect(names.pop() == Array("a name of more \n".utf8))
    }

    @Test("a pause lasts as long as it says")
    func pause() {
        let began = SystemClock.awakeNanoseconds()
        Thread.pause(for: .milliseconds(5))
        #expect(SystemClock.awakeNanoseconds() - began >= 4_000_000)
    }

    @Test("a wake-up can be read from its signal on, until it is cleared")
    func wakeUp() throws {
        let wakeUp = try WakeUp()
        func isReadable() -> Bool {
            var waiting = pollfd(fd: wakeUp.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&waiting, 1, 0) == 1
        }
        #expect(!isReadable())
        wakeUp.signal()
        wakeUp.signal()
        #expect(isReadable())
        wakeUp.clear()
        #expect(!isReadable())
        wakeUp.clear()
        wakeUp.signal()
        #expect(isReadable())
    }

    @Test("a pool has at least one thread, and one for each that is asked for", arguments: [(0, 1), (1, 1), (3, 3)])
    func pool(count: Int, threads: Int) throws {
        let pool = try WorkerPool(count: count)
        #expect(pool.threadCount == threads && pool.backlog == 0)
        let names = BlockingQueue<Int>()
        for number in 0..<5 { #expect(pool.submit { names.push(number) }) }
        pool.finish()
        #expect(!pool.submit {})
        #expect(Set((0..<5).compactMap { _ in names.pop() }) == Set(0..<5))
        pool.stop()
    }

    @Test("a job that waits for nothing runs beside one that is late, and a worker says that it accepted it")
    func worker() {
        let worker = WorkerThread(name: "test")
        let seen = BlockingQueue<String>()
        worker.submit(after: .seconds(3600)) { seen.push("late") }
        worker.submit(after: .seconds(-1)) { seen.push("past") }
        #expect(seen.pop() == "past")
        #expect(worker.submit { seen.push("now") })
        #expect(seen.pop() == "now")
        worker.stop()
        worker.submit(after: .zero) { seen.push("stopped") }
        #expect(seen.count == 0)
    }

    @Test("in the kernel's file the watch writes what it wants to know, and no more")
    func trigger() throws {
        let directory = TemporaryDirectory()
        let path = try directory.write("", to: "pressure")
        let source = PressureSource(path: path, trigger: Array("some 1 2".utf8) + [0])
        let watch = try PressureWatch(source, { Issue.record("there is no pressure") })
        watch.stop()
        #expect(contents(path) == Array("some 1 2\0".utf8))
    }
}
