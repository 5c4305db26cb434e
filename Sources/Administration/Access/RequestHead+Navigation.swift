import HTTPCore

extension RequestHead {
    /// Whether a browser opens the target in a tab of its own.
    var isNavigation: Bool {
        (method == .get || method == .head)
            && fields.value(of: .secFetchMode) == Array("navigate".utf8)
            && fields.value(of: .secFetchDest) == Array("document".utf8)
    }
}
