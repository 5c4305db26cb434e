import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import TestDoubles
import Testing

@testable import ResourceCore

@Suite("The loads of a resource, as a value")
struct LoadsTests {
    private let world = World()
    private let resource: Resource
    private let context: ResourceContext

    init() {
        resource = world.resource()
        context = resource.context
    }

    // MARK: Parts

    private func request(_ fields: [(String, String)] = []) -> ClientRequest {
        var list = Fields()
        for (name, value) in fields { list.append(name: name, value: value) }
        return ClientRequest(
            uri: resource.uri,
            fields: list,
            profile: RequestProfile(method: .get, fields: list, credentialFields: CredentialFields()),
            arrival: context.now,
            provider: world.provider
        )
    }

    private func waiting(_ request: ClientRequest? = nil) -> WaitingRequest {
        let link = ResourceLink(resource)
        let client = Client(context: world.context)
        return WaitingRequest(waiter: Waiter(request: request ?? self.request(), delegate: client, owner: link))
    }

    private func record(
        _ number: UInt64,
        isHitForMiss: Bool = false,
        isBackground: Bool = false,
        leader: WaitingRequest? = nil
    )
        -> LoadRecord
    {
        let load = Load(
            number: number,
            sentAt: context.now,
            request: OriginRequest(method: .get, uri: resource.uri, fields: Fields()),
            owner: ResourceLink(resource),
            provider: world.provider
        )
        let cause = LoadCause(
            LoadPlan(forward: .uriMiss, isHitForMiss: isHitForMiss),
            request: request(),
            sentAt: context.now,
            isBackground: isBackground,
            vary: VaryNames(Fields())
        )
        return LoadRecord(load, cause, leader: leader)
    }

    private func head(_ fields: [(String, String)] = [("Cache-Control", "max-age=60")]) -> ReceivedHead {
        var list = Fields()
        for (name, value) in fields { list.append(name: name, value: value) }
        let cause = record(0).cause
        let judged = JudgedHead.judge(
            ResponseHead(status: 200, fields: list),
            isStripped: true,
            cause,
            isDetached: false,
            context
        )
        let content = LoadedResponse.Content.whole(ByteChunk(Array("abc".utf8)), isShared: true)
        return judged.received(judged.response(1, list, content, context), cause, context)
    }

    private func number(_ joinable: Loads.Joinable?) -> UInt64? {
        if case .load(let number, _)? = joinable { number } else { nil }
    }

    private func joinable(_ loads: Loads, _ isHitForMiss: Bool = false) -> UInt64? {
        number(loads.joinable(by: request(), isHitForMiss: isHitForMiss, hasStored: false, context))
    }

    // MARK: Joining

    @Test("the newest load is joined; before its head a request waits, after it the request follows")
    func joining() {
        var loads = Loads()
        #expect(joinable(loads) == nil)
        loads.begin(record(1))
        loads.begin(record(2))
        #expect(joinable(loads) == 2)
        let first = waiting()
        guard case .waits? = loads.join(2, first, selection: []) else { Issue.record("does not wait"); return }
        #expect(loads[2]?.waiting.count == 1)
        let result = loads.receive(head(), at: 1)
        #expect(result.waiting.map(\.id) == [first.id] && loads[2]?.waiting.isEmpty == true)
        guard case .follows(let response, _)? = loads.join(2, waiting(), selection: []) else {
            Issue.record("does not follow")
            return
        }
        #expect(response.status == 200 && loads[2]?.followers.count == 1)
        #expect(loads.join(3, waiting(), selection: []) == nil, "there is no such load")
    }

    @Test("a load that is hit-for-miss, or detached, or all while the last response could not be shared, is not joined")
    func closed() {
        var loads = Loads()
        loads.begin(record(1, isHitForMiss: true))
        #expect(joinable(loads) == nil)
        loads.begin(record(2))
        #expect(joinable(loads) == 2 && joinable(loads, true) == nil)
        #expect(loads.detachAll() == [1, 2] && loads.detachAll().isEmpty)
        #expect(joinable(loads) == nil)
    }

    @Test("no more requests than the limit wait for one load")
    func full() {
        var configuration = Configuration()
        configuration.waiterLimit = 1
        let limited = World(configuration: configuration).resource().context
        var loads = Loads()
        loads.begin(record(1))
        _ = loads.join(1, waiting(), selection: [])
        let joinable = loads.joinable(by: request(), isHitForMiss: false, hasStored: false, limited)
        guard case .full? = joinable else { Issue.record("not full"); return }
    }

    // MARK: Interest

    private func isAbandoned(_ result: Loads.InterestResult?) -> Bool {
        if case .abandoned? = result { true } else { false }
    }
    private func isSpared(_ result: Loads.InterestResult?) -> Bool { if case .spared? = result { true } else { false } }

    @Test("a load is abandoned once the last request has left, unless it is observed or in the background")
    func interest() {
        var loads = Loads()
        let (leader, other) = (waiting(), waiting())
        loads.begin(record(1, leader: leader))
        _ = loads.join(1, other, selection: [])
        #expect(loads.leave(other.id)?.number == 1)
        guard case .wanted? = loads.reconsider(1, isObserved: false, context) else { Issue.record("unwanted"); return }
        #expect(loads.leave(leader.id)?.released?.id == leader.id && loads[1]?.leader == nil)
        #expect(loads.leave(leader.id) == nil)
        #expect(isSpared(loads.reconsider(1, isObserved: true, context)))
        #expect(isAbandoned(loads.reconsider(1, isObserved: false, context)) && loads.isEmpty)
        loads.begin(record(2, isBackground: true))
        #expect(isSpared(loads.reconsider(2, isObserved: false, context)))
    }

    private final class Caller: LoadCaller {
        func follow(_ load: Load) {}
        func loadDidEnd(_ outcome: LoadOutcome) {}
        func cancel(isServiceDropped: Bool) {}
    }

    @Test("a caller that leaves is gone from its own load, and that of another goes on")
    func callers() {
        var loads = Loads()
        let (first, second) = (SilentCaller(), SilentCaller())
        loads.begin(record(1))
        loads.begin(record(2))
        _ = loads.change(1) { $0.callers = [first] }
        _ = loads.change(2) { $0.callers = [second] }
        #expect(loads.leave(second) == 2)
        #expect(loads[1]?.callers.count == 1 && loads[2]?.callers.isEmpty == true)
        #expect(loads.leave(second) == nil && loads.leave(first) == 1)
    }

    @Test("a load ends once, and is complete only if its head has come")
    func ending() {
        var loads = Loads()
        loads.begin(record(1))
        loads.begin(record(2))
        #expect(loads.complete(1) == nil && loads.records.count == 2)
        _ = loads.receive(head(), at: 0)
        #expect(loads.complete(1)?.record.number == 1 && loads.complete(1) == nil)
        #expect(loads.end(2)?.number == 2 && loads.end(2) == nil && loads.isEmpty)
    }
}
