import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles

/// One random course of events, every answer in it judged by the reference.
final class RandomSequence {
    private struct Waiting {
        let request: ReferenceCache.Request
        let client: Client
    }

    private struct Asked {
        let exchange: ScriptedExchange
        /// The request that caused it; as the load made of it, a GET.
        let cause: ReferenceCache.Request
        let sentAt: Int
        /// Its head has come.
        var isBegun = false
        /// What is to come behind the head.
        var content: [UInt8] = []
    }

    private struct Followed {
        let client: Client
        let number: Int
        let isPart: Bool
    }

    private let fault: Fault?
    private let isTold: Bool
    private let world = World()
    private var messages: RandomMessages
    private var reference = ReferenceCache()
    private var requests: [Int: ReferenceCache.Request] = [:]
    private var waiting: [Waiting] = []
    private var asked: [Asked] = []
    private var followed: [Followed] = []
    private var known = 0
    private var order = 0
    private var count = 0
    /// What happened, for people.
    private(set) var trace: [String] = []
    /// The first answer that is forbidden.
    private(set) var violation: String?
    /// Answers that were not the request's own response.
    private(set) var reuses = 0

    /// - Parameter isTold: whether there is to be a trace, which takes time.
    init(seed: UInt64, fault: Fault? = nil, isTold: Bool = false) {
        self.fault = fault
        self.isTold = isTold
        messages = RandomMessages(seed: seed)
    }

    private var now: Int { Int(world.timekeeper.wallNow.seconds) }

    func run(steps: Int) {
        for _ in 0..<steps where violation == nil { step() }
        // What is still open ends.
        for _ in 0..<100 where violation == nil && !asked.isEmpty { answer(0, mayFail: false, mayPause: false) }
    }

    private func step() {
        switch messages.random.number(0...99) {
        case 0..<45: request()
        case 45..<75:
            if !asked.isEmpty { answer(messages.random.number(0...(asked.count - 1)), mayFail: true, mayPause: true) }
        case 75..<93:
            let seconds = messages.random.pick([1, 2, 5, 9, 10, 11, 20, 29, 31, 60, 100])
            world.timekeeper.advance(by: .seconds(seconds))
            note("\(seconds) s later")
        default: change()
        }
        runUntilIdle()
    }

    private func note(_ text: @autoclosure () -> String) {
        if isTold { trace.append("\(now): \(text())") }
    }

    private static func text(_ lines: RandomMessages.Lines) -> String {
        lines.map { "\($0.0): \($0.1)" }.joined(separator: "; ")
    }

    // MARK: What clients do

    private func path() -> String { messages.random.chance(80) ? "/a" : "/b" }

    private func request() {
        let (path, lines) = (path(), messages.request())
        let method = messages.random.chance(8) ? "HEAD" : "GET"
        order += 1
        count += 1
        let truth = ReferenceCache.Request(
            number: count,
            method: method,
            path: path,
            fields: ReferenceFields(lines),
            time: now,
            order: order
        )
        requests[count] = truth
        note("client \(count): \(method) \(path) \(Self.text(lines))")
        let seen = (fault?.seen(lines) ?? lines) + [("X-Request-Number", "\(count)")]
        var request = world.request(path, seen, method: method == "HEAD" ? .head : .get)
        if fault == .ignoresCredentials {
            request.partitions = Partitions()
            request.profile.credentials = []
        }
        let client = Client(context: world.context)
        waiting.append(Waiting(request: truth, client: client))
        switch world.resource(path).serve(request, to: client) {
        case .answered(let answer, let waiter):
            client.note(waiter)
            client.take(answer)
        case .waiting(let waiter): client.note(waiter)
        }
    }

    /// A request with side effects succeeds.
    private func change() {
        let path = path()
        order += 1
        note("POST \(path) succeeds")
        reference.invalidate(path, order: order)
        if fault != .ignoresUnsafeMethods { world.service.resource(for: World.uri(path)).invalidate() }
    }

    // MARK: What the origin does

