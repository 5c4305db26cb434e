import Eventing
import HTTPCore
import HTTPServer
import Locking
import TransportSecurity
import TestSupport

/// A listener on a loop of its own, answering by `TestResponder`.
final class TestServer: Sendable {
    let group: LoopGroup
    let port: UInt16
    let connectionCounter: ConnectionCounter
    private let listener: LoopBound<HTTPListener>
    let responder: LoopBound<TestResponder>

    /// - Parameter security: what connections speak TLS under; nil: they do not.
    init(
        security: TLSServerContext? = nil,
        _ change: @Sendable (inout ServerLimits) -> Void = { _ in }
    ) throws {
        var limits = ServerLimits()
        change(&limits)
        group = try LoopGroup(count: 1)
        let socket = try ListeningSocket(binding: .ip(.v4(0x7F00_0001), port: 0))
        port = socket.address.port ?? 0
        let connectionCounter = ConnectionCounter(limits: limits)
        self.connectionCounter = connectionCounter
        let final = limits
        (listener, responder) = Self.onLoop(group.handles[0]) { loop in
            let responder = TestResponder()
            let listener = HTTPListener(
                loop: loop,
                socket: socket,
                responder: responder,
                connectionCounter: connectionCounter,
                limits: final,
                security: security
            )
            return (LoopBound(listener, loop: loop), LoopBound(responder, loop: loop))
        }
    }

    deinit {
        listener.submit { $0.close() }
        group.stop()
        group.join()
    }

    /// Runs `work` on the loop and waits for it.
    static func onLoop<R: Sendable>(_ handle: LoopHandle, _ work: @escaping @Sendable (EventLoop) -> R) -> R {
        let queue = WaitQueue<R>()
        handle.submit { queue.push(work($0)) }
        guard let result = queue.pop() else { preconditionFailure("the loop does not answer") }
        return result
    }

    func onLoop<R: Sendable>(_ work: @escaping @Sendable (HTTPListener, TestResponder) -> R) -> R {
        let (listener, responder) = (listener, responder)
        return Self.onLoop(group.handles[0]) { _ in work(listener.value, responder.value) }
    }

    func client(receiveBuffer: Int32? = nil) -> RawClient { RawClient(port: port, receiveBuffer: receiveBuffer) }

    var statistics: HTTPListener.Statistics { onLoop { listener, _ in listener.statistics } }

    /// Waits until the responder has noted `event`, then forgets it.
    func await(_ event: String) -> Bool {
        let events = onLoop { _, responder in responder.events }
        return events.await(event)
    }
}

/// Events by name, to be waited for on another thread.
final class EventLog: Sendable {
    private let queue = WaitQueue<String>()
    private let seen = Lock<[String]>([])

    func note(_ event: String) {
        seen.withLock { $0.append(event) }
        queue.push(event)
    }

    /// Waits for an event, dropping those before it.
    func await(_ event: String) -> Bool {
        while let next = queue.pop() { if next == event { return true } }
        return false
    }

    var all: [String] { seen.withLock { $0 } }
}

/// Answers by the path of the request.
final class TestResponder: Responder {
    let events = EventLog()
    /// Exchanges of `/hold`, answered by `release`.
    var held: [ServerExchange] = []
    private(set) weak var lastConnection: ServerConnection?
    /// Whether clients may use SOCKS.
    var socksAccess = SOCKSAccess.open

    func answerNow(_ head: RequestHead, on connection: ServerConnection, into output: inout [UInt8]) -> FastPathResult {
        lastConnection = connection
        let target = String(decoding: head.target, as: UTF8.self)
        guard target.hasPrefix("/fast") else { return .unhandled }
        if target == "/fast-file" { return answerWithFile(on: connection, into: &output) }
        let body = ByteChunk("fast \(target)")
        HeadSerializer.appendResponse(
            status: 200,
            fields: Fields(),
            framing: .length(Int64(body.count)),
            connection: connection.closesAfterThisRequest ? .close : .none,
            to: &output
        )
        guard target.hasPrefix("/fast-copied") else { return .answeredWithBody(body) }
        output.append(contentsOf: body.bytes)
        return .answered
    }

