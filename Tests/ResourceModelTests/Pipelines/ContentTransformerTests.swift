@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel
import HTTPCore
import TestDoubles
import Testing
import Transforms

/// Transformers that programs bring: full ones and typed ones.
@Suite("Transformers of programs") struct ContentTransformerTests {
    private struct OwnError: Error, Equatable {
        var number: Int
    }

    private static let model = ResponseContentTransformer { (entity: Entity<String>) in Model(name: entity.content) }

    @Test("a full transformer runs once for a response and may change the content (T-102, S-178, S-171)")
    func full() {
        let suffix = FullTransformer.suffix("!")
        let response = TransformedLoad { $0[.model].add(suffix) }("abc", "text/plain")
        #expect(response.text == "abc!" && suffix.count.value == 1)
    }

    @Test("a full transformer may change the message of a failure (T-103, S-178)")
    func fullError() {
        let transformer = FullTransformer { response in
            guard case .failure(var error) = response else { return response }
            error.userMessage += ", sorry"
            return .failure(error)
        }
        let response = TransformedLoad { $0[.model].add(transformer) }("no", "text/plain", status: 401)
        #expect(response.error?.userMessage == "Unauthorized, sorry" && transformer.count.value == 1)
        #expect(response.error?.httpStatusCode == 401)
    }

    @Test("a transformer may turn a failure into data and data into a failure (S-170, S-172)")
    func turning() {
        let forgiving = FullTransformer { response in
            guard response.error?.httpStatusCode == 404 else { return response }
            return .success(Entity(content: "none", contentType: "text/plain").erased)
        }
        #expect(TransformedLoad { $0[.model].add(forgiving) }("x", "a/b", status: 404).text == "none")
        let strict = FullTransformer { _ in .failure(RequestError(userMessage: "no")) }
        let load = TransformedLoad { $0[.model].add(strict) }
        #expect(load("x", "text/plain").error?.userMessage == "no")
        // A failure made here is as old as the response.
        #expect(load("x", "text/plain").error?.time == load.timekeeper.now)
    }

    @Test("a typed transformer makes a model of text; fields and timestamp stay (T-105, S-175)")
    func typed() throws {
        let load = TransformedLoad { $0[.model].add(Self.model) }
        let response = load("abc", "text/plain", [("X-Kind", "odd")])
        let entity = try #require(response.entity)
        #expect(entity.content as? Model == Model(name: "abc"))
        #expect(entity.header(forKey: "x-kind") == "odd" && entity.timestamp == Timestamp(load.timekeeper.wallNow))
    }

    @Test("errors keep their text unless the transformer is for them too (T-106, S-177)")
    func errorsKeepText() {
        let response = TransformedLoad { $0[.model].add(Self.model) }("abc", "text/plain", status: 500)
        #expect(response.error?.text == "abc")
        let forErrors = ResponseContentTransformer(transformErrors: true) { (entity: Entity<String>) in
            entity.content == "bad" ? nil : Model(name: entity.content)
        }
        let load = TransformedLoad { $0[.model].add(forErrors) }
        #expect(load("abc", "text/plain", status: 500).error?.typedContent() == Model(name: "abc"))
        // What cannot be transformed stays, with the error it came with.
        let kept = load("bad", "text/plain", status: 503)
        #expect(kept.error?.text == "bad" && kept.error?.httpStatusCode == 503)
    }

    @Test("content of another type fails, naming both types (T-107, S-176)")
    func wrongType() throws {
        let response = TransformedLoad { $0[.model].add(Self.model) }("{}", "application/json")
        let cause = try #require(response.error?.cause as? RequestError.Cause.WrongInputTypeInTranformerPipeline)
        #expect(cause.expectedType == String.self && cause.actualType == [String: any Sendable].self)
    }