    private func answer(_ index: Int, mayFail: Bool, mayPause: Bool) {
        let asking = asked[index]
        order += 1
        if asking.isBegun {
            asked.remove(at: index)
            note("the response to \(asking.cause.number) ends")
            if !asking.content.isEmpty { asking.exchange.content(asking.content) }
            asking.exchange.end()
        } else if mayFail, messages.random.chance(14) {
            asked.remove(at: index)
            note("the connection for \(asking.cause.number) fails")
            reference.fail(asking.cause, at: now)
            asking.exchange.fail()
        } else if isConditional(asking), messages.random.chance(60) {
            asked.remove(at: index)
            notModified(asking)
        } else {
            respond(asking, index, mayPause: mayPause)
        }
        runUntilIdle()
    }

    private func isConditional(_ asking: Asked) -> Bool {
        asking.exchange.request.fields.contains(.ifNoneMatch)
            || asking.exchange.request.fields.contains(.ifModifiedSince)
    }

    private func sent(_ asking: Asked) -> ReferenceFields {
        var lines: RandomMessages.Lines = []
        for field in [KnownField.ifNoneMatch, .ifModifiedSince] {
            if let text = asking.exchange.value(of: field) {
                lines.append((field == .ifNoneMatch ? "If-None-Match" : "If-Modified-Since", text))
            }
        }
        return ReferenceFields(lines)
    }

    private func notModified(_ asking: Asked) {
        count += 1
        let sent = sent(asking)
        let lines = messages.notModified(
            count,
            offered: ReferenceSyntax.tags(sent.combined("if-none-match")),
            now: now
        )
        note("304 to \(asking.cause.number) \(Self.text(lines))")
        reference.receiveNotModified(
            count,
            ReferenceFields(lines),
            sent: sent,
            to: asking.cause,
            sentAt: asking.sentAt,
            at: now,
            order: order
        )
        asking.exchange.answer(304, fault?.seen(lines, is304: true) ?? lines)
    }

    private func respond(_ asking: Asked, _ index: Int, mayPause: Bool) {
        count += 1
        let number = count
        var status = messages.status()
        var lines = messages.response(number, now: now)
        let (range, ifRange) = (asking.exchange.value(of: .range), asking.exchange.value(of: .ifRange))
        if let ifRange, messages.random.chance(70) {
            lines.removeAll { $0.0 == "ETag" }
            lines.append(("ETag", ifRange))
        }
        var content = status == 204 ? [] : Self.whole(lines, number)
        if let wanted = ReferenceSyntax.ranges(range, length: Self.length), messages.random.chance(65) {
            let first = wanted.reduce(Self.length) { min($0, $1.lowerBound) }
            let part = first..<wanted.reduce(first) { max($0, $1.upperBound) }
            status = 206
            content = Array(Self.whole(lines, number)[part])
            lines.append(("Content-Range", messages.contentRange(part, length: Self.length)))
        }
        let pauses = mayPause && messages.random.chance(25)
        note("\(status) to \(asking.cause.number)\(pauses ? ", its head only," : "") \(Self.text(lines))")
        reference.receive(
            number,
            status,
            ReferenceFields(lines),
            content,
            to: asking.cause,
            asking: range,
            sentAt: asking.sentAt,
            at: now,
            order: order
        )
        let seen = fault?.seen(lines, ifRange: ifRange) ?? lines
        let shown = UInt16(fault?.seen(status) ?? status)
        if pauses {
            asked[index].isBegun = true
            asked[index].content = content
            asking.exchange.head(shown, seen)
        } else {
            asked.remove(at: index)
            asking.exchange.head(shown, seen, length: status == 204 ? nil : Int64(content.count))
            if !content.isEmpty { asking.exchange.content(content) }
            asking.exchange.end()
        }
    }

    private static let length = 8

    /// The content of a response: under a strong tag always the same, else of this response alone.
    private static func whole(_ lines: RandomMessages.Lines, _ number: Int) -> [UInt8] {
        let tag = lines.first { $0.0 == "ETag" }?.1
        let seed = tag.map { ReferenceSyntax.isStrong($0) ? Int($0.utf8.reduce(0) { $0 &+ $1 }) : number } ?? number
        return (0..<length).map { UInt8(truncatingIfNeeded: seed &* 37 &+ $0) }
    }

    // MARK: What the cache does

