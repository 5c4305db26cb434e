import Foundation
import ResourceCore
import ResourceModel

/// A content transformer whose input is decoded if the content is JSON and no `Input` yet.
struct DecodedInputTransformer<Input: Decodable & Sendable, Output: Sendable>: ContentTransforming {
    private let transformer: ResponseContentTransformer<Input, Output>
    private let mismatch: InputTypeMismatchAction
    private let transformsErrors: Bool
    private let decoding: ContentDecoding<Input>

    init(
        onInputTypeMismatch mismatch: InputTypeMismatchAction,
        transformErrors: Bool,
        decoder: @escaping @Sendable () -> JSONDecoder,
        processor: @escaping ResponseContentTransformer<Input, Output>.Processor
    ) {
        self.mismatch = mismatch
        transformsErrors = transformErrors
        decoding = ContentDecoding(decoder)
        transformer = ResponseContentTransformer(
            onInputTypeMismatch: mismatch,
            transformErrors: transformErrors,
            processor: processor
        )
    }

    func process(_ response: Response) -> Response {
        guard let entity = response.entity, mayDecode(entity) else { return transformer.process(response) }
        switch response {
        case .success:
            do {
                return transformer.process(.success(entity.withContent(try decoding.value(of: entity.content)).erased))
            } catch {
                let failure = RequestError(unreadable: error, entity: entity)
                return logTransformation(.failure(failure))
            }
        case .failure(var error):
            // The content of an error is kept even if it cannot be decoded (S-177).
            guard transformsErrors, let input = try? decoding.value(of: entity.content) else { return response }
            error.entity = entity.withContent(input).erased
            return transformer.process(.failure(error))
        }
    }

    private func mayDecode(_ entity: Entity<any Sendable>) -> Bool {
        // Text and bytes are what stages bring, and JSON is neither.
        if Input.self == String.self || Input.self == [UInt8].self || entity.content is Input { return false }
        switch mismatch {
        case .skip: return false
        case .skipIfOutputTypeMatches where entity.content is Output: return false
        case .skipIfOutputTypeMatches, .error: break
        }
        let content = DecodableContent(entity.content)
        return content.json != nil || (content.bytes != nil && entity.contentType.lowercased().contains("json"))
    }
}