    func respond(to exchange: ServerExchange) {
        let target = String(decoding: exchange.head.target, as: UTF8.self)
        events.note("request \(target)")
        if exchange.socks != nil { return respond(toSOCKS: exchange, target) }
        if let origin = exchange.origin {
            let prefix = origin.named(in: exchange.head)?.prefix ?? origin.prefix
            let text = "\(String(decoding: prefix, as: UTF8.self))\(target) \(origin.isNamed(in: exchange.head))"
            return exchange.respond(200, fields: Fields(), content: ByteChunk("<\(text)>"))
        }
        switch target {
        case "/hold": held.append(exchange)
        case "/wait":
            exchange.delegate = Waiting(events: events)
            held.append(exchange)
            exchange.requestContent(1 << 20)
        case "/late":
            exchange.delegate = Echo(events: events)
            held.append(exchange)
        case "/echo":
            exchange.delegate = Echo(events: events)
            exchange.requestContent(1 << 20)
        case "/drip":
            exchange.delegate = Echo(events: events, credit: 1)
            exchange.requestContent(1)
        case "/refuse": exchange.respond(ProblemDocument(status: 413, detail: "too much"))
        case "/stream":
            exchange.start(200, fields: Fields(), content: .unknown)
            for word in ["one", "two", "three"] { exchange.write(ByteChunk(word)) }
            var trailers = Fields()
            trailers.append(name: "X-Sum", value: "3")
            exchange.finish(trailers: trailers)
        case "/paced":
            exchange.limitRate(to: 1 << 20)
            exchange.respond(200, fields: Fields(), content: ByteChunk("paced"))
        case "/short":
            exchange.start(200, fields: Fields(), content: .length(10))
            exchange.write(ByteChunk("short"))
            exchange.finish()
        case "/long":
            exchange.start(200, fields: Fields(), content: .length(4))
            exchange.write(ByteChunk("longer"))
            exchange.finish()
        case "/cut":
            exchange.start(200, fields: Fields(), content: .unknown)
            exchange.write(ByteChunk("part"))
            exchange.cut()
        case "/empty":
            exchange.start(204, fields: Fields(), content: .none)
            exchange.finish()
        case "/interim":
            var hints = ResponseHead(status: 103)
            hints.fields.append(name: "Link", value: "</a.css>")
            exchange.sendInterim(hints)
            exchange.respond(200, fields: Fields(), content: ByteChunk("final"))
        case "/big":
            let source = Source(bytes: 16 << 20, events: events)
            exchange.delegate = source
            exchange.start(200, fields: Fields(), content: .length(16 << 20))
            source.produce(exchange)
        case "/take": takeOver(exchange)
        case "/inside", "/inside-late": goInside(exchange, later: target == "/inside-late")
        case "/secure": exchange.respond(200, fields: Fields(), content: ByteChunk("secure \(exchange.isSecure)"))
        default:
            if !respondFurther(to: exchange, target) {
                exchange.respond(200, fields: Fields(), content: ByteChunk("hello \(target)"))
            }
        }
    }

    func socksAccess(for peer: SocketAddress) -> SOCKSAccess { socksAccess }

    func didRefuse(_ fault: SOCKSFault, from peer: SocketAddress) { events.note("refused \(fault.rawValue)") }

    /// Answers by the port that a client of SOCKS names.
    private func respond(toSOCKS exchange: ServerExchange, _ target: String) {
        switch exchange.head.parts.port {
        case 1: exchange.respond(ProblemDocument(status: 403, detail: "no"))
        case 2: exchange.respond(ProblemDocument(status: 502, detail: "no"), status: ProxyStatus(error: .dnsError))
        case 3: held.append(exchange)
        case 80:
            exchange.start(200, fields: Fields(), content: .none)
            let origin = ConnectionOrigin(
                scheme: .http,
                host: Array(exchange.head.fields.bytes[exchange.head.parts.host]),
                port: 80,
                acceptsNames: exchange.socks == .address
            )
            exchange.takeOver()?.serveHTTP(for: origin)
        default: takeOver(exchange)
        }
    }