    private func runUntilIdle() {
        world.runUntilIdle()
        for exchange in world.provider.exchanges.dropFirst(known) { begin(exchange) }
        asked.removeAll { $0.exchange.isCancelled }
        let answered = waiting.filter { $0.client.answer != nil }
        waiting.removeAll { $0.client.answer != nil }
        for one in answered where violation == nil { judge(one) }
        for one in followed where violation == nil { judge(one) }
        followed.removeAll { $0.client.ending != nil }
    }

    /// What a client reads while it comes is one response's, and whole where it ends as such.
    private func judge(_ one: Followed) {
        let (bytes, ending) = (one.client.bytes, one.client.ending)
        let isRight = reference.contents(one.number, isPart: one.isPart).contains { content in
            ending == .complete ? content == bytes : content.starts(with: bytes)
        }
        if !isRight { forbid("a client reads bytes of \(one.number) that are not its content") }
    }

    private func begin(_ exchange: ScriptedExchange) {
        known += 1
        let name = Array("x-request-number".utf8)
        let number = exchange.request.fields.values(named: name).first.flatMap {
            Int(String(decoding: $0, as: UTF8.self))
        }
        guard let number, var cause = requests[number] else { return forbid("a request that nobody made is sent") }
        note("the origin is asked for \(number)")
        if Self.isOnlyIfCached(cause) { forbid("the origin is asked for \(number), which said only-if-cached") }
        cause.method = "GET"
        asked.append(Asked(exchange: exchange, cause: cause, sentAt: now))
    }

    private static func isOnlyIfCached(_ request: ReferenceCache.Request) -> Bool {
        request.fields.combined("cache-control")?.contains("only-if-cached") == true
    }

    private func forbid(_ text: String) {
        note("FORBIDDEN: \(text)")
        violation = violation ?? text
    }

    private func judge(_ one: Waiting) {
        let request = one.request
        switch one.client.answer {
        case .stored(let stored, _):
            let age = Int(stored.currentAge(at: world.timekeeper.now))
            let ranges = stored.extent.map { $0.ranges.map { Int($0.lowerBound)..<Int($0.upperBound) } } ?? []
            let content = ranges.count > 1 ? nil : (one.client.bytes, ranges.first)
            judge(request, stored.fields, age: age, sharing: false, content)
        case .assembling(let response, _, _):
            let age = Int(response.currentAge(at: world.timekeeper.now))
            // What it consists of is judged with the proxy, which puts it together.
            note("client \(request.number) gets parts, Age \(age)")
            if Self.isOnlyIfCached(request) { forbid("\(request.number) gets parts, which said only-if-cached") }
        case .following(let loaded, _):
            let age = Int(loaded.currentAge(at: world.timekeeper.now))
            let number = loaded.fields.values(named: Array("x-response".utf8)).first.flatMap {
                Int(String(decoding: $0, as: UTF8.self))
            }
            followed.append(Followed(client: one.client, number: number ?? 0, isPart: loaded.status == 206))
            judge(request, loaded.fields, age: age, sharing: true, nil)
        case .pass:
            note("client \(request.number) is passed")
            if Self.isOnlyIfCached(request) { forbid("\(request.number) is passed, which said only-if-cached") }
        case .failure, .refused, nil:
            note("client \(request.number) gets an error")
        }
    }

    private func judge(
        _ request: ReferenceCache.Request,
        _ fields: Fields,
        age: Int,
        sharing: Bool,
        _ content: (bytes: [UInt8], part: Range<Int>?)?
    ) {
        let got = ReferenceFields(
            fields.lines.map { line in
                (
                    String(decoding: fields.name(of: line), as: UTF8.self),
                    String(decoding: fields.value(of: line), as: UTF8.self)
                )
            }
        )
        guard let number = got.first("x-response").flatMap({ Int($0) }) else { return forbid("a response of nobody") }
        let update = got.first("x-update").flatMap { Int($0) }
        note("client \(request.number) gets \(number)\(update.map { " as updated by \($0)" } ?? ""), Age \(age)")
        if sharing, reference.isOwn(number, of: request) { return }
        reuses += 1
        if sharing, reference.mayShare(number, request) { return }
        // What a fault hides is not compared.
        let objection = reference.objection(
            to: request,
            getting: number,
            update,
            fields: fault == nil ? got : nil,
            age: fault == nil ? age : nil,
            content: content,
            at: now
        )
        if let objection { forbid("\(request.number) gets \(number): \(objection)") }
    }
}
