import HTTPCore
import Locking

/// One walk over a list of URLs, which loads a few at a time.
final class WarmRound: Sendable {
    /// How the load of one URL ended.
    enum Outcome: Sendable, Equatable {
        case loaded, notModified
        /// With a sentence for people.
        case failed(String)
    }

    /// The results of a round.
    struct Report: Sendable, Equatable {
        var loaded = 0
        var notModified = 0
        var failed = 0
        /// The first failures, each with its URL.
        var reasons: [String] = []
    }

    typealias Load = @Sendable (TargetURI, _ completion: @escaping @Sendable (Outcome) -> Void) -> Void

    /// How many URLs are loaded at the same time.
    static let width = 4
    /// How many failures a report describes.
    private static let reasonLimit = 5

    private struct State {
        var next = 0
        var running = 0
        /// Whether a thread is starting loads; other threads then leave that to it.
        var isStarting = false
        var isCancelled = false
        var isOver = false
        var report = Report()
    }

    private let urls: [TargetURI]
    private let load: Load
    private let completion: @Sendable (Report) -> Void
    private let state = Lock(State())

    /// - Parameters:
    ///   - load: loads a URL, and calls its completion inside the call or on any thread.
    ///   - completion: called once, when all URLs are done; after `cancel`, when all loads that had begun are.
    init(_ urls: [TargetURI], load: @escaping Load, completion: @escaping @Sendable (Report) -> Void) {
        self.urls = urls
        self.load = load
        self.completion = completion
    }

    func start() { startLoads() }

    /// Begins no more loads.
    func cancel() {
        state.withLock { $0.isCancelled = true }
        startLoads()
    }

    /// Starts as many loads as may run.
    ///
    /// A load that completes inside its call does not start the next one: thousands would exhaust the stack.
    private func startLoads() {
        let mayStart = state.withLock { state in
            defer { state.isStarting = true }
            return !state.isStarting
        }
        guard mayStart else { return }
        while let url = nextURL() {
            load(url) { [self] outcome in didLoad(url, outcome) }
        }
        let report = state.withLock { state -> Report? in
            guard !state.isOver, state.running == 0, isDone(state) else { return nil }
            state.isOver = true
            return state.report
        }
        if let report { completion(report) }
    }

    private func isDone(_ state: State) -> Bool { state.isCancelled || state.next == urls.count }

    private func nextURL() -> TargetURI? {
        state.withLock { state in
            guard state.running < Self.width, !isDone(state) else {
                state.isStarting = false
                return nil
            }
            defer { state.next += 1 }
            state.running += 1
            return urls[state.next]
        }
    }

    private func didLoad(_ url: TargetURI, _ outcome: Outcome) {
        state.withLock { state in
            state.running -= 1
            switch outcome {
            case .loaded: state.report.loaded += 1
            case .notModified: state.report.notModified += 1
            case .failed(let reason):
                state.report.failed += 1
                guard state.report.reasons.count < Self.reasonLimit else { return }
                state.report.reasons.append("\(url.text): \(reason)")
            }
        }
        startLoads()
    }
}
