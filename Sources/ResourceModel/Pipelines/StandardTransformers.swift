import Formats
import ResourceCore
public import Transforms

/// Parses JSON into values (S-179).
///
/// Objects become `[String: any Sendable]`, arrays `[any Sendable]`. Strings, numbers, booleans and null become
/// `String`, `Int` or `Double`, `Bool`, `JSONNull`. A text that is neither object nor array fails with
/// `RequestError.Cause.JSONResponseIsNotDictionaryOrArray`. Invalid JSON fails with a `JSONSyntaxError` as cause.
public struct JSONResponseTransformer: ResponseTransformer, ContentTransforming {
    private let transformer: ResponseContentTransformer<[UInt8], any Sendable>

    /// - Parameters:
    ///   - transformErrors: whether the content of failures is parsed, too, if it can be (S-177).
    ///   - depthLimit: the deepest nesting of arrays and objects; at most 512.
    public init(transformErrors: Bool = true, depthLimit: Int = TransformLimits().jsonDepth) {
        transformer = ResponseContentTransformer(transformErrors: transformErrors) { entity in
            let value = try JSONText.value(of: entity.content, depthLimit: depthLimit)
            guard value is [String: any Sendable] || value is [any Sendable] else {
                throw RequestError.Cause.JSONResponseIsNotDictionaryOrArray(actualType: type(of: value))
            }
            return value
        }
    }

    public func process(_ response: Response) -> Response { transformer.process(response) }
}

/// Decodes bytes into a `String` by the charset of their type, ISO-8859-1 if it names none (S-180).
///
/// An unknown charset fails with `RequestError.Cause.InvalidTextEncoding`, bytes that are invalid in it with
/// `UndecodableText`.
public struct TextResponseTransformer: ResponseTransformer, ContentTransforming {
    private let transformer: ResponseContentTransformer<[UInt8], String>

    /// - Parameter transformErrors: whether the content of failures is decoded, too, if it can be (S-177).
    public init(transformErrors: Bool = true) {
        transformer = ResponseContentTransformer(transformErrors: transformErrors) { entity in
            try Self.text(entity.content, charset: entity.charset)
        }
    }

    public func process(_ response: Response) -> Response { transformer.process(response) }

    private static func text(_ bytes: [UInt8], charset: String?) throws -> String {
        guard let encoding = charset.map(TextEncoding.init(ianaName:)) ?? .isoLatin1 else {
            throw RequestError.Cause.InvalidTextEncoding(encodingName: charset ?? "")
        }
        guard let text = encoding.decode(bytes) else { throw RequestError.Cause.UndecodableText(encoding: encoding) }
        return text
    }
}

/// Reads kind and size of an image into an `ImageHeader`, which keeps the bytes (S-181).
///
/// Content that is no image of a known kind fails with `RequestError.Cause.UnparsableImage`.
public struct ImageResponseTransformer: ResponseTransformer, ContentTransforming {
    private let transformer: ResponseContentTransformer<[UInt8], ImageHeader>

    /// - Parameter transformErrors: whether the content of failures is read, too, if it can be (S-177).
    public init(transformErrors: Bool = false) {
        transformer = ResponseContentTransformer(transformErrors: transformErrors) { entity in
            guard let image = ImageHeader(entity.content) else { throw RequestError.Cause.UnparsableImage() }
            return image
        }
    }

    public func process(_ response: Response) -> Response { transformer.process(response) }
}
