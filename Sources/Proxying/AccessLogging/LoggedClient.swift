import HTTPCore
import HTTPServer

/// The client that sent a request, as the access log names it.
struct LoggedClient {
    /// Nil if it came by a Unix socket.
    var address: IPAddress?
    /// The name of its login; nil without one.
    var user: String?
}

extension LoggedClient {
    /// - Parameter hasLogins: whether clients must log in now; a connection may have an older login.
    init(_ connection: ServerConnection?, hasLogins: Bool) {
        self.init(address: connection?.clientAddress, user: hasLogins ? connection?.login?.user : nil)
    }
}
