import HTTPCore

/// Why the admin API refuses a request.
struct AdminRefusal: Error {
    var status: UInt16
    /// A sentence for people; it never contains bytes of the token.
    var detail: String
    /// Further fields of the response.
    var fields: [(KnownField, String)] = []
    /// Where in the request's content the fault is (H-146).
    var path: String?

    init(_ status: UInt16, _ detail: String, fields: [(KnownField, String)] = [], path: String? = nil) {
        self.status = status
        self.detail = detail
        self.fields = fields
        self.path = path
    }
}
