import HTTPCore

/// Who sent a request, as the access log names it.
struct LoggedClient {
    /// Nil if it came by a Unix socket.
    var address: IPAddress?
    /// The name of its login; nil without one.
    var user: String?
}
