import HTTPCore

/// Prepares a connection through a parent proxy: judges the target, chooses the dialogue, looks the proxy up.
///
/// Bound to its loop.
final class ParentApproach {
    private let attempt: ConnectAttempt
    private let resolver: NameResolver
    private let asker: NameAsker
    private let loop: EventLoop
    var targetMayBegin = false

    init(_ attempt: ConnectAttempt, resolver: NameResolver, asker: NameAsker, loop: EventLoop) {
        self.attempt = attempt
        self.resolver = resolver
        self.asker = asker
        self.loop = loop
    }

    /// Prepares a connection for requests to the proxy itself.
    func relay(_ host: [UInt8], _ port: UInt16, _ policy: AddressPolicy, by parent: ParentProxy) {
        switch judged(host, port, policy) {
        case .success: find(parent)
        case .failure(let refusal): refuse(refusal.reason)
        }
    }

    /// Prepares a connection through the proxy to the target.
    func tunnel(_ host: [UInt8], _ port: UInt16, _ policy: AddressPolicy, via: Fields, by parent: ParentProxy) {
        if parent.kind == .socks5(looksUpNames: false) {
            attempt.looksUpTarget = true
            attempt.lookUp = resolver.resolve(host, for: asker, on: loop) { [self] answer in
                attempt.looksUpTarget = false
                didResolve(answer, of: HostName.canonical(host) ?? "", port, policy, parent)
            }
            return
        }
        switch judged(host, port, policy) {
        case .failure(let refusal): refuse(refusal.reason)
        case .success(let name):
            switch parent.kind {
            case .http:
                // As in a URI: IPv6 literals in brackets.
                let authority = name.utf8.contains(0x3A) ? "[\(name)]" : name
                add(TunnelDialogue(host: Array(authority.utf8), port: port, parent: parent, via: via))
            case .socks5:
                let target = HostName.literal(name).map { SOCKSDialogue.Target.address($0) } ?? .name(Array(name.utf8))
                add(SOCKSDialogue(target, port: port, login: parent.login))
            }
            find(parent)
        }
    }

    private struct Refusal: Error {
        let reason: ConnectError.Reason
    }

    /// The name in lower case, or the literal without brackets; or why the policy refuses it.
    private func judged(_ host: [UInt8], _ port: UInt16, _ policy: AddressPolicy) -> Result<String, Refusal> {
        guard let name = HostName.canonical(host) else { return .failure(Refusal(reason: .name(.invalid))) }
        switch policy.judge(name: name, port: port) {
        case .allowed: return .success(name)
        case .loop: return .failure(Refusal(reason: .loop))
        case .forbidden(let reason): return .failure(Refusal(reason: .forbidden(reason)))
        }
    }

    /// The target's addresses are known: asks the proxy for the first allowed one.
    private func didResolve(
        _ answer: NameResolver.Resolution,
        of host: String,
        _ port: UInt16,
        _ policy: AddressPolicy,
        _ parent: ParentProxy
    ) {
        guard attempt.isWanted else { return }
        switch answer {
        case .failure(let error): attempt.refuse(.name(error))
        case .success(let found):
            attempt.noteLookUp(found.source)
            var reason = ConnectError.Reason.name(.notFound)
            for address in found.addresses {
                switch policy.judge(.ip(address, port: port), of: host, from: found.source) {
                case .allowed:
                    add(SOCKSDialogue(.address(address), port: port, login: parent.login))
                    return find(parent)
                case .loop: return attempt.refuse(.loop)
                case .forbidden(let cause): reason = .forbidden(cause)
                }
            }
            attempt.refuse(reason)
        }
    }

    private func add(_ dialogue: any ParentDialogue) {
        attempt.precede(by: DialogueStage(dialogue, targetMayBegin: targetMayBegin, loop: loop))
    }

    private func find(_ parent: ParentProxy) {
        attempt.lookUp = resolver.resolve(parent.host, for: asker, on: loop) { [attempt] in
            attempt.didResolve($0, port: parent.port)
        }
    }

    private func refuse(_ reason: ConnectError.Reason) {
        loop.atEndOfTurn { [attempt] in attempt.refuse(reason) }
    }
}
