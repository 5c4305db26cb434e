import Formats
import Foundation
import ResourceCore
import ResourceModel

/// Decodes content that a pipeline left as bytes, or as values of JSON.
struct ContentDecoding<Value: Decodable & Sendable>: Sendable {
    private let decoder: @Sendable () -> JSONDecoder

    init(_ decoder: @escaping @Sendable () -> JSONDecoder) { self.decoder = decoder }

    /// The content as a `Value`; throws the decoder's error, or one of its own if the content is neither bytes nor
    /// JSON.
    func value(of content: any Sendable) throws -> Value {
        let content = DecodableContent(content)
        guard let bytes = content.bytes ?? content.json.flatMap(JSONText.bytes(of:)) else {
            throw RequestError.Cause.WrongInputTypeInTranformerPipeline(
                expectedType: Value.self,
                actualType: type(of: content.value),
                transformer: "ContentDecoding<\(Value.self)>"
            )
        }
        return try decoder().decode(Value.self, from: Data(bytes))
    }
}

/// Content of any type, as far as a decoder can read it.
struct DecodableContent: Sendable {
    let value: any Sendable

    init(_ value: any Sendable) { self.value = value }

    /// Not by a cast alone: that makes bytes of any empty array.
    var bytes: [UInt8]? { type(of: value) == [UInt8].self ? value as? [UInt8] : nil }

    /// A JSON object or array.
    var json: (any Sendable)? {
        value is [String: any Sendable] || type(of: value) == [any Sendable].self ? value : nil
    }

    /// Whether these are the same bytes or the same values of JSON; false for content of other kinds.
    ///
    /// Far cheaper than decoding. Bytes that a 304 confirmed are recognized by their storage.
    static func isSame(_ left: any Sendable, _ right: any Sendable) -> Bool {
        if let left = DecodableContent(left).bytes, let right = DecodableContent(right).bytes { return left == right }
        return isSameJSON(left, right)
    }

    private static func isSameJSON(_ left: any Sendable, _ right: any Sendable) -> Bool {
        switch left {
        case let left as String: left == right as? String
        case let left as Int: left == right as? Int
        case let left as Double: left == right as? Double
        case let left as Bool: left == right as? Bool
        case is JSONNull: right is JSONNull
        case let left as [String: any Sendable]:
            if let right = right as? [String: any Sendable], right.count == left.count {
                left.allSatisfy { key, value in right[key].map { isSameJSON(value, $0) } ?? false }
            } else {
                false
            }
        case let left as [any Sendable]:
            if let right = right as? [any Sendable], right.count == left.count {
                zip(left, right).allSatisfy { isSameJSON($0, $1) }
            } else {
                false
            }
        default: false
        }
    }
}
