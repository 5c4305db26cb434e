import ResourceDoubles
@testable import Exchanges
@testable import ResourceCore
@testable import ResourceModel
import HTTPCore
import Locking
import TestDoubles
import Transforms

/// What a program's load makes of a response: the pipeline alone, without a network.
struct TransformedLoad {
    var pipeline: Pipeline
    var method = Method.get
    var decoder: (any StreamingTransformer)?
    var limits = TransformLimits()
    var timekeeper = ManualTimekeeper()

    init(_ standard: [StandardTransformer] = [.json, .text, .image], _ change: (inout Pipeline) -> Void = { _ in }) {
        var pipeline = Pipeline()
        for transformer in standard { pipeline.add(transformer) }
        change(&pipeline)
        self.pipeline = pipeline
    }

    func context(_ status: UInt16, hasContent: Bool = true) -> PipelineContext {
        PipelineContext(
            uri: World.uri("/a"),
            method: method,
            status: status,
            hasContent: hasContent,
            limits: limits,
            environment: CoreEnvironment(timekeeper: timekeeper, hasher: PlainHasher(), contentDecoder: decoder)
        )
    }

    func run(
        _ bytes: [UInt8],
        _ type: String? = nil,
        status: UInt16 = 200,
        _ lines: [(String, String)] = []
    ) -> (response: Response, outputs: [StageOutput]) {
        var fields = Fields()
        if let type { fields.append(.contentType, type) }
        for (name, value) in lines { fields.append(name: name, value: value) }
        let response: Response =
            status < 400
            ? .success(Entity(response: fields, content: bytes, timestamp: Timestamp(timekeeper.wallNow)))
            : .failure(RequestError(response: ResponseHead(status: status, fields: fields), content: bytes))
        return pipeline.run(response, context(status))
    }

    func callAsFunction(
        _ bytes: [UInt8],
        _ type: String? = nil,
        status: UInt16 = 200,
        _ lines: [(String, String)] = []
    ) -> Response {
        run(bytes, type, status: status, lines).response
    }

    func callAsFunction(
        _ text: String,
        _ type: String? = nil,
        status: UInt16 = 200,
        _ lines: [(String, String)] = []
    ) -> Response {
        self(Array(text.utf8), type, status: status, lines)
    }
}

extension Response {
    var isSuccess: Bool { if case .success = self { true } else { false } }
    /// Of a success only.
    var content: (any Sendable)? { if case .success(let entity) = self { entity.content } else { nil } }
}

/// A full transformer of a test, which counts.
struct FullTransformer: ResponseTransformer {
    let count = LockedBox(0)
    let change: @Sendable (Response) -> Response

    init(_ change: @escaping @Sendable (Response) -> Response) { self.change = change }

    func process(_ response: Response) -> Response {
        count.change { $0 += 1 }
        return change(response)
    }

    /// Appends to text, and to bytes that are text.
    static func suffix(_ suffix: String) -> FullTransformer {
        FullTransformer { response in
            guard case .success(var entity) = response else { return response }
            let text = (entity.content as? [UInt8]).map { String(decoding: $0, as: UTF8.self) } ?? entity.text
            entity.content = text + suffix
            return .success(entity)
        }
    }
}

/// A model that a typed transformer makes of text.
struct Model: Sendable, Equatable {
    var name: String
}
