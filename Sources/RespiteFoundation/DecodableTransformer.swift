public import Foundation
public import HTTPCore
public import ResourceCore
public import ResourceModel
import Transforms

/// Turns bytes of JSON into a value of a type of the program's.
///
/// Takes the place of the standard transformers at the parsing stage, so that content is read once. The content of
/// failures is read as JSON of no particular type (S-177).
///
/// ```swift
/// service.configureTransformer("/users/*", decoding: User.self)
/// ```
public struct DecodableTransformer<Value: Decodable & Sendable>: ResponseTransformer, ContentTransforming {
    private let transformer: ResponseContentTransformer<[UInt8], Value>

    /// - Parameters:
    ///   - type: what content is turned into.
    ///   - decoder: makes a decoder; called for each response, on background threads.
    public init(_ type: Value.Type = Value.self, decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }) {
        FoundationErrors.register()
        transformer = ResponseContentTransformer(onInputTypeMismatch: .skipIfOutputTypeMatches) { entity in
            try decoder().decode(Value.self, from: Data(entity.content))
        }
    }

    public func process(_ response: Response) -> Response {
        switch response {
        case .success: transformer.process(response)
        case .failure: JSONResponseTransformer().process(response)
        }
    }
}

extension Service {
    /// Has JSON of the resources that `pattern` means decoded as `type`, once for each response.
    ///
    /// In the place of what the parsing stage would do with them; other content stays bytes. The standard JSON
    /// transformer gives dictionaries and arrays otherwise.
    /// - Parameters:
    ///   - pattern: as in `configure`.
    ///   - type: what content is turned into.
    ///   - requestMethods: nil for all; else these alone.
    ///   - decoder: makes a decoder; called for each response, on background threads.
    public func configureTransformer<Value: Decodable & Sendable>(
        _ pattern: some ConfigurationPattern,
        decoding type: Value.Type,
        requestMethods: Set<Method>? = nil,
        decoder: @escaping @Sendable () -> JSONDecoder = { JSONDecoder() }
    ) {
        let transformer = DecodableTransformer(type, decoder: decoder)
        configure(pattern, requestMethods: requestMethods, description: "decoding \(type)") {
            $0.pipeline[.parsing].removeTransformers()
            $0.pipeline[.parsing].add(transformer, contentTypes: StandardTransformer.json.contentTypes)
        }
    }
}
