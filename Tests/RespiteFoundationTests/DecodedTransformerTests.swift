import Foundation
import ResourceCore
import ResourceModel
import RespiteFoundation
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var name: String
}

@Suite("Transformers that ask for what stages do not bring")
struct DecodedTransformerTests {
    private let origin = AnsweringOrigin { request in
        let fields = [("Content-Type", "application/json")]
        return switch request.target {
        case "/user": .init(200, fields, #"{"name": "Anna"}"#)
        case "/odd": .init(200, fields, #"{"nom": "?"}"#)
        case "/text": .init(200, [("Content-Type", "text/plain")], "abc")
        case "/none": .init(204, fields, "")
        default: .init(404, fields, #"{"name": "nobody"}"#)
        }
    }

    private func service(_ transformers: [StandardTransformer] = StandardTransformer.all) -> Service {
        Service(baseURL: origin.url, standardTransformers: transformers, networking: URLSessionNetworking())
    }

    @Test("a closure that decodes Data gets it, with the standard transformers, too; errors stay readable (S-055)")
    func data() async throws {
        let service = service()
        service.configureTransformer("/*") { try JSONDecoder().decode(User.self, from: $0.content) }
        let user: User? = try await service.resource("user").loaded().content as? User
        #expect(user == User(name: "Anna"))
        let missing = await service.resource("missing").load().outcome.response.error
        #expect(missing?.httpStatusCode == 404 && missing?.jsonDict["name"] as? String == "nobody")
        let odd = await service.resource("odd").load().outcome.response.error
        #expect(odd?.cause is DecodingError)
    }

    @Test("with transformErrors it gets the content of errors, too (S-177)")
    func dataOfErrors() async throws {
        let service = service()
        service.configureTransformer("/*", transformErrors: true) {
            try JSONDecoder().decode(User.self, from: $0.content)
        }
        let error = await service.resource("missing").load().outcome.response.error
        #expect(error?.httpStatusCode == 404 && error?.entity?.content as? User == User(name: "nobody"))
    }

    @Test("a closure that makes a Decodable of bytes gets the bytes (S-055)")
    func bytes() async throws {
        let service = service()
        service.configureTransformer("/*") { (entity: Entity<[UInt8]>) in
            try JSONDecoder().decode(User.self, from: Data(entity.content))
        }
        #expect(try await service.resource("user").loaded().content as? User == User(name: "Anna"))
    }

    @Test(
        "a closure with a Decodable as input gets it decoded from bytes or JSON (S-055)",
        arguments: [StandardTransformer.all, []]
    )
    func input(transformers: [StandardTransformer]) async throws {
        let service = service(transformers)
        service.configureTransformer("/*") { (entity: Entity<User>) in entity.content.name.count }
        #expect(try await service.resource("user").loaded().content as? Int == 4)
        let odd = await service.resource("odd").load().outcome.response.error
        #expect(odd?.cause is DecodingError)
        let empty = try await service.resource("none").loaded()
        #expect(empty.content as? [UInt8] == [])
        // Content of errors is not for it.
        let missing = await service.resource("missing").load().outcome.response.error
        #expect(missing?.httpStatusCode == 404 && missing?.entity?.content as? Int == nil)
    }

    @Test("a value that an earlier stage made is not decoded again (S-176)")
    func madeBefore() async throws {
        let service = service()
        service.configureTransformer("/user", decoding: User.self)
        service.configureTransformer("/user") { (entity: Entity<User>) in User(name: entity.content.name + "!") }
        #expect(try await service.resource("user").loaded().content as? User == User(name: "Anna!"))
    }

    @Test("text and what may be skipped are as before (S-176)")
    func others() async throws {
        let service = service()
        service.configureTransformer("/*") { (entity: Entity<String>) in entity.content.count }
        #expect(try await service.resource("text").loaded().content as? Int == 3)
        let wrong = await service.resource("user").load().outcome.response.error
        #expect(wrong?.cause is RequestError.Cause.WrongInputTypeInTranformerPipeline)
        service.configureTransformer("/*", onInputTypeMismatch: .skip) { (entity: Entity<User>) in entity.content.name }
        #expect(try await service.resource("user").loaded().jsonDict["name"] as? String == "Anna")
    }

    @Test("a response without content is not decoded (S-252)")
    func withoutContent() async throws {
        let service = service()
        service.configureTransformer("/none", decoding: User.self)
        #expect(try await service.resource("none").loaded().content as? [UInt8] == [])
    }

    @Test("what is decoded is told by its type, for the methods that it is for (S-049)")
    func described() {
        let service = service()
        service.configureTransformer("/a", decoding: [Int].self)
        service.configureTransformer("/b", decoding: [Int].self, requestMethods: [.post])
        func tells(_ path: String, _ method: Method) -> Bool {
            "\(service.resource(path).configuration(for: method))".contains("[decoding Array<Int>]")
        }
        #expect(tells("a", .get) && tells("a", .options) && tells("b", .post) && !tells("b", .get))
    }
}
