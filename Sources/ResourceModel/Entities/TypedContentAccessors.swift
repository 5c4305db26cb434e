import Formats
import ResourceCore

/// What may have content, and gives it as the type the caller asks for (S-083).
///
/// Resources give their latest data, errors the content of the response they came with.
public protocol TypedContentAccessors {
    /// Where the content comes from; nil if there is none now.
    var entityForTypedContentAccessors: Entity<any Sendable>? { get }
}

extension TypedContentAccessors {
    /// The content if there is some and it is a `Content`, else `fallback`, which is evaluated only then.
    public func typedContent<Content>(ifNone fallback: @autoclosure () -> Content) -> Content {
        typedContent() ?? fallback()
    }

    /// The content if there is some and it is a `Content`, else `fallback`, which is evaluated only then.
    public func typedContent<Content>(ifNone fallback: @autoclosure () -> Content?) -> Content? {
        typedContent() ?? fallback()
    }

    /// The content if there is some and it is a `Content`.
    public func typedContent<Content>() -> Content? { entityForTypedContentAccessors?.content as? Content }

    /// The content if it is text, else an empty one.
    public var text: String { typedContent(ifNone: "") }

    /// The content if it is a JSON object, else an empty one.
    ///
    /// Values are `String`, `Int`, `Double`, `Bool`, `JSONNull`, and dictionaries and arrays of these.
    public var jsonDict: [String: any Sendable] { typedContent(ifNone: [:]) }

    /// The content if it is a JSON array, else an empty one.
    ///
    /// Values are `String`, `Int`, `Double`, `Bool`, `JSONNull`, and dictionaries and arrays of these.
    public var jsonArray: [any Sendable] { typedContent(ifNone: []) }
}
