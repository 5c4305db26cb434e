public import Platform

extension WorkerPool {
    /// Runs `work` on one of the threads, and `completion` with its result on `loop`.
    ///
    /// - Returns: false if the pool accepts no more work; `completion` is then never called.
    @discardableResult
    public func submit<Value: Sendable>(
        on loop: LoopHandle,
        _ work: @escaping @Sendable () -> Value,
        completion: @escaping @Sendable (EventLoop, Value) -> Void
    ) -> Bool {
        submit {
            let value = work()
            loop.submit { completion($0, value) }
        }
    }
}
