import Configurations
import Exchanges
import HTTPCaching
import HTTPCore
import ResourceDoubles
import Stores
import TestDoubles
import Transforms

@testable import ResourceCore

/// Makes the values of which a resource's state consists; nothing happens by itself.
struct Workbench {
    let world: World
    let resource: Resource

    init(_ configuration: Configuration = Configuration()) {
        world = World(configuration: configuration)
        resource = world.resource()
    }

    /// The context at this moment of the manual clock.
    var context: ResourceContext { resource.context }

    static func fields(_ lines: [(String, String)]) -> Fields {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        return fields
    }

    // MARK: Requests

    func request(_ lines: [(String, String)] = []) -> ClientRequest { world.request("/a", lines) }

    func waiting(_ request: ClientRequest? = nil) -> WaitingRequest {
        let link = ResourceLink(resource)
        let client = Client(context: world.context)
        return WaitingRequest(waiter: Waiter(request: request ?? self.request(), delegate: client, owner: link))
    }

    // MARK: Loads

    func load(_ number: UInt64 = 1, _ lines: [(String, String)] = []) -> Load {
        Load(
            number: number,
            sentAt: context.now,
            request: OriginRequest(method: .get, uri: resource.uri, fields: Self.fields(lines)),
            owner: ResourceLink(resource),
            provider: world.provider
        )
    }

    /// - Parameters:
    ///   - lines: the fields of the request that causes the load.
    ///   - vary: names in Vary that are known by then.
    func cause(
        _ lines: [(String, String)] = [],
        _ plan: LoadPlan = LoadPlan(forward: .uriMiss, isHitForMiss: false),
        isBackground: Bool = false,
        isPost: Bool = false,
        vary: String = ""
    ) -> LoadCause {
        LoadCause(
            plan,
            request: request(lines),
            sentAt: context.now,
            isBackground: isBackground,
            isPost: isPost,
            vary: VaryNames(vary.isEmpty ? Fields() : Self.fields([("Vary", vary)]))
        )
    }

    func record(_ number: UInt64 = 1, _ cause: LoadCause? = nil, leader: WaitingRequest? = nil) -> LoadRecord {
        LoadRecord(load(number), cause ?? self.cause(), leader: leader)
    }

    /// A body that has received so many bytes; it may be stored.
    func body(_ count: Int = 0, isComplete: Bool = false) -> GrowingBody {
        let body = GrowingBody(
            limits: GrowingBody.Limits(),
            expected: nil,
            isShared: true,
            granted: 1 << 20,
            makeWriter: { _ in nil },
            grant: { _ in },
            lostStore: {}
        )
        if count > 0 { body.append(ByteChunk([UInt8](repeating: 1, count: count))) }
        if isComplete { body.finish(trailers: nil) }
        return body
    }

    /// The judged head of a response to `cause`.
    func head(
        _ lines: [(String, String)] = [("Cache-Control", "max-age=60")],
        status: UInt16 = 200,
        length: Int64? = nil,
        body: GrowingBody? = nil,
        for cause: LoadCause? = nil,
        receivedStatus: UInt16? = nil
    ) -> ReceivedHead {
        let (cause, context) = (cause ?? self.cause(), context)
        let framing: Framing = length.map { .length($0) } ?? .chunked
        let head = ResponseHead(status: status, fields: Self.fields(lines), framing: framing)
        let judged = JudgedHead.judge(head, isStripped: true, cause, isDetached: false, context)
        let content: LoadedResponse.Content =
            body.map { .growing($0) } ?? .whole(ByteChunk("abc"), isShared: true)
        let response = judged.response(1, judged.fields, content, context)
        return judged.received(response, receivedStatus: receivedStatus, cause, context)
    }

    /// How the rest of a response with these fields is got; a part if the status is 206.
    func plan(
        _ lines: [(String, String)],
        status: UInt16 = 200,
        length: Int64? = 10,
        request: [(String, String)] = []
    ) -> CatchUpPlan {
        let isRanged = status == 206
        let cause = cause(request, LoadPlan(forward: .uriMiss, isHitForMiss: isRanged, isRanged: isRanged))
        let head = head(lines, status: status, length: length, for: cause)
        return CatchUpPlan(load(1, request), head.response, context)
    }

    // MARK: Stored responses

    /// A response that the load with this number brought now, to a request with the fields `request`.
    func stored(
        _ number: UInt64 = 1,
        _ lines: [(String, String)] = [("Cache-Control", "max-age=60")],
        to request: [(String, String)] = [],
        isLocal: Bool = false,
        isFrozen: Bool = false,
        _ change: (inout StoredRecord) -> Void = { _ in }
    ) -> StoredResponse {
        let context = context
        var record = StoredRecord(
            uri: context.uri,
            partition: .shared,
            selection: [],
            status: 200,
            reason: [],
            fields: Self.fields(lines),
            requestFields: Fields(),
            requestTime: context.wallNow,
            responseTime: context.wallNow,
            isInvalidated: false,
            body: .bytes(Array("abc".utf8))
        )
        change(&record)
        let metadata = record.judge(context.configuration.caching)
        if record.selection.isEmpty { record.selection = context.selection(metadata.vary, Self.fields(request)) }
        return StoredResponse(
            record: record,
            metadata: metadata,
            receivedAt: context.now,
            age: metadata.ageAtReceiptSeconds,
            isLocal: isLocal,
            isFrozen: isFrozen,
            loadNumber: number
        )
    }

    /// A part of a content of `total` bytes under a strong tag.
    func part(
        _ range: Range<Int64>,
        of total: Int64? = 10,
        tag: String = "\"v1\"",
        _ change: (inout StoredRecord) -> Void = { _ in }
    ) -> StoredResponse {
        stored(1, [("Cache-Control", "max-age=60"), ("ETag", tag)]) { record in
            record.status = 206
            record.extent = ContentExtent(range, total: total)
            record.body = .bytes([UInt8](repeating: 1, count: Int(range.upperBound - range.lowerBound)))
            change(&record)
        }
    }
}
