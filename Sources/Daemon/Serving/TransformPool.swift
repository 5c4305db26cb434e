import Eventing
import Platform
import ResourceCore
import Transforms

/// The threads of pipelines: one per core, apart from the loops and from threads that block.
final class TransformPool: TransformWorkers {
    private let pool: WorkerPool

    init(pool: WorkerPool) { self.pool = pool }

    func submit(_ work: @escaping @Sendable () -> Void) -> Bool { pool.submit(work) }

    func resume(_ work: @escaping @Sendable () -> Void) -> Bool { pool.resume(work) }
}
