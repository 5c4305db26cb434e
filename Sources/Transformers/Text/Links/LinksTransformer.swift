public import HTTPCore
public import Transforms

/// Rewrites absolute http(s) URLs to the prefix form `http://HOST/https://example.org/…`, so that a client of the
/// prefix gateway follows them through the gateway.
///
/// In JSON it rewrites strings that are entirely a URL, except names of members. In HTML it rewrites the values of
/// `href`, `src`, `srcset`, `action` and similar attributes, in tags only.
///
/// HOST is what the client calls the gateway. Without it, as for a client of the forward proxy, the content stays as it
/// is. Content of other types does too. URLs that already lead to HOST stay, and those with user information. It
/// streams.
public struct LinksTransformer: StreamingTransformer {
    private let report: (@Sendable ([UInt8]) -> Void)?

    /// - Parameters:
    ///   - form: `prefix`.
    ///   - report: called on any thread with each link to another host, as it stands in the document; in HTML with its
    ///     beginning up to the host.
    public init(
        form: String = "prefix",
        report: (@Sendable ([UInt8]) -> Void)? = nil
    ) throws(TransformerOptionError) {
        self.report = report
        guard form == "prefix" else {
            throw TransformerOptionError("`links` must be \"prefix\": there is no other form")
        }
    }

    public var name: String { "links" }
    public var fingerprint: String { "links:prefix" }
    public var needsDecodedContent: Bool { true }

    /// The host by which the client calls the gateway, in lower case.
    public func variation(for request: Fields) -> String {
        LinkPrefix(request: request).map { prefix in
            (prefix.isSecure ? "https:" : "") + String(decoding: prefix.authority, as: UTF8.self)
        } ?? ""
    }

    public func begin(
        _ head: inout EntityHead,
        _ context: TransformContext
    ) throws(TransformFailure) -> (any ContentFilter)? {
        guard let prefix = LinkPrefix(request: context.request, report: report),
            let type = TextualTypes.type(of: head.fields)
        else {
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
