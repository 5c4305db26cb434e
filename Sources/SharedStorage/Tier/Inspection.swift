public import ResourceCore

/// A look at what the server has for a load: nothing is loaded, awaited or counted.
///
/// Bound to a loop.
final class Inspection {
    private var lookUp: LookUp
    private let client: TierClient
    private let completion: (String) -> Void

    /// - Parameter completion: gets a sentence, once.
    init(_ load: SharedLoad, _ client: TierClient, _ completion: @escaping (String) -> Void) {
        lookUp = LookUp(load, sizeLimit: client.tier.options.maximumObjectSize, announces: false)
        (self.client, self.completion) = (client, completion)
    }

    func start() { ask(lookUp.beginning) }

    private func ask(_ commands: [RedisCommand]) {
        client.server.send(commands, within: client.tier.options.storeTimeout) { [self] result in
            switch result {
            case .failure(let failure): fail(failure.userMessage)
            case .success(let replies): take(lookUp.receive(replies, client.packer))
            }
        }
    }

    private func take(_ step: LookUp.Step) {
        switch step {
        case .ask(let commands, _): ask(commands)
        case .found(let answer) where client.tier.revocations.covers(answer.response, seen: answer.seen):
            completion("The shared server has a response that was purged: it is loaded anew.")
        case .found(let answer):
            completion("The shared server has a response: \(answer.response.status), \(answer.age) s old.")
        case .load, .wait: completion("The shared server has no response that may answer.")
        case .end(.refused(let error)): fail(error.userMessage)
        case .end(.unexpected): fail(SharedFailure.unexpected.userMessage)
        }
    }

    private func fail(_ reason: String) { completion("The shared server cannot be asked: \(reason).") }
}

extension SharedTier {
    /// Describes what the server has for a load; `completion` gets a sentence on any thread.
    public func describe(_ facts: LoadFacts, _ completion: @escaping @Sendable (String) -> Void) {
        guard let load = SharedLoad(facts, sharesPrivate: options.sharesPrivate) else {
            return completion("Nodes do not share responses to such a request.")
        }
        if breaker.isDown { return completion("The shared server is left out: \(statistics.fault ?? "it was down").") }
        let isAsked = onLoop { Inspection(load, $0, completion).start() }
        if !isAsked { completion("The shared server is not in use yet.") }
    }
}
