import Formats
import ResourceCore

/// May have content, and returns it as the type that the caller asks for (S-083).
///
/// A resource returns its latest data, an error the content of its response.
public protocol TypedContentAccessors {
    /// The entity with the content; nil if there is none now.
    var entityForTypedContentAccessors: Entity<any Sendable>? { get }
}

extension TypedContentAccessors {
    /// The content if it is a `Content`, else `fallback`, which is evaluated only then.
    public func typedContent<Content>(ifNone fallback: @autoclosure () -> Content) -> Content {
        typedContent() ?? fallback()
    }

    /// The content if it is a `Content`, else `fallback`, which is evaluated only then.
    public func typedContent<Content>(ifNone fallback: @autoclosure () -> Content?) -> Content? {
        typedContent() ?? fallback()
    }

    /// The content if it is a `Content`.
    public func typedContent<Content>() -> Content? { entityForTypedContentAccessors?.content as? Content }

    /// The content if it is text, else an empty text.
    public var text: String { typedContent(ifNone: "") }

    /// The content if it is a JSON object, else an empty dictionary.
    ///
    /// Values are `String`, `Int`, `Double`, `Bool`, `JSONNull`, and dictionaries and arrays of these.
    public var jsonDict: [String: any Sendable] { typedContent(ifNone: [:]) }

    /// The content if it is a JSON array, else an empty array.
    ///
    /// Values are `String`, `Int`, `Double`, `Bool`, `JSONNull`, and dictionaries and arrays of these.
    public var jsonArray: [any Sendable] { typedContent(ifNone: []) }
}
