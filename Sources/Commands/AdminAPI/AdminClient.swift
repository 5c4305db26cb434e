import CommandSyntax
import Eventing
import HTTPCore
import Platform
import Settings

/// Sends requests to the admin API of a running daemon, and blocks until the response is complete.
struct AdminClient {
    let address: SocketAddress
    /// Whether only the user's daemon can answer: the address is the user's own socket, or was set explicitly.
    let isTrusted: Bool
    private let token: String
    private let tokenFile: String?
    /// Why the token could not be read.
    private let tokenFault: String?
    /// How long the daemon may be silent.
    private let patience: Duration

    /// Finds the daemon's address and token by options, settings file and defaults.
    init(_ command: ParsedCommand, patience: Duration = AdminConnection.timeout) throws(CommandFailure) {
        self.patience = patience
        let context = ProcessContext.current
        let loaded = try LoadedSettings.forCommand(command, context: context)
        let paths = DaemonPaths(loaded.values, context: context)
        let socket = Self.userSocket(loaded, paths)
        address = if let socket { socket } else { try Self.address(loaded.values) }
        isTrusted = socket != nil || loaded.origin(ofPath: "admin") != .standard
        tokenFile = paths.adminTokenFile
        do {
            token = try tokenFile.map { path throws(SystemError) in try SecretFile.read(path) } ?? ""
            tokenFault = nil
        } catch {
            // A user who may not read the admin token may perhaps read the read-only one.
            token = loaded.values.adminReadTokenFile.flatMap { try? SecretFile.read($0) } ?? ""
            tokenFault = error.reason
        }
    }

    /// The admin socket of this user's daemon; nil if there is none, or if an option names another address.
    private static func userSocket(_ loaded: LoadedSettings, _ paths: DaemonPaths) -> SocketAddress? {
        if case .option = loaded.origin(ofPath: "admin") { return nil }
        return paths.adminSocket.flatMap { SmallFile.isOwnSocket($0) ? .unix(path: $0) : nil }
    }

    /// Makes a client for an address where any program may listen: it sends no token.
    private init(withoutTokenAt address: SocketAddress, patience: Duration = AdminConnection.timeout) {
        self.address = address
        self.patience = patience
        isTrusted = false
        token = ""
        tokenFile = nil
        tokenFault = nil
    }

    /// Whether a daemon answers at `address`, no matter whose; it gets no token.
    static func answers(at address: SocketAddress) -> Bool {
        do throws(CommandFailure) {
            _ = try AdminClient(withoutTokenAt: address).get("/v1/status")
            return true
        } catch {
            return error.isRefusedToken
        }
    }

    /// What answers a request for `/` at `address`, no matter what it is; it gets no token.
    static func probe(
        _ address: SocketAddress,
        patience: Duration
    ) -> Result<AdminResponse, AdminConnection.Failure> {
        let client = AdminClient(withoutTokenAt: address, patience: patience)
        return client.exchange(client.request(.get, "/", [], nil), nil)
    }

    private static func address(_ settings: DaemonSettings) throws(CommandFailure) -> SocketAddress {
        guard let setting = settings.admin.first else {
            throw CommandFailure("`admin` is empty, so no daemon can be asked", exitCode: 4)
        }
        guard let address = SocketAddress(setting.description) else {
            throw CommandFailure("`admin` is not an address: \(setting)", exitCode: 2)
        }
        // A daemon that listens on every address answers on loopback, too.
        switch address {
        case .ip(let ip, let port, _) where ip.addressClass == .unspecified:
            return .ip(ip.isIPv4 ? .v4(0x7F00_0001) : .v6(0, 1), port: port)
        default: return address
        }
    }

    // MARK: Requests

    /// Sends a GET.
    func get(_ path: String) throws(CommandFailure) -> AdminResponse { try perform(.get, path) }

    /// Sends a GET, and passes the content of a 200 to `sink` as it is received.
    func download(_ path: String, to sink: @escaping ([UInt8]) -> Void) throws(CommandFailure) {
        _ = try perform(.get, path, sink: sink)
    }

    func post(_ path: String, json: [UInt8]) throws(CommandFailure) -> AdminResponse {
        try perform(.post, path, content: json)
    }