    @Test("a transformer that skips leaves other content as it is (S-176)")
    func skipping() {
        let skipping = ResponseContentTransformer(onInputTypeMismatch: .skip) { (entity: Entity<String>) in
            Model(name: entity.content)
        }
        let load = TransformedLoad { $0[.model].add(skipping) }
        #expect(load("{\"a\":1}", "application/json").jsonDict["a"] as? Int == 1)
        #expect(load("abc", "text/plain").content is Model)
    }

    @Test("skipping only content that has the output's type already (T-108, T-109, S-176)")
    func skippingOutput() {
        let second = ResponseContentTransformer(onInputTypeMismatch: .skipIfOutputTypeMatches) {
            (entity: Entity<String>) in Model(name: "second \(entity.content)")
        }
        let kept = TransformedLoad {
            $0[.model].add(Self.model)
            $0[.cleanup].add(second)
        }
        #expect(kept("abc", "text/plain").content as? Model == Model(name: "abc"))
        let list = ResponseContentTransformer { (entity: Entity<String>) in [entity.content] }
        let failing = TransformedLoad {
            $0[.model].add(list)
            $0[.cleanup].add(second)
        }
        let cause = failing("abc", "text/plain").error?.cause
        #expect(cause is RequestError.Cause.WrongInputTypeInTranformerPipeline)
    }

    @Test("an error a transformer throws is the cause; one of ours is the failure itself (T-110, S-175)")
    func throwing() {
        let throwing = ResponseContentTransformer<String, Model> { _ in throw OwnError(number: 7) }
        let response = TransformedLoad { $0[.model].add(throwing) }("abc", "text/plain")
        #expect(response.error?.cause as? OwnError == OwnError(number: 7))
        #expect(response.error?.userMessage == "Cannot parse server response")
        let ours = ResponseContentTransformer<String, Model> { _ in throw RequestError(userMessage: "mine") }
        #expect(TransformedLoad { $0[.model].add(ours) }("abc", "text/plain").error?.userMessage == "mine")
    }

    @Test("a transformer that returns nothing fails (T-113, S-175)")
    func returningNil() throws {
        let picky = ResponseContentTransformer { (entity: Entity<String>) in
            entity.content == "bad" ? nil : Model(name: entity.content)
        }
        let load = TransformedLoad { $0[.model].add(picky) }
        #expect(load("good", "text/plain").isSuccess)
        let cause = try #require(load("bad", "text/plain").error?.cause as? RequestError.Cause.TransformerReturnedNil)
        #expect(cause.transformer is ResponseContentTransformer<String, Model>)
    }

    @Test("a transformer for types sees successes and failures of these types only (S-174)")
    func limited() {
        let suffix = FullTransformer { response in
            guard case .failure(var error) = response else { return FullTransformer.suffix("!").process(response) }
            error.userMessage = "seen"
            return .failure(error)
        }
        let load = TransformedLoad { $0[.model].add(suffix, contentTypes: ["text/x-*"]) }
        #expect(load("a", "text/x-one").text == "a!")
        #expect(load("a", "text/plain").text == "a")
        #expect(load("a", "text/x-one", status: 500).error?.userMessage == "seen")
        #expect(load("a", "text/plain", status: 500).error?.userMessage != "seen")
        let nothing = load.pipeline.run(.failure(RequestError(userMessage: "refused")), load.context(0))
        #expect(nothing.response.error?.userMessage == "refused")
    }

    @Test(
        "responses to HEAD, and those with 1xx, 204, 205 and 304, have no content by their nature (RFC 9110 §6.4.1)",
        arguments: [
            (199, true), (200, false), (203, false), (204, true), (205, true), (206, false), (303, false), (304, true),
            (305, false), (404, false),
        ] as [(UInt16, Bool)]
    )
    func bodiless(status: UInt16, isBodiless: Bool) {
        var load = TransformedLoad()
        #expect(load.context(status).isBodiless == isBodiless)
        #expect(load.context(status, hasContent: false).isBodiless)
        load.method = .head
        #expect(load.context(status).isBodiless)
    }
}
