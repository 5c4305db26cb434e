import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import ResourceCore

/// Executes one command to the cache and responds.
///
/// The command came by the proxy's port. Bound to its loop.
final class CommandExchange {
    private let exchange: ServerExchange
    private let context: ProxyContext

    init(_ exchange: ServerExchange, _ context: ProxyContext) {
        self.exchange = exchange
        self.context = context
    }

    /// Executes the command for listed clients only.
    ///
    /// A refused command does not go to the origin, for which it was not meant (H-141).
    func run(_ command: CacheCommand, uri: TargetURI) {
        guard context.options.mayCommand(exchange.peer) else {
            let detail =
                "this method commands the cache, which listed clients may only; `access.command-clients` lists them, and "
                + "`respite purge`, `invalidate` and `refresh` do the same"
            return context.refuse(exchange, Refusal(403, detail))
        }
        guard exchange.head.isWithoutContent else {
            return context.refuse(exchange, Refusal(400, "a command to the cache has no content; leave it out"))
        }
        let mode = context.service.configuration(for: uri).values.mode
        if command == .refresh, !mode.mayLoad { return context.refuse(exchange, .notAsked(in: mode)) }
        exchange.outcome = .command
        let bound = LoopBound(self, loop: exchange.loop)
        let delivery = context.deliveryContext
        command.run(uri, of: context.service) { outcome in
            if delivery.isCurrent {
                bound.value.didRun(outcome)
            } else {
                delivery.submit { bound.value.didRun(outcome) }
            }
        }
    }

    private func didRun(_ outcome: CacheCommand.Outcome) {
        guard exchange.isOpen else { return }
        switch outcome {
        case .done(let text):
            var fields = Fields()
            fields.append(.contentType, "application/json")
            fields.append(.cacheControl, "no-store")
            exchange.respond(200, fields: fields, content: ByteChunk(Array((text + "\n").utf8)))
        case .failed(let message):
            let detail = "the resource could not be loaded: \(message)"
            context.refuse(exchange, Refusal(502, detail, type: .proxyInternalResponse))
        }
    }
}