    /// - Parameter type: the media type of the content; nil: no Content-Type.
    func put(_ path: String, _ content: [UInt8], type: String?) throws(CommandFailure) -> AdminResponse {
        try perform(.put, path, content: content, type: type)
    }

    func patch(_ path: String, _ content: [UInt8]) throws(CommandFailure) -> AdminResponse {
        try perform(.patch, path, content: content, type: nil)
    }

    /// - Returns: a 200; other statuses throw.
    private func perform(
        _ method: Method,
        _ path: String,
        content: [UInt8] = [],
        type: String? = "application/json",
        sink: (([UInt8]) -> Void)? = nil
    ) throws(CommandFailure) -> AdminResponse {
        let response: AdminResponse
        do throws(AdminConnection.Failure) {
            response = try exchange(request(method, path, content, type), sink).get()
        } catch {
            switch error {
            case .unreachable(let reason):
                throw CommandFailure(
                    "no daemon answers at \(address): \(reason); start one with `respite serve`, or `systemctl start respite`",
                    exitCode: 4
                )
            case .broken(let reason): throw CommandFailure(reason)
            }
        }
        switch response.status {
        case 200: return response
        case 401:
            var failure = refusedToken
            failure.isRefusedToken = true
            throw failure
        case 422: throw CommandFailure(response.member("description") ?? response.detail, exitCode: 2)
        case 404: throw CommandFailure(response.detail, exitCode: 3)
        default: throw CommandFailure("the daemon refuses: \(response.detail)")
        }
    }

    private var refusedToken: CommandFailure {
        guard let tokenFile else { return CommandFailure("the daemon needs a token; name its file with --token-file") }
        if let tokenFault { return CommandFailure("cannot read the token in \(tokenFile): \(tokenFault)") }
        return CommandFailure("the daemon at \(address) does not accept the token in \(tokenFile)")
    }

    private func request(_ method: Method, _ path: String, _ content: [UInt8], _ type: String?) -> [UInt8] {
        var host = Array("localhost".utf8)
        if case .ip(let ip, _, _) = address { host = Array((ip.isIPv4 ? "\(ip)" : "[\(ip)]").utf8) }
        var fields = Fields()
        fields.append(.accept, "application/json")
        if !token.isEmpty { fields.append(.authorization, "Bearer \(token)") }
        let hasContent = !content.isEmpty || method == .put || method == .patch
        if hasContent, let type { fields.append(.contentType, type) }
        var request: [UInt8] = []
        HeadSerializer.appendRequest(
            method,
            TargetURI(scheme: .http, host: host, port: address.port ?? 80, path: Array(path.utf8)),
            fields: fields,
            framing: hasContent ? .length(Int64(content.count)) : .none,
            connection: .close,
            to: &request
        )
        return request + content
    }

    /// Runs an event loop on this thread until the exchange is over.
    private func exchange(
        _ request: [UInt8],
        _ sink: (([UInt8]) -> Void)?
    ) -> Result<AdminResponse, AdminConnection.Failure> {
        let workers: WorkerPool
        do throws(SystemError) {
            workers = try WorkerPool(count: 1, name: "resolver")
        } catch {
            return .failure(.broken("\(error)"))
        }
        defer { workers.stop() }
        do throws(EventError) {
            let loop = try EventLoop()
            var outcome = Result<AdminResponse, AdminConnection.Failure>.failure(.broken("interrupted"))
            let connection = AdminConnection(request: request, timeout: patience, sink: sink) { result in
                outcome = result
                loop.stop()
            }
            let policy = AddressPolicy(allowsLoopback: true, allowsPrivate: true)
            let connector = Connector(loop: loop, resolver: NameResolver(workers: workers))
            connector.connect(to: address, policy: policy, timeout: .seconds(5)) { result in
                switch result {
                case .success(let stream): connection.begin(on: stream)
                case .failure(let error):
                    outcome = .failure(.unreachable(error.sentence))
                    loop.stop()
                }
            }
            loop.run()
            return outcome
        } catch {
            return .failure(.broken(error.userMessage))
        }
    }
}
