import Exchanges
import HTTPCaching
package import HTTPCore
package import Outcomes
import Stores

/// Outcomes of loads that affect the next ones for a while: failures that would repeat (C-25.3), and a response that
/// may not be shared (C-23.4).
package struct RememberedOutcomes: Sendable {
    /// A load that failed, for requests that would fail the same way.
    package struct Failure: Sendable {
        let partitions: Partitions
        let vary: VaryNames
        let selection: [UInt8]
        package let error: ResourceError
        /// Until then, the origin asked for a pause.
        package var pausedUntil: MonotonicTime?
    }

    private static let limit = 16

    private(set) var failures: [Failure] = []
    /// Until then requests do not wait for the heads of each other's loads.
    package private(set) var hitForMissUntil: MonotonicTime?

    var isEmpty: Bool { failures.isEmpty && hitForMissUntil == nil }

    // MARK: Failures

    /// A load failed; the origin may have asked for a pause.
    mutating func remember(_ error: ResourceError, of cause: LoadCause, pause: Duration?, _ context: ResourceContext) {
        let selection = cause.selection(context)
        remove(cause.request.partitions, selection)
        if failures.count >= Self.limit { failures.removeFirst() }
        failures.append(
            Failure(
                partitions: cause.request.partitions,
                vary: cause.vary,
                selection: selection,
                error: error,
                pausedUntil: pause.map { context.now + $0 }
            )
        )
    }

    /// A load for the same requests succeeded.
    mutating func forget(_ cause: LoadCause, _ context: ResourceContext) {
        if !failures.isEmpty { remove(cause.request.partitions, cause.selection(context)) }
    }

    private mutating func remove(_ partitions: Partitions, _ selection: [UInt8]) {
        failures.removeAll { $0.partitions == partitions && $0.selection == selection }
    }

    mutating func forgetFailures() { failures = [] }

    /// The failure that a load for `request` would repeat.
    ///
    /// A failure to reach the origin no longer counts once the origin has recovered.
    package func failure(of request: ClientRequest, _ context: ResourceContext) -> Failure? {
        failures.last { failure in
            failure.partitions == request.partitions && isCurrent(failure, context)
                && !context.hasReopened(for: request, since: failure.error)
                && failure.selection == context.selection(failure.vary, request.fields)
        }
    }

    private func isCurrent(_ failure: Failure, _ context: ResourceContext) -> Bool {
        failure.pausedUntil.map { context.now < $0 } ?? context.isWithinRetryTime(failure.error)
    }

    // MARK: Hit-for-miss

    func isHitForMiss(at now: MonotonicTime) -> Bool { hitForMissUntil.map { $0 > now } ?? false }

    mutating func beginHitForMiss(until time: MonotonicTime) { hitForMissUntil = time }

    /// A response came that may be shared.
    mutating func endHitForMiss() { hitForMissUntil = nil }

    /// Notes whether the last response may be shared; returns after which time to look again.
    ///
    /// - Parameters:
    ///   - hasMoved: whether requests waited for it that could not have it.
    ///   - time: how long requests then do not wait for each other.
    mutating func note(
        _ sharing: Sharing,
        hasMoved: Bool,
        for time: Duration,
        at now: MonotonicTime
    ) -> Duration? {
        guard case .leaderOnly = sharing else {
            endHitForMiss()
            return nil
        }
        if !hasMoved { return nil }
        beginHitForMiss(until: now + time)
        return time
    }

    // MARK: Time

    /// Forgets what has expired; returns when the next outcome expires.
    mutating func expire(_ context: ResourceContext) -> Duration? {
        failures = failures.filter { isCurrent($0, context) }
        if let until = hitForMissUntil, until <= context.now { hitForMissUntil = nil }
        var waits = failures.map { failure in
            failure.pausedUntil.map { $0 - context.now }
                ?? context.configuration.retryTime - (context.now - failure.error.time)
        }
        if let hitForMissUntil { waits.append(hitForMissUntil - context.now) }
        return waits.min()
    }
}
