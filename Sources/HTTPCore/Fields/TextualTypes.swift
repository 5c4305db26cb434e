/// Decides which media types are text.
package enum TextualTypes {
    /// The type, if content with this head is text: any `text/…`, JSON, XML and JavaScript.
    package static func type(of fields: Fields) -> MediaType? {
        guard let type = fields.withValue(of: .contentType, { MediaType($0) }) ?? nil, isText(type) else { return nil }
        return type
    }

    package static func isText(_ type: MediaType) -> Bool {
        type.essence.starts(with: "text/".utf8) || isJSON(type) || isXML(type) || isJavaScript(type)
    }

    package static func isHTML(_ type: MediaType) -> Bool {
        type.essence.elementsEqual("text/html".utf8) || type.essence.elementsEqual("application/xhtml+xml".utf8)
    }

    package static func isJSON(_ type: MediaType) -> Bool {
        type.isJSON || ["text/json", "application/x-ndjson", "application/jsonl"].contains(text(type))
    }

    package static func isXML(_ type: MediaType) -> Bool {
        let essence = text(type)
        return essence == "application/xml" || essence == "text/xml" || essence.hasSuffix("+xml")
    }

    private static func isJavaScript(_ type: MediaType) -> Bool {
        [
            "application/javascript", "application/x-javascript", "application/ecmascript",
            "application/x-ecmascript",
        ].contains(text(type))
    }

    private static func text(_ type: MediaType) -> String { String(decoding: type.essence, as: UTF8.self) }
}
