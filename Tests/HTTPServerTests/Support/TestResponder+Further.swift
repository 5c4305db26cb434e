import Eventing
import Glibc
import HTTPCore
import HTTPServer

/// Notes how an exchange ended: whether whole, its status, and the bytes of both contents.
final class EndRecorder: ExchangeRecorder {
    private let events: EventLog

    init(events: EventLog) { self.events = events }

    func exchangeDidEnd(_ exchange: ServerExchange, isComplete: Bool) {
        let status = exchange.status.map { "\($0)" } ?? "-"
        events.note("ended \(isComplete) \(status) \(exchange.receivedBytes) \(exchange.contentBytes)")
    }
}

/// The program's own file, of which bytes 1 to 3 are `ELF`.
private final class OwnProgram: Sendable {
    let descriptor = open("/proc/self/exe", O_RDONLY | O_CLOEXEC)

    deinit { close(descriptor) }

    static var name: FileRegion {
        let program = OwnProgram()
        return FileRegion(owner: program, descriptor: program.descriptor, offset: 1, count: 3)
    }
}

extension TestResponder {
    /// Answers targets below `/fast` whose content has come whole, with that content.
    func answerNow(
        _ head: RequestHead,
        content: Span<UInt8>,
        on connection: ServerConnection,
        into output: inout [UInt8]
    ) -> FastPathResult {
        guard String(decoding: head.target, as: UTF8.self) == "/fast-echo" else { return .unhandled }
        let body = Array("at once: ".utf8) + [UInt8](copying: content)
        HeadSerializer.appendResponse(
            status: 200,
            fields: Fields(),
            framing: .length(Int64(body.count)),
            connection: connection.closesAfterThisRequest ? .close : .none,
            to: &output
        )
        output += body
        return .answered
    }

    func answerWithFile(on connection: ServerConnection, into output: inout [UInt8]) -> FastPathResult {
        HeadSerializer.appendResponse(status: 200, fields: Fields(), framing: .length(3), to: &output)
        return .answeredWithFile(OwnProgram.name)
    }

    /// Answers some further targets; false for others.
    func respondFurther(to exchange: ServerExchange, _ target: String) -> Bool {
        if target.hasPrefix("/recorded") { exchange.recorder = EndRecorder(events: events) }
        switch target {
        case "/fast-echo":
            exchange.delegate = Echo(events: events)
            exchange.requestContent(1 << 20)
        case "/recorded-echo":
            exchange.delegate = Echo(events: events)
            exchange.requestContent(1 << 20)
            exchange.requestContent(1 << 20)
        case "/recorded-cut":
            exchange.start(200, fields: Fields(), content: .length(10))
            exchange.write(ByteChunk("cut"))
            exchange.cut()
        case "/recorded-hold": held.append(exchange)
        case "/recorded-tunnel":
            exchange.start(200, fields: Fields(), content: .unknown)
            if let tunnel = exchange.takeOver() { tunnel.stream.delegate = TunnelEcho(tunnel) }
            events.note("taken \(exchange.takeOver() == nil)")
        case "/recorded-file", "/recorded-file-chunked", "/recorded-file-long": sendFile(exchange, target)
        case "/recorded-paced", "/recorded-paced-file": sendAtPace(exchange, hasFile: target.hasSuffix("file"))
        case "/recorded-twice":
            exchange.start(201, fields: Fields(), content: .length(2))
            exchange.start(500, fields: Fields(), content: .length(5))
            exchange.limitRate(to: 1)
            exchange.write(ByteChunk("ok"))
            exchange.finish()
            exchange.write(ByteChunk("late"))
            exchange.finish()
            exchange.cut()
        case "/last":
            exchange.closeAfterResponse()
            exchange.respond(200, fields: Fields(), content: ByteChunk("last"))
        case "/not-last":
            exchange.start(200, fields: Fields(), content: .length(1))
            exchange.closeAfterResponse()
            exchange.write(ByteChunk("1"))
            exchange.finish()
        case "/dated":
            var fields = Fields()
            fields.append(.date, "Thu, 01 Jan 1970 00:00:00 GMT")
            exchange.respond(200, fields: fields, content: ByteChunk("dated"))
        case "/mute":
            exchange.stayWithoutResponse()
            held.append(exchange)
            events.note("mute \(exchange.isOpen)")
        case "/switch":
            exchange.start(101, fields: Fields(), content: .none, upgrade: Array("echo".utf8))
            if let tunnel = exchange.takeOver() { tunnel.stream.delegate = TunnelEcho(tunnel) }
        case "/unsent":
            exchange.respond(200, fields: Fields(), content: ByteChunk("\(exchange.unsentBytes) bytes unsent"))
        case "/changed":
            exchange.change { $0.append(name: "X-One", value: "1") }
            exchange.change { $0.append(name: "X-Two", value: "2") }
            let counts = exchange.withFields { $0.lines.count } - exchange.head.fields.lines.count
            exchange.respond(200, fields: Fields(), content: ByteChunk("changed by \(counts)"))
        case "held.example:1": held.append(exchange)
        case "refused.example:1":
            exchange.respond(
                ProblemDocument(status: 502, detail: "no route to it"),
                status: ProxyStatus(error: .destinationIPUnroutable),
                fields: [(.retryAfter, "7")]
            )
        default: return false
        }
        return true
    }

    private func sendFile(_ exchange: ServerExchange, _ target: String) {
        switch target {
        case "/recorded-file": exchange.start(200, fields: Fields(), content: .length(3))
        case "/recorded-file-long": exchange.start(200, fields: Fields(), content: .length(2))
        default: exchange.start(200, fields: Fields(), content: .unknown)
        }
        exchange.write(OwnProgram.name)
        exchange.finish()
    }

    /// Three parts, which are all noted as content at once, but leave later.
    private func sendAtPace(_ exchange: ServerExchange, hasFile: Bool) {
        exchange.limitRate(to: 1 << 20)
        exchange.start(200, fields: Fields(), content: .unknown)
        exchange.write(ByteChunk("one"))
        exchange.write(ByteChunk(""))
        if hasFile { exchange.write(OwnProgram.name) }
        exchange.write(ByteChunk("two"))
        var trailers = Fields()
        trailers.append(name: "X-Sum", value: "2")
        exchange.finish(trailers: trailers)
        exchange.write(ByteChunk("late"))
        events.note("paced \(exchange.isOpen) \(exchange.contentBytes) \(exchange.mayWrite)")
    }
}
