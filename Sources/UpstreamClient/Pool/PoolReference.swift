/// Refers to a pool without retaining it, for its connections and for the limiter's queue.
///
/// It takes the place of weak references. Retaining and releasing an object that has any takes four times as many
/// instructions, and each request retains the pool.
final class PoolReference {
    /// Nil once the pool has ended.
    unowned var pool: OriginPool?
}
