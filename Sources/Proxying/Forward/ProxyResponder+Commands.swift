import Eventing
import Exchanges
import HTTPCore
import HTTPServer
import ResourceCore

/// Commands to the cache that come by the proxy's port.
extension ProxyResponder {
    /// Obeys listed clients; others are refused, and the origin does not see what was not meant for it (H-141).
    func carryOut(_ command: CacheCommand, on exchange: ServerExchange, uri: TargetURI) {
        guard options.mayCommand(exchange.peer) else {
            let detail =
                "this method commands the cache, which listed clients may only; `access.command-clients` lists them, and "
                + "`respite purge`, `invalidate` and `refresh` do the same"
            return refuse(exchange, Refusal(403, detail))
        }
        guard exchange.head.isWithoutContent else {
            return refuse(exchange, Refusal(400, "a command to the cache has no content; leave it out"))
        }
        let mode = service.configuration(for: uri).values.mode
        if command == .refresh, !mode.mayLoad { return refuse(exchange, .notAsked(in: mode)) }
        exchange.disposition = "command"
        let bound = LoopBound(CommandReply(exchange, self), loop: exchange.loop)
        let context = context
        command.run(uri, of: service) { outcome in
            if context.isCurrent {
                bound.value.send(outcome)
            } else {
                context.submit { bound.value.send(outcome) }
            }
        }
    }
}

/// Answers one command once it is carried out; bound to its loop.
private final class CommandReply {
    private let exchange: ServerExchange
    private let responder: ProxyResponder

    init(_ exchange: ServerExchange, _ responder: ProxyResponder) {
        self.exchange = exchange
        self.responder = responder
    }

    func send(_ outcome: CacheCommand.Outcome) {
        guard exchange.isOpen else { return }
        switch outcome {
        case .done(let text):
            var fields = Fields()
            fields.append(.contentType, "application/json")
            fields.append(.cacheControl, "no-store")
            exchange.respond(200, fields: fields, content: ByteChunk(Array((text + "\n").utf8)))
        case .failed(let message):
            let detail = "the resource could not be loaded: \(message)"
            responder.refuse(exchange, Refusal(502, detail, type: .proxyInternalResponse))
        }
    }
}
