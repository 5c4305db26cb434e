import Foundation
import ResourceCore
import ResourceModel
import RespiteFoundation
import TestSupport
import Testing

private struct User: Codable, Sendable, Equatable {
    var name: String
}

/// Counts the decoders that were made: one for each decoding.
private struct Decoders: Sendable {
    private let made = Tally()

    var count: Int { made.value }

    @Sendable func make() -> JSONDecoder {
        made.add()
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }
}

private final class Owner: Sendable {}

@Suite("Typed resources: decoding once, observing")
struct TypedObservingTests {
    private static let json = ("Content-Type", "application/json")

    private let origin = AnsweringOrigin { request in
        if request.fields["if-none-match"] != nil { return .init(304, [("ETag", "\"1\"")], "") }
        return switch request.target {
        case "/empty": .init(200, [Self.json], "[]")
        case "/odd": .init(200, [Self.json], #"{"nom": "?"}"#)
        default: .init(200, [Self.json, ("ETag", "\"1\"")], #"{"name": "Anna"}"#)
        }
    }

    private func resource(
        _ path: String = "user",
        _ transformers: [StandardTransformer] = StandardTransformer.all
    ) -> Resource {
        let service = Service(
            baseURL: origin.url,
            standardTransformers: transformers,
            networking: URLSessionNetworking()
        )
        // Longer than any test takes.
        service.configure { $0.expirationTime = .seconds(3600) }
        return service.resource(path)
    }

    @Test(
        "a view decodes each content once, by the program's decoder, whatever the pipeline left of it (S-127)",
        arguments: [StandardTransformer.all, []]
    )
    func once(transformers: [StandardTransformer]) async throws {
        let decoders = Decoders()
        let resource = resource("user", transformers)
        let user = resource.typed(User.self, decoder: decoders.make)
        #expect(try await user.load() == User(name: "Anna"))
        #expect(user.latestData?.name == "Anna" && user.latestEntity?.etag == "\"1\"")
        #expect(try await user.loadIfNeeded().name == "Anna")
        #expect(decoders.count == 1)
        // A 304 leaves the content.
        #expect(try await user.loaded().name == "Anna")
        #expect(decoders.count == 1 && origin.requests.count == 2)
        resource.overrideLocalContent(["name": "Ben"] as [String: any Sendable])
        #expect(user.latestData?.name == "Ben" && user.latestData?.name == "Ben")
        #expect(decoders.count == 2)
    }

    @Test("what cannot be decoded is tried once, too, and is an error")
    func undecodable() async throws {
        let decoders = Decoders()
        let odd = resource("odd").typed(User.self, decoder: decoders.make)
        await #expect(throws: RequestError.self) { try await odd.load() }
        #expect(odd.latestData == nil && odd.latestError?.cause is DecodingError)
        #expect(decoders.count == 1)
    }

    @Test("an empty list is decoded as one")
    func emptyList() async throws {
        #expect(try await resource("empty").typed([User].self).load().isEmpty)
    }

    @Test("observers of a view get each event with the value after it (S-205, S-209)")
    func observing() async throws {
        let (user, owner) = (resource().typed(User.self), Owner())
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        user.addObserver(owner: owner) { user, change in
            let error = change.latestError == nil ? "" : " error"
            continuation.yield("\(change.event) \(change.latestData?.name ?? "-") \(change.isLoading)\(error)")
        }
        _ = try await user.load()
        user.resource.overrideLocalContent("text")
        user.removeObservers(ownedBy: owner)
        var seen: [String] = []
        for await text in stream {
            seen.append(text)
            if seen.count == 4 { break }
        }
        #expect(
            seen == [
                "observerAdded - false", "requested - true", "newData(network) Anna false",
                "newData(localOverride) - false error",
            ]
        )
    }

    @MainActor private final class Screen {
        var names: [String] = []

        func show(_ user: TypedResource<User>) {
            user.addMainActorObserver(owner: self) { [weak self] _, change in
                MainActor.assertIsolated()
                if let name = change.latestData?.name { self?.names.append(name) }
            }
        }
    }

    @Test("observers of a view on the main actor run there (S-205)")
    @MainActor func mainActor() async throws {
        let service = Service(baseURL: origin.url, networking: URLSessionNetworking(), delivery: .mainActor)
        let (user, screen) = (service.resource("user").typed(User.self), Screen())
        screen.show(user)
        _ = try await user.load()
        #expect(screen.names == ["Anna"])
    }

    @Test("the values of a view are a sequence: what is known, then what replaces it (S-206)")
    func values() async throws {
        let user = resource().typed(User.self)
        user.resource.overrideLocalContent(["name": "Ben"] as [String: any Sendable])
        var names: [String] = []
        for await value in user.values {
            names.append(value.name)
            switch names.count {
            case 1:
                user.resource.overrideLocalContent("no user")
                _ = try await user.load()
            case 2:
                // A confirmation is no new value.
                _ = try await user.load()
                user.resource.overrideLocalContent(User(name: "Cleo"))
            default: break
            }
            if names.count == 3 { break }
        }
        #expect(names == ["Ben", "Anna", "Cleo"])
    }
}
