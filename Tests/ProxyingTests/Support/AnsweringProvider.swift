import Exchanges
import HTTPCore
import Locking

/// Answers requests to origins as a closure says.
final class AnsweringProvider: ExchangeProvider {
    enum Reply: Sendable {
        case response(UInt16, [(String, String)], String)
        case failure(ExchangeFailure)
    }

    private final class Started: Exchange {
        func grant(_ bytes: Int) {}
        func send(_ chunk: ByteChunk) {}
        func finish(trailers: Fields?) {}
        func cancel() {}
    }

    let context: any DeliveryContext
    private let reply: @Sendable (OriginRequest) -> Reply

    init(context: any DeliveryContext, _ reply: @escaping @Sendable (OriginRequest) -> Reply) {
        self.context = context
        self.reply = reply
    }

    func start(_ request: OriginRequest, receiver: any ExchangeReceiver) -> any Exchange {
        let reply = reply(request)
        context.submit {
            switch reply {
            case .failure(let failure): receiver.exchangeDidFail(failure)
            case .response(let status, let lines, let content):
                receiver.exchangeDidReceive(Self.head(status, lines, content.utf8.count))
                if !content.isEmpty { receiver.exchangeDidReceive(ByteChunk(content)) }
                receiver.exchangeDidEnd(trailers: nil)
            }
        }
        return Started()
    }

    private static func head(_ status: UInt16, _ lines: [(String, String)], _ count: Int) -> ResponseHead {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        var head = ResponseHead(status: status, fields: fields, framing: count == 0 ? .none : .length(Int64(count)))
        head.contentLength = count == 0 ? nil : Int64(count)
        return head
    }

    /// A proxy whose loads, its own ones too, are answered so.
    static func proxy(
        _ change: (inout TestProxy.Setup) -> Void = { _ in },
        _ reply: @escaping @Sendable (OriginRequest) -> Reply
    ) throws -> TestProxy {
        let made = Lock<AnsweringProvider?>(nil)
        let proxy = try TestProxy { setup in
            setup.provider = { loop in
                let provider = AnsweringProvider(context: loop.handle, reply)
                made.withLock { $0 = provider }
                return provider
            }
            change(&setup)
        }
        proxy.service.defaultProvider = made.withLock { $0 }
        return proxy
    }
}
