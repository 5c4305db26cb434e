import Exchanges
import HTTPCore
import TestDoubles
import Testing

@testable import Transforms

/// Values that the tests of this target share.
enum Sample {
    static let uri = TargetURI(scheme: .https, host: Array("origin.example".utf8), port: 443, path: Array("/a".utf8))

    static func fields(_ lines: [(String, String)]) -> Fields {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        return fields
    }

    static func pipeline(_ steps: PipelineStep...) -> Pipeline {
        var pipeline = Pipeline()
        for step in steps { pipeline.add(step, to: .model) }
        return pipeline
    }

    /// `pipeline` applied to a request with these fields.
    static func rendition(
        _ pipeline: Pipeline,
        method: HTTPCore.Method = .get,
        _ lines: [(String, String)] = [],
        gatewayHost: String? = nil,
        gatewayIsSecure: Bool = false,
        forbidsTransforming: Bool = false,
        limits: TransformLimits = TransformLimits(),
        hasDecoder: Bool = false
    ) -> RequestedRendition? {
        RequestedRendition(
            uri: uri,
            method: method,
            fields: fields(lines),
            gatewayHost: gatewayHost.map { Array($0.utf8) },
            gatewayIsSecure: gatewayIsSecure,
            forbidsTransforming: forbidsTransforming,
            pipeline: pipeline,
            limits: limits,
            hasDecoder: hasDecoder
        )
    }

    static func tag(_ text: String) throws -> EntityTag { try #require(EntityTag(Array(text.utf8))) }

    static func text(_ tag: EntityTag?) -> String? { tag.map { String(decoding: $0.bytes, as: UTF8.self) } }
}

extension RequestedRendition {
    func plan(_ status: UInt16 = 200, type: String = "text/plain", forbidsTransforming: Bool = false) -> PipelinePlan? {
        plan(
            status: status,
            fields: Sample.fields([("Content-Type", type)]),
            forbidsTransforming: forbidsTransforming
        )
    }
}

extension Fields {
    func text(named name: String) -> String? {
        values(named: Array(name.lowercased().utf8)).first.map { String(decoding: $0, as: UTF8.self) }
    }
}
