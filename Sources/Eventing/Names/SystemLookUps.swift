import HTTPCore
import Locking
import Platform

/// Blocking look-ups by `getaddrinfo`, for sources that only the C library knows.
///
/// One client never occupies all threads, however many names it needs.
final class SystemLookUps: Sendable {
    typealias Resolution = Result<[IPAddress], NameError>

    private struct Work {
        var number: UInt64
        var name: String
        var client: IPAddress?
        var completion: @Sendable (Resolution) -> Void
    }

    private struct State {
        var waiting: [Work] = []
        var running: [IPAddress?: Int] = [:]
        var count = 0
    }

    private let workers: WorkerPool
    private let lookUp: @Sendable (String) -> Resolution
    private let state = Lock(State())

    init(workers: WorkerPool, lookUp: @escaping @Sendable (String) -> Resolution) {
        self.workers = workers
        self.lookUp = lookUp
    }

    /// Looks `name` up when a thread is free for `client`; calls `completion` on that thread.
    func start(
        _ name: String,
        _ number: UInt64,
        for client: IPAddress?,
        completion: @escaping @Sendable (Resolution) -> Void
    ) {
        state.withLock { $0.waiting.append(Work(number: number, name: name, client: client, completion: completion)) }
        startNext()
    }

    /// Drops a look-up that has not begun; one in progress ends by itself.
    func stop(_ number: UInt64) {
        let dropped = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        withExtendedLifetime(dropped) {}
    }

    private func startNext() {
        let threads = workers.threadCount
        let share = max(1, threads - 1)
        while true {
            let next: Work? = state.withLock { state in
                guard state.count < threads else { return nil }
                let index = state.waiting.firstIndex { (state.running[$0.client] ?? 0) < share }
                guard let index else { return nil }
                let work = state.waiting.remove(at: index)
                state.running[work.client, default: 0] += 1
                state.count += 1
                return work
            }
            guard let next else { return }
            let isAccepted = workers.submit { [self] in
                let answer = lookUp(next.name)
                didEnd(next)
                next.completion(answer)
                startNext()
            }
            if !isAccepted {
                didEnd(next)
                next.completion(.failure(.busy))
            }
        }
    }

    private func didEnd(_ work: Work) {
        state.withLock { state in
            state.count -= 1
            let left = (state.running[work.client] ?? 1) - 1
            state.running[work.client] = left > 0 ? left : nil
        }
    }
}
