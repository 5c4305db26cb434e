// Only what a program imports: this file compiles as long as one import is enough.
import Dispatch
import RespiteFoundation
import TestSupport
import Testing

private struct Item: Codable, Sendable {
    var title: String
}

private final class Screen: Sendable {}

@Suite("A program that imports RespiteFoundation alone")
struct SingleImportTests {
    @Test("it has services, resources, observers, requests, pipelines and values of the model (S-001)")
    func program() async throws {
        let origin = AnsweringOrigin { request in
            request.method == "GET"
                ? .init(200, [("Content-Type", "application/json")], #"{"title": "a", "note": null}"#) : .init(201)
        }
        let service = Service(baseURL: origin.url, networking: URLSessionNetworking(), name: "shop")
        service.configure("**") {
            $0.headers["Accept"] = "application/json"
            $0.expirationTime = .seconds(3600)
            $0.pipeline[.cleanup].removeTransformers()
        }
        let (resource, screen) = (service.resource("item"), Screen())
        resource.addObserver(owner: screen) { resource, change in
            if case .newData(.network) = change.event { #expect(!resource.jsonDict.isEmpty) }
        }
        #expect(try await resource.typed(Item.self).load().title == "a")
        #expect(resource.jsonDict["note"] is JSONNull && resource.uri.text == resource.url)
        let post: Method = .post
        let info: ResponseInfo = await resource.request(post, json: ["title": "b"]).outcome
        #expect(info.response.error == nil && resource.timestamp > Timestamp.epoch)
        #expect(RespiteLog.Category.common.contains(.network))
    }

    @Test("hooks and observers run on a dispatch queue that the program gives, in order (S-123)")
    func queue() async throws {
        let origin = AnsweringOrigin { _ in .init(200, [("Content-Type", "text/plain")], "abc") }
        let queue = DispatchQueue(label: "program", attributes: .concurrent)
        let key = DispatchSpecificKey<Bool>()
        queue.setSpecific(key: key, value: true)
        let service = Service(baseURL: origin.url, networking: URLSessionNetworking(), delivery: .queue(queue))
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        let request = service.resource("a").load()
        for number in 0..<20 {
            request.onSuccess { _ in continuation.yield("\(number) \(DispatchQueue.getSpecific(key: key) ?? false)") }
        }
        request.onCompletion { _ in continuation.finish() }
        var seen: [String] = []
        for await text in stream { seen.append(text) }
        #expect(seen == (0..<20).map { "\($0) true" })
    }
}