    private func takeOver(_ exchange: ServerExchange) {
        exchange.start(200, fields: Fields(), content: .unknown)
        if let tunnel = exchange.takeOver() { tunnel.stream.delegate = TunnelEcho(tunnel) }
    }

    /// Serves what comes behind as requests to one origin.
    private func goInside(_ exchange: ServerExchange, later: Bool) {
        exchange.start(200, fields: Fields(), content: .length(0))
        let origin = ConnectionOrigin(scheme: .http, host: Array("Inner.example".utf8), port: 80)
        guard let tunnel = exchange.takeOver() else { return }
        if later { tunnels.append(tunnel) } else { tunnel.serveHTTP(for: origin) }
    }

    /// Tunnels of `/inside-late`.
    private var tunnels: [ClientTunnel] = []

    func goInsideLate() {
        let origin = ConnectionOrigin(scheme: .https, host: Array("Inner.example".utf8), port: 444)
        for tunnel in tunnels { tunnel.serveHTTP(for: origin) }
        tunnels = []
    }

    func takeOverHeld() {
        for exchange in held { takeOver(exchange) }
        held = []
    }

    /// Asks for the content of the exchanges of `/late`.
    func requestContent() {
        for exchange in held { exchange.requestContent(1 << 20) }
        held = []
    }

    func release() {
        for exchange in held { exchange.respond(200, fields: Fields(), content: ByteChunk("released")) }
        held = []
    }
}

/// Waits until `release`, and notes when the client leaves.
final class Waiting: ServerExchangeDelegate {
    private let events: EventLog

    init(events: EventLog) { self.events = events }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) { events.note("content") }
    func exchangeDidLoseClient(_ exchange: ServerExchange) { events.note("lost") }
}

/// Sends the request content back once it is complete.
final class Echo: ServerExchangeDelegate {
    private var bytes: [UInt8] = []
    private let events: EventLog
    private let credit: Int?

    init(events: EventLog, credit: Int? = nil) {
        self.events = events
        self.credit = credit
    }

    func exchange(_ exchange: ServerExchange, didReceive chunk: ByteChunk) {
        bytes += chunk.bytes
        events.note("content")
        if let credit { exchange.requestContent(credit) }
    }

    func exchangeDidReceiveEnd(_ exchange: ServerExchange, trailers: Fields?) {
        var fields = Fields()
        if let trailers { fields.append(name: "X-Trailers", value: "\(trailers.lines.count)") }
        events.note("end")
        exchange.respond(200, fields: fields, content: ByteChunk(bytes))
    }

    func exchange(_ exchange: ServerExchange, didFailContent failure: RequestContentFailure) {
        events.note("failed \(failure.status)")
    }

    func exchangeDidLoseClient(_ exchange: ServerExchange) { events.note("lost") }
}

/// Produces as long as there is room.
final class Source: ServerExchangeDelegate {
    private static let piece = ByteChunk([UInt8](repeating: 0x78, count: 65536))
    private var left: Int
    private let events: EventLog

    init(bytes: Int, events: EventLog) {
        left = bytes
        self.events = events
    }

    func produce(_ exchange: ServerExchange) {
        while left > 0 {
            guard exchange.mayWrite else {
                events.note(exchange.unsentBytes > 400_000 ? "too much unsent" : "full")
                return
            }
            let chunk = Self.piece.prefix(left)
            left -= chunk.count
            exchange.write(chunk)
        }
        exchange.finish()
        events.note("produced")
    }

    func exchangeDidDrain(_ exchange: ServerExchange) { produce(exchange) }
    func exchangeDidLoseClient(_ exchange: ServerExchange) { events.note("lost") }
}

/// Sends back what comes through a tunnel, in brackets.
final class TunnelEcho: StreamDelegate {
    private let tunnel: ClientTunnel

    init(_ tunnel: ClientTunnel) { self.tunnel = tunnel }

    func stream(_ stream: Stream, didRead bytes: Span<UInt8>) -> Int {
        let bytes = [UInt8](copying: bytes)
        stream.append { $0 += Array("[".utf8) + bytes + Array("]".utf8) }
        return bytes.count
    }

    func stream(_ stream: Stream, didFail error: StreamError) {}
}
