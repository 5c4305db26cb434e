public import HTTPCore
import Locking

extension ResourceTable {
    /// Above this number another thread purges questions.
    private static let purgedAtOnce = 256

    func noteQuestion(_ id: UInt64, _ uri: TargetURI) { questions.add(id, hash(uri), to: hash(uri.withoutQuestion)) }

    func forgetQuestion(_ id: UInt64, _ uri: TargetURI) { questions.remove(id, of: hash(uri.withoutQuestion)) }

    /// Whether memory or store may have questions to this URI.
    package func mayHaveQuestions(to uri: TargetURI) -> Bool {
        if uri.isQuestion { return false }
        return questions.hasAny(to: hash(uri)) || environment.store?.mayHoldQuestions(to: uri) ?? false
    }

    /// Drops all questions to `uri`, in memory and store; `completion` receives the number of removed records once that
    /// is durable.
    package func purgeQuestions(to uri: TargetURI, _ completion: @escaping @Sendable (Int) -> Void) {
        let tally = PurgeTally(count: 0, pending: 2, completion)
        // First the store: a look-up that begins now finds nothing, and a result that comes later is not accepted.
        removeStoredQuestions(to: uri, tally)
        let live = live(questions.all(to: hash(uri))).filter { $0.uri.isQuestion(of: uri) }
        if live.isEmpty { return tally.add(0) }
        let wipe: @Sendable () -> Void = { [self] in
            for resource in live { resource.wipe() }
            // A load may have ended meanwhile, and have been stored.
            removeStoredQuestions(to: uri, tally)
        }
        let workers = live.count > Self.purgedAtOnce ? environment.transforms.workers : nil
        if workers?.submit(wipe) != true { wipe() }
    }

    private func removeStoredQuestions(to uri: TargetURI, _ tally: PurgeTally) {
        if let store = environment.store { store.removeQuestions(to: uri) { tally.add($0) } } else { tally.add(0) }
    }

    /// Drops the oldest questions that have the target of `question` if there are more than `limit` in memory.
    public func limitQuestions(like question: TargetURI, to limit: Int) {
        let excess = questions.excess(to: hash(question.withoutQuestion), limit: limit)
        if !excess.isEmpty { Self.purge(live(excess).filter { $0.uri != question }) { _ in } }
    }

    private func live(_ numbers: [UInt64: UInt64]) -> [Resource] {
        numbers.compactMap { live($0.key, $0.value) }
    }

    static func purge(_ resources: [Resource], _ completion: @escaping @Sendable (Int) -> Void) {
        let tally = PurgeTally(count: 0, pending: resources.count + 1, completion)
        for resource in resources { resource.purge { tally.add($0) } }
        tally.add(0)
    }
}
