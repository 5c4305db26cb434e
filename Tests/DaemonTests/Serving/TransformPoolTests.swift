import Platform
import TestSupport
import Testing

@testable import Daemon

/// The threads of pipelines.
@Suite struct TransformPoolTests {
    @Test("where no more work may wait, work that has begun goes on all the same, until the threads have ended")
    func resuming() throws {
        let threads = try WorkerPool(count: 1, queueLimit: 0)
        let pool = TransformPool(pool: threads)
        let isDone = Gate()
        #expect(!pool.submit {})
        #expect(pool.resume { isDone.open() })
        try isDone.wait("the work")
        threads.stop()
        #expect(!pool.resume {})
    }
}
