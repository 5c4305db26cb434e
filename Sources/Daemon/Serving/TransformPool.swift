import Eventing
import Platform
import ResourceCore
import Transforms

/// The threads pipelines run on: as many as cores, apart from the loops and from all that may block for long.
final class TransformPool: TransformWorkers {
    private let pool: WorkerPool

    init(pool: WorkerPool) { self.pool = pool }

    func submit(_ work: @escaping @Sendable () -> Void) -> Bool { pool.submit(work) }
}
