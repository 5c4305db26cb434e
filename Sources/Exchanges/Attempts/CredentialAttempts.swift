import HTTPCore
import Locking

/// Adds a credential to one exchange; if the origin refuses it (401), retries once with another.
final class CredentialAttempts: AttemptPolicy {
    private struct State {
        /// The credential of the last attempt.
        var used: Credential?
        var isRefused = false
    }

    private let source: any CredentialSource
    private let provider: any ExchangeProvider
    private let context: CredentialContext
    private let mayRepeat: Bool
    private let state = Lock(State())

    init(
        _ source: any CredentialSource,
        _ provider: any ExchangeProvider,
        _ timekeeper: any Timekeeper,
        _ statistics: PolicyStatistics,
        mayRepeat: Bool
    ) {
        self.source = source
        self.provider = provider
        context = CredentialContext(provider: provider, timekeeper: timekeeper, statistics: statistics)
        self.mayRepeat = mayRepeat
    }

    func prepare(_ request: OriginRequest, _ completion: @escaping @Sendable (AttemptStart) -> Void) {
        let refused = state.withLock { $0.isRefused ? $0.used : nil }
        source.credential(insteadOf: refused, context) { result in
            switch result {
            case .success(let credential):
                self.state.withLock { $0.used = credential }
                var request = request
                request.fields.remove(named: credential.name.map(\.asciiLowercased))
                request.fields.append(name: credential.name, value: credential.value)
                completion(.now(request))
            case .failure(let failure):
                completion(.failed(failure))
            }
        }
    }

    func verdict(_ head: ResponseHead) -> AttemptVerdict {
        let (used, isSecond) = state.withLock { ($0.used, $0.isRefused) }
        guard let used else { return .passOn }
        guard head.status == 401 else {
            source.note(used, isAccepted: true, context)
            return .passOn
        }
        if isSecond {
            source.note(used, isAccepted: false, context)
        } else if mayRepeat, source.mayReplace(used, context) {
            state.withLock { $0.isRefused = true }
            return .again(after: .zero)
        }
        return .passOn
    }
}
