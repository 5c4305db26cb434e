import ResourceDoubles
import Formats
import HTTPCore
import Testing
import Transforms
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

/// What a service as programs make it, with its own defaults, makes of responses.
@Suite("Loads with the transformers of a service")
struct ServiceTransformerLoadTests {
    private let context = ManualContext()
    private let workers = ScriptedWorkers()
    private let networking = StubNetworking()

    private var environment: CoreEnvironment {
        CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher(), transformWorkers: workers)
    }

    /// With the default transformers.
    private func service() -> Service {
        Service(baseURL: "https://h.example/v1", networking: networking, environment: environment, delivery: context)
    }

    private func service(_ transformers: [StandardTransformer]) -> Service {
        Service(
            baseURL: "https://h.example/v1",
            standardTransformers: transformers,
            networking: networking,
            environment: environment,
            delivery: context
        )
    }

    private func load(_ service: Service, _ content: [UInt8], _ type: String, status: UInt16 = 200) -> Resource {
        let resource = service.resource("/a")
        var result = NetworkingResult.answer(status, [("Content-Type", type)])
        result.content = content
        networking.answer { [result] _ in result }
        resource.load()
        while workers.run() || context.run() {}
        return resource
    }

    private func load(_ service: Service, _ text: String, _ type: String = "text/plain") -> Resource {
        load(service, Array(text.utf8), type)
    }

    /// Which of JSON, text and image fail on a byte that is none of them; the others are bytes.
    private func failures(_ service: Service) -> [Bool] {
        ["application/json", "text/plain; charset=utf-8", "image/gif"].map { type in
            let resource = load(service, [0xD8], type)
            let isFailure = resource.latestError != nil
            if !isFailure { #expect(resource.latestData?.content as? [UInt8] == [0xD8]) }
            resource.wipe()
            return isFailure
        }
    }

    @Test("what fails is what the service's transformers are for (T-099, T-100, T-101, T-122, S-006, S-169)")
    func selection() {
        #expect(failures(service()) == [true, true, true])
        #expect(failures(service([.text, .image])) == [false, true, true])
        #expect(failures(service([.json])) == [true, false, false])
        #expect(failures(service([])) == [false, false, false])
        let again = service()
        again.configure("**") {
            $0.pipeline.clear()
            $0.pipeline.add(.text)
        }
        #expect(failures(again) == [false, true, false])
        again.configure("**") { $0.pipeline.clear() }
        #expect(failures(again) == [false, false, false])
    }

    @Test("stages run in the order that is configured (T-118, T-119, T-120, T-121, S-165, S-166, S-167, S-168)")
    func stages() {
        let service = service()
        for (stage, tag) in [
            (PipelineStageKey.cleanup, "cle"), (.model, "mod"), (.decoding, "dec"), (.parsing, "par"),
        ] {
            service.configure { $0.pipeline[stage].add(FullTransformer.suffix(tag)) }
        }
        #expect(load(service, "-", "a/b").text == "-decparmodcle")
        service.configure { $0.pipeline.order = [.rawData, .parsing, .cleanup, .model, .decoding] }
        #expect(load(service, "-", "a/b").text == "-parclemoddec")
        let (own, empty) = (PipelineStageKey("own"), PipelineStageKey("own"))
        service.configure {
            $0.pipeline.order = [.rawData, .decoding, own, .parsing, empty, .model, .cleanup]
            $0.pipeline[own].add(FullTransformer.suffix("own"))
            for tag in ["1", "2", "3"] { $0.pipeline[.decoding].add(FullTransformer.suffix(tag)) }
        }
        #expect(load(service, "-", "a/b").text == "-dec123ownparmodcle")
    }

    @Test("transformers of a program at work in loads (T-102, T-103, T-105, T-107, T-110, T-113, S-175, S-178)")
    func programs() {
        struct OwnError: Error, Equatable {}
        let service = service()
        let full = FullTransformer { response in
            switch response {
            case .success(let entity): return .success(entity.withContent(entity.text + "!").erased)
            case .failure(var error):
                error.userMessage += "!"
                return .failure(error)
            }
        }
        service.configure("/a") { $0.pipeline[.cleanup].add(full, contentTypes: ["text/*"]) }
        #expect(load(service, "abc").text == "abc!" && full.count.value == 1)
        let refused = load(service, [], "text/plain", status: 401)
        // Without content there is no type by which it could be chosen.
        #expect(refused.latestError?.userMessage == "Unauthorized" && refused.latestError?.httpStatusCode == 401)
        #expect(load(service, [0x61], "text/plain", status: 401).latestError?.userMessage == "Unauthorized!")
        #expect(full.count.value == 2)
        service.configure("/a") { $0.pipeline[.cleanup].removeTransformers() }
        service.configureTransformer("/a") { (entity: Entity<String>) in
            if entity.content == "throw" { throw OwnError() }
            return entity.content == "nil" ? nil : Model(name: entity.content)
        }
        #expect(load(service, "abc").latestData?.content as? Model == Model(name: "abc"))
        #expect(load(service, "throw").latestError?.cause is OwnError)
        #expect(load(service, "nil").latestError?.cause is RequestError.Cause.TransformerReturnedNil)
        let mismatch = load(service, "{}", "application/json").latestError?.cause
        #expect(mismatch is RequestError.Cause.WrongInputTypeInTranformerPipeline)
        // What was there before stays beside the error.
        #expect(service.resource("/a").typedContent() == Model(name: "abc"))
    }

    @Test("content as the type asked for (T-081, T-088, T-089, T-094, T-096, T-097, T-098, T-114, T-116, T-117, S-083)")
    func accessors() {
        let service = service()
        let isEvaluated = LockedBox(false)
        func fallback(_ text: String) -> String {
            isEvaluated.change { $0 = true }
            return text
        }
        let text = load(service, "abc", "text/foo")
        #expect(text.text == "abc" && text.typedContent(ifNone: fallback("none")) == "abc" && !isEvaluated.value)
        #expect(text.jsonDict.isEmpty && text.jsonArray.isEmpty)
        let object = load(service, #"{"a": {"b": [1]}}"#, "foo/json")
        #expect((object.jsonDict["a"] as? [String: any Sendable])?["b"] is [any Sendable])
        #expect(object.jsonArray.isEmpty && object.text.isEmpty)
        let array = load(service, "[1, 2]", "application/foo+json")
        #expect(array.jsonArray.map { $0 as? Int } == [1, 2] && array.jsonDict.isEmpty)
        let bytes = load(service, "abc", "application/x-unknown")
        #expect(bytes.typedContent(ifNone: fallback("none")) == "none" && isEvaluated.value)
        let gif: [UInt8] =
            Array("GIF89a".utf8) + [1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0]
            + [2, 2, 0x44, 1, 0, 0x3B]
        let image: ImageHeader? = load(service, gif, "image/gif").typedContent()
        #expect(image?.width == 1 && image?.height == 1)
    }
}
