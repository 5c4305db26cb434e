import HTTPCore

/// What a browser reports about the page behind a request; every line of a field counts.
struct RequestingPage {
    /// The values of `Origin`, as sent.
    let origins: [[UInt8]]
    /// Whether `Sec-Fetch-Site` names another site than the request's own; `none` and no field name none.
    let isOfOtherSite: Bool
    /// Whether the browser would show the response as a document.
    let isNavigating: Bool

    init(_ fields: Fields) {
        origins = fields.values(of: .origin)
        isOfOtherSite = fields.values(of: .secFetchSite).contains { site in
            !Token.matches(site.span, "same-origin") && !Token.matches(site.span, "none")
        }
        isNavigating =
            fields.values(of: .secFetchMode).contains { Token.matches($0.span, "navigate") }
            || fields.values(of: .secFetchDest).contains { Token.matches($0.span, "document") }
    }

    /// Whether every `Origin` is `origin`, in lower case; also if there is none.
    func isOf(_ origin: [UInt8]) -> Bool { origins.allSatisfy { $0.map(\.asciiLowercased) == origin } }
}
