import Eventing
import HTTPCore
import HTTPServer
import Logins

/// Lets requests pass whose client has a login, or needs none.
///
/// Every request is judged, also on a connection that has proven a login: others may use it behind a proxy of their
/// own. Bound to its loop.
final class LoginGate {
    private let login: ProxyLogin
    private let queue: LoginQueue
    private let context: ProxyContext

    init(_ login: ProxyLogin, _ queue: LoginQueue, _ context: ProxyContext) {
        self.login = login
        self.queue = queue
        self.context = context
    }

    /// Whether a client needs no login.
    func exempts(_ peer: SocketAddress) -> Bool { login.exempts(peer) }

    /// Whether a request may be answered at once; allocates nothing.
    func admits(_ head: RequestHead, on connection: ServerConnection) -> Bool {
        if let known = connection.login, known.source === login.table {
            // Requests inside a CONNECT come under its login.
            if connection.origin != nil { return true }
            guard head.fields.count(of: .proxyAuthorization) == 1 else { return false }
            return head.fields.withValue(of: .proxyAuthorization) { known.isProven(by: $0) } ?? false
        }
        return login.exempts(connection.peer)
    }

    /// Refuses a request, or calls `proceed` with it: at once, or when its password has been hashed.
    func judge(_ exchange: ServerExchange, _ proceed: @escaping (ServerExchange) -> Void) {
        if exchange.origin != nil { return judgeInside(exchange, proceed) }
        if login.exempts(exchange.peer) { return proceed(exchange) }
        let values = exchange.head.fields.values(of: .proxyAuthorization)
        guard values.count <= 1 else {
            return refuse(exchange, Refusal(400, "Proxy-Authorization is there more than once; send it once"))
        }
        guard let value = values.first else { return refuse(exchange, .loginNeeded(Self.needed)) }
        if let known = exchange.earlierLogin, known.source === login.table, known.proof == value {
            exchange.login = known
            return proceed(exchange)
        }
        guard let credentials = BasicCredentials(field: value) else {
            return refuse(exchange, .loginNeeded("Proxy-Authorization is no login of the scheme Basic; send one"))
        }
        let proof = Proof(exchange, credentials, value, login, proceed)
        if login.table.remembers(credentials) { return conclude(proof, .right) }
        let bound = LoopBound(Pending(self, proof), loop: exchange.loop)
        queue.check(credentials, of: login.table, from: exchange.peer.ipAddress) { verdict in
            bound.submit { $0.gate.conclude($0.proof, verdict) }
        }
    }

    private static let needed =
        "this proxy is used with a login: put user name and password into its URL, http://USER:PASSWORD@HOST:PORT"

    /// A request for which a password is checked.
    private final class Proof {
        let exchange: ServerExchange
        let credentials: BasicCredentials
        let value: [UInt8]
        let login: ProxyLogin
        let proceed: (ServerExchange) -> Void

        init(
            _ exchange: ServerExchange,
            _ credentials: BasicCredentials,
            _ value: [UInt8],
            _ login: ProxyLogin,
            _ proceed: @escaping (ServerExchange) -> Void
        ) {
            self.exchange = exchange
            self.credentials = credentials
            self.value = value
            self.login = login
            self.proceed = proceed
        }
    }

    private final class Pending {
        let gate: LoginGate
        let proof: Proof

        init(_ gate: LoginGate, _ proof: Proof) {
            self.gate = gate
            self.proof = proof
        }
    }

    private func conclude(_ proof: Proof, _ verdict: LoginQueue.Verdict) {
        let exchange = proof.exchange
        guard exchange.isOpen else { return }
        switch verdict {
        case .right:
            exchange.login = ConnectionLogin(
                user: String(decoding: proof.credentials.user, as: UTF8.self),
                proof: proof.value,
                source: proof.login.table
            )
            proof.proceed(exchange)
        case .wrong:
            context.options.refusalLog?.note(exchange, 407, kind: "login", "no user has this name and password")
            refuse(exchange, .loginNeeded("no user has this name and password"))
        case .busy: refuse(exchange, .tooManyLogins)
        }
    }

    /// Judges a request inside a CONNECT, by the login of the CONNECT.
    ///
    /// After a reload the user must still be there, with the same password.
    private func judgeInside(_ exchange: ServerExchange, _ proceed: (ServerExchange) -> Void) {
        guard let known = exchange.earlierLogin else {
            return login.exempts(exchange.peer) ? proceed(exchange) : refuse(exchange, Self.tunnelWithoutLogin)
        }
        if known.source === login.table {
            exchange.login = known
        } else if let before = known.source as? LoginTable, login.table.confirms(Array(known.user.utf8), of: before) {
            exchange.login = ConnectionLogin(user: known.user, proof: known.proof, source: login.table)
        } else {
            return refuse(exchange, Self.tunnelWithoutLogin)
        }
        proceed(exchange)
    }

    /// Ends the connection; browsers would show a 407 from inside a tunnel as a fault.
    private static let tunnelWithoutLogin = Refusal(
        403,
        "this tunnel has no login that is in force; open another one, with a login"
    )

    private func refuse(_ exchange: ServerExchange, _ refusal: Refusal) {
        // Bytes that the client meant for the tunnel are no request (H-080).
        if exchange.head.method == .connect { exchange.closeAfterResponse() }
        context.refuse(exchange, refusal)
    }
}
