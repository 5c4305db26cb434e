import ResourceCore

extension DecodingError {
    /// What is wrong, and at which place; never the value.
    var sentence: String {
        switch self {
        case .typeMismatch(let type, let context): "\(context.place) is not of type \(type)"
        case .valueNotFound(let type, let context): "\(context.place) is null, but \(type) is needed"
        case .keyNotFound(let key, let context):
            "\(context.place) has no member \(key.stringValue.debugDescription)"
        case .dataCorrupted(let context) where context.codingPath.isEmpty: "the content cannot be read as a whole"
        case .dataCorrupted(let context): "\(context.place) has a value that is not allowed"
        @unknown default: "the content cannot be decoded"
        }
    }
}

extension DecodingError.Context {
    /// Such as `users[3].name`.
    fileprivate var place: String { codingPath.isEmpty ? "the content" : codingPath.text }
}

extension EncodingError {
    /// What cannot be encoded, by its place.
    var sentence: String {
        switch self {
        case .invalidValue(let value, let context):
            context.codingPath.isEmpty
                ? "a value of type \(type(of: value)) cannot be encoded"
                : "\(context.codingPath.text) cannot be encoded"
        @unknown default: "the value cannot be encoded"
        }
    }
}

extension [any CodingKey] {
    fileprivate var text: String {
        reduce(into: "") { text, key in
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}
