public import HTTPCore
public import Transforms

/// Turns absolute http(s) URLs into the prefix form, `http://HOST/https://example.org/…`, so that a client of the prefix
/// gateway follows them through it.
///
/// In JSON: strings that are a URL as a whole, names of members excepted. In HTML: the values of `href`, `src`, `srcset`,
/// `action` and their kind, in tags only. HOST is what the client calls the gateway; without it (a forward proxy's client
/// needs no prefix) and for other types the content stays as it is. URLs that lead to HOST already, and those with user
/// information, stay. Streams.
public struct LinksTransformer: StreamingTransformer {
    /// - Parameter form: `prefix`.
    public init(form: String = "prefix") throws(TransformerOptionError) {
        guard form == "prefix" else {
            throw TransformerOptionError("`links` is \"prefix\": there is no other form")
        }
    }

    public var name: String { "links" }
    public var fingerprint: String { "links:prefix" }
    public var needsDecodedContent: Bool { true }

    /// The host the client calls the gateway, in lower case.
    public func variation(for request: Fields) -> String {
        LinkPrefix(request: request).map { prefix in
            (prefix.isSecure ? "https:" : "") + String(decoding: prefix.authority, as: UTF8.self)
        } ?? ""
    }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        guard let prefix = LinkPrefix(request: context.request), let type = TextualTypes.type(of: head.fields) else {
            return nil
        }
        let links: any ContentFilter
        if TextualTypes.isJSON(type) {
            links = JSONLinks(prefix)
        } else if TextualTypes.isHTML(type) {
            links = HTMLLinks(prefix)
        } else {
            return nil
        }
        head.fields.remove(.contentLength)
        return links
    }
}
