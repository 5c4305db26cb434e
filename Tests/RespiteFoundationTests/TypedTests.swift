import Foundation
import ResourceCore
import ResourceModel
import RespiteFoundation
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var name: String
    var age: Int?
}

@Suite("Typed resources")
struct TypedTests {
    private let origin = AnsweringOrigin { request in
        switch request.target {
        case "/users/1":
            .init(
                200,
                [("Content-Type", "application/json"), ("Cache-Control", "max-age=86400")],
                #"{"name": "Anna", "age": 7}"#
            )
        case "/users":
            .init(200, [("Content-Type", "application/json")], #"[{"name": "Anna"}, {"name": "Ben"}]"#)
        case "/odd": .init(200, [("Content-Type", "application/json")], #"{"nom": "?"}"#)
        default: .init(404, [("Content-Type", "application/json")], #"{"reason": "unknown"}"#)
        }
    }

    private func service() -> Service {
        Service(baseURL: origin.url, networking: URLSessionNetworking())
    }

    @Test("a typed view loads and shows values of the program's")
    func view() async throws {
        let user = service().resource("users/1").typed(User.self)
        #expect(user.latestData == nil)
        #expect(try await user.load() == User(name: "Anna", age: 7))
        #expect(user.latestData == User(name: "Anna", age: 7))
        #expect(user.latestEntity?.contentType == "application/json")
        #expect(try await user.loadIfNeeded().age == 7)
        #expect(
            try await service().resource("users").typed([User].self).load().map(\.name) == [
                "Anna", "Ben",
            ]
        )
        #expect(origin.requests.count == 2)
    }

    @Test("a Decodable transformer decodes once per response, and leaves errors readable (S-175)")
    func transformer() async throws {
        let service = service()
        service.configureTransformer("/users/*", decoding: User.self)
        let resource = service.resource("users/1")
        let entity = try await resource.load().entity
        #expect(entity.content as? User == User(name: "Anna", age: 7))
        #expect(resource.typed(User.self).latestData?.name == "Anna")
        let error = await service.resource("users/2").load().outcome.response.error
        #expect(error?.jsonDict["reason"] as? String == "unknown")
    }

    @Test("what cannot be decoded is an error with the decoder's as cause (S-175)")
    func undecodable() async throws {
        let service = service()
        await #expect(throws: RequestError.self) {
            try await service.resource("odd").typed(User.self).load()
        }
        service.configureTransformer("/odd", decoding: User.self)
        let error = await service.resource("odd").load().outcome.response.error
        #expect(error?.cause is DecodingError)
    }

    @Test("content of another kind is no value (S-176)")
    func mismatch() async throws {
        let resource = service().resource("x")
        resource.overrideLocalContent("text")
        #expect(resource.typed(User.self).latestData == nil)
        resource.overrideLocalContent(User(name: "Mine"))
        #expect(resource.typed(User.self).latestData?.name == "Mine")
    }

    @Test("the error of a load is told before that of content which is no value, and is remembered (S-071, S-086)")
    func latestErrors() async throws {
        let service = service()
        // Longer than any test takes.
        service.configure { $0.retryTime = .seconds(3600) }
        let resource = service.resource("missing")
        let user = resource.typed(User.self)
        #expect(user.latestError == nil && user.latestData == nil)
        resource.overrideLocalContent("text")
        let cause = user.latestError?.cause as? RequestError.Cause.WrongInputTypeInTranformerPipeline
        #expect(cause?.expectedType == User.self && cause?.actualType == String.self)
        #expect(user.latestError?.userMessage.hasPrefix("The content is of type String, but ") == true)
        let failure = await #expect(throws: RequestError.self) { try await user.load() }
        #expect(failure?.httpStatusCode == 404 && user.latestError?.httpStatusCode == 404)
        #expect(user.latestData == nil && !user.isLoading)
        let none = service.resource("none").typed(User.self)
        for _ in 0..<2 {
            let error = await #expect(throws: RequestError.self) { try await none.loadIfNeeded() }
            #expect(error?.httpStatusCode == 404)
        }
        #expect(origin.requests.map(\.target) == ["/missing", "/none"])
    }
}
