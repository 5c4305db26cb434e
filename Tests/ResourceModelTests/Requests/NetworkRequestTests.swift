import ResourceDoubles
@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel
import HTTPCore
import TestDoubles
import Testing
import Transforms

@Suite("Requests: over the network")
struct NetworkRequestTests {
    @Test("a plain request is started as it is returned and brings new data (T-045, S-118)")
    func plain() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let log = HookLog(world.resource().request(.get))
        #expect(world.networking.requests.map(\.method) == [.get])
        #expect(world.networking.requests[0].url == World.uri("/a") && world.networking.requests[0].body == nil)
        world.runUntilIdle()
        #expect(log.notes.value.contains("newData abc"))
    }

    @Test(
        "a response without content succeeds with no bytes (T-046, S-153)",
        arguments: [(.head, 200), (.post, 204)] as [(Method, UInt16)]
    )
    func withoutContent(method: Method, status: UInt16) {
        let world = ProgramWorld { _ in .answer(status, [("Content-Type", "application/json")], nil) }
        let request = world.resource().request(method)
        world.runUntilIdle()
        #expect(request.result?.response.entity?.content as? [UInt8] == [])
        #expect(request.result?.response.error == nil)
    }

    @Test("configured fields are sent; they are chosen by the method asked for (T-047, S-050)")
    func configuredFields() {
        let world = ProgramWorld { _ in .answer() }
        world.service.configure { $0.headers["X-Tag"] = "v1" }
        world.service.configure(requestMethods: [.post]) { $0.headers["X-Post"] = "yes" }
        world.resource().request(.get)
        world.resource().request(.post) { $0.method = .get }
        let fields = world.networking.requests
        #expect(fields.map { $0[field: "x-tag"] } == ["v1", "v1"])
        #expect(fields.map { $0[field: "X-Post"] } == [nil, "yes"])
        #expect(fields.map(\.method) == [.get, .get])
    }

    @Test("configured mutations run once for each request (T-048, S-051)")
    func mutations() {
        let world = ProgramWorld { _ in .answer() }
        let text = LockedBox("")
        world.service.configure { configuration in
            configuration.mutateRequests { request in
                request[field: "X-Count"] = text.change {
                    $0 += "x"
                    return $0
                }
            }
        }
        for _ in 0..<3 { world.resource().request(.get) }
        #expect(world.networking.requests.map { $0[field: "X-Count"] } == ["x", "xx", "xxx"])
    }

    @Test("a mutation may change the content and its fields (T-049, S-051)")
    func mutatedContent() {
        let world = ProgramWorld { _ in .answer() }
        world.service.configure { configuration in
            configuration.mutateRequests { request in
                request.body?.append(0x21)
                request[field: "Content-Length"] = request.body.map { "\($0.count)" }
            }
        }
        world.resource().request(.post, data: [1, 2, 3], contentType: "application/x-sample")
        #expect(world.networking.requests[0].body == [1, 2, 3, 0x21])
        #expect(world.networking.requests[0][field: "content-length"] == "4")
    }

    @Test("fields, convenience, ad hoc mutation and configured mutations come in this order (S-110, S-051)")
    func order() {
        let world = ProgramWorld { _ in .answer() }
        world.service.configure { configuration in
            configuration.headers["X-Order"] = "configured"
            configuration.mutateRequests { $0[field: "X-Order"]?.append(" first") }
            configuration.mutateRequests { $0[field: "X-Order"]?.append(" second") }
        }
        world.resource().request(.get) { $0[field: "X-Order"]?.append(" adhoc") }
        #expect(world.networking.requests[0][field: "X-Order"] == "configured adhoc first second")
    }

    @Test("mutations are the original method's; decorators and pipeline the final method's (S-052)")
    func methods() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let notes = LockedBox<[String]>([])
        for method in [Method.get, .post] {
            world.service.configure(requestMethods: [method]) { configuration in
                configuration.mutateRequests { request in
                    notes.change { $0.append("mutation \(method.text)") }
                    request.method = .post
                }
                configuration.decorateRequests { _, request in
                    notes.change { $0.append("decorator \(method.text)") }
                    return request
                }
                configuration.pipeline[.parsing].add(NotingTransformer(notes, "pipeline \(method.text)"))
            }
        }
        let request = world.resource().request(.get)
        world.runUntilIdle()
        #expect(notes.value == ["mutation GET", "decorator POST", "pipeline POST"])
        #expect(request.result?.origin?.method == .post)
    }

    @Test("an ad hoc mutation may turn a DELETE with data into a POST (T-241, S-112)")
    func adHocMethod() {
        let world = ProgramWorld { _ in .answer() }
        world.resource().request(.delete, data: [1], contentType: "application/x-sample") { $0.method = .post }
        #expect(world.networking.requests[0].method == .post && world.networking.requests[0].body == [1])
    }

    @Test("each decorator gets what the one before returned, with the resource; the caller gets the last (S-053)")
    func decorators() {
        let world = ProgramWorld { _ in .answer(200, [], "abc") }
        let resources = LockedBox<[UInt64]>([])
        let fixed = Resource.failedRequest(returning: RequestError(userMessage: "closed"))
        let seen = LockedBox<Request?>(nil)
        world.service.configure { configuration in
            configuration.decorateRequests { resource, _ in
                resources.change { $0.append(resource.id) }
                return fixed
            }
            configuration.decorateRequests { resource, request in
                resources.change { $0.append(resource.id) }
                seen.change { $0 = request }
                return request
            }
        }
        let resource = world.resource()
        #expect(resource.request(.post) === fixed && seen.value === fixed)
        #expect(resources.value == [resource.id, resource.id] && world.networking.exchanges.isEmpty)
    }

    @Test("a status from 400 on, or a transport error, is a failure with the content that came (S-151, S-152)")
    func failures() {
        struct Broken: Error {}
        let world = ProgramWorld { request in
            switch request.method {
            case .get: return .answer(404, [("Content-Type", "text/x-why")], "gone")
            case .put: return .answer(399, [], "fine")
            case .head: return .answer(400)
            default:
                var result = NetworkingResult.answer(200, [], "part")
                result.error = Broken()
                return result
            }
        }
        let get = world.resource().request(.get), put = world.resource().request(.put)
        let head = world.resource().request(.head), post = world.resource().request(.post)
        world.runUntilIdle()
        let error = get.result?.response.error
        #expect(error?.httpStatusCode == 404 && error?.entity?.contentType == "text/x-why" && error?.cause == nil)
        #expect(error?.userMessage == "Not found" && get.result?.response.contentText == "gone")
        #expect(put.result?.response.error == nil)
        #expect(head.result?.response.error?.httpStatusCode == 400 && head.result?.response.entity == nil)
        #expect(post.result?.response.error?.cause is Broken && post.result?.response.error?.httpStatusCode == 200)
        #expect(post.result?.response.contentText == "part")
    }

    @Test("not modified without data is a failure; the pipeline does not run (S-098)")
    func notModifiedWithoutData() {
        let world = ProgramWorld { _ in .answer(304) }
        let runs = LockedBox(0)
        world.service.configure { $0.pipeline[.parsing].add(CountingTransformer(runs)) }
        let request = world.resource().request(.get)
        world.runUntilIdle()
        #expect(request.result?.response.error?.cause is RequestError.Cause.NoLocalDataFor304)
        #expect(runs.value == 0)
    }

    @Test("every other response runs through the pipeline once, whose output decides (S-155, S-171, S-172)")
    func pipeline() {
        let world = ProgramWorld { .answer($0.method == .get ? 200 : 500, [], "abc") }
        let runs = LockedBox(0)
        world.service.configure { configuration in
            configuration.pipeline[.parsing].add(CountingTransformer(runs))
            configuration.pipeline[.model].add(InvertingTransformer())
        }
        let get = world.resource().request(.get), post = world.resource().request(.post)
        HookLogs.attachMany(to: get)
        world.runUntilIdle()
        #expect(get.result?.response.error?.userMessage == "inverted")
        #expect(post.result?.response.contentText == "inverted" && post.result?.response.error == nil)
        #expect(runs.value == 2)
    }

    @Test("errors and entities are dated by the service's clock (S-164, S-080)")
    func dates() {
        let world = ProgramWorld { .answer($0.method == .get ? 200 : 500) }
        let get = world.resource().request(.get), post = world.resource().request(.post)
        world.runUntilIdle()
        let now = Timestamp(world.timekeeper.wallNow)
        #expect(get.result?.response.entity?.timestamp == now)
        #expect(post.result?.response.error?.timestamp == now)
        #expect(post.result?.response.error?.time == world.timekeeper.now)
    }

    @Test("a service without a provider fails each request")
    func noProvider() {
        let world = World()
        world.service.defaultProvider = nil
        let request = world.resource().request(.get)
        #expect(request.result?.response.error?.cause is RequestError.Cause.Network)
    }

    @Test("field values cannot end their line; names that are none are left out")
    func safeFields() {
        var request = HTTPRequest(method: .get, url: World.uri("/a"))
        request[field: "X-A"] = " one\r\nX-B: two\0 "
        request[field: "bad name"] = "x"
        #expect(request[field: "x-a"] == "one  X-B: two" && request.fields.lines.count == 1)
        request.fields.append(name: "X-A", value: "three")
        #expect(request[field: "X-A"] == "one  X-B: two, three")
        request.setValue("four", forField: "x-A")
        #expect(request[field: "X-A"] == "four" && request.fields.lines.count == 1)
        request[field: "X-A"] = nil
        #expect(request.fields.isEmpty && request[field: "X-A"] == nil)
        request[field: "X-A"] = " "
        #expect(request[field: "X-A"] == "")
    }
}

/// Hooks by the dozen.
enum HookLogs {
    static func attachMany(to request: Request) { for _ in 0..<12 { request.onCompletion { _ in } } }
}

private struct NotingTransformer: ResponseTransformer {
    let notes: LockedBox<[String]>
    let note: String

    init(_ notes: LockedBox<[String]>, _ note: String) {
        self.notes = notes
        self.note = note
    }

    func process(_ response: Response) -> Response {
        notes.change { $0.append(note) }
        return response
    }
}

/// Successes fail, failures succeed.
private struct InvertingTransformer: ResponseTransformer {
    func process(_ response: Response) -> Response {
        switch response {
        case .success: .failure(RequestError(userMessage: "inverted"))
        case .failure: .success(Entity(content: "inverted", contentType: "text/plain"))
        }
    }
}
