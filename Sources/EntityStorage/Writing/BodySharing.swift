/// Keeps equal body files once; used on the writer's thread only.
///
/// A response never waits for that: files are compared after their rows are committed.
final class BodySharing: @unchecked Sendable {
    // The writer's thread makes `@unchecked Sendable` true.
    private let parts: StoreParts
    /// Comparisons that are under way.
    private var comparisons = 0
    private var waiters: [@Sendable () -> Void] = []

    init(_ parts: StoreParts) { self.parts = parts }

    /// Compares each body that the last transactions stored with another one that may have the same bytes.
    func compareBodies(of database: WritableDatabase) {
        let (directory, epoch) = (database.directory, database.epoch)
        for (body, other) in database.takeAlike() {
            comparisons += 1
            let completion: @Sendable (Bool) -> Void = { [parts] isEqual in
                parts.writeQueue.add { writer in
                    writer.sharing.didCompare()
                    if isEqual { writer.share(body, with: other, of: epoch) }
                }
            }
            parts.filesThread.submit { [worker = parts.filesThread] in
                guard let file = try? directory.openBody(other) else { return completion(false) }
                BodyComparison(one: body, other: file, worker: worker, completion: completion).start()
            }
        }
    }

    private func didCompare() {
        comparisons -= 1
        if comparisons > 0 { return }
        // What waits comes after the change that follows from this comparison.
        for work in waiters { parts.writeQueue.add { _ in work() } }
        waiters = []
    }

    /// Calls back once no comparison is under way.
    func whenIdle(_ work: @escaping @Sendable () -> Void) {
        if comparisons == 0 { work() } else { waiters.append(work) }
    }
}
