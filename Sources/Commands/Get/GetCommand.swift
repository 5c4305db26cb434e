import CommandSyntax
import Eventing
import HTTPCore
import Platform
import Settings
import Terminal

/// `respite get URL`: gets a URL through the daemon, as its clients do.
struct GetCommand {
    /// The exit code for a response with an error status, which is that of `curl --fail-with-body`.
    static let errorStatusCode: Int32 = 22

    private static let signals: [Signal] = [.interrupt, .terminate, .hangup]

    private let client: AdminClient
    private let uri: TargetURI
    private let request: ProxyRequest
    private let isOffline: Bool
    /// Nil: standard output.
    private let path: String?

    init(_ client: AdminClient, _ command: ParsedCommand) throws(CommandFailure) {
        self.client = client
        isOffline = command.has("offline")
        guard !isOffline || !command.has("refresh") else {
            throw CommandFailure("`--offline` asks no origin, and `--refresh` does; use one of them", exitCode: 2)
        }
        uri = try TargetURI(operand: command.operands.first ?? "")
        path = command.value(of: "output").flatMap { $0 == "-" ? nil : $0 }
        request = try ProxyRequest(
            uri,
            lines: command.values(of: "header"),
            control: isOffline ? "only-if-cached" : command.has("refresh") ? "no-cache" : nil
        )
    }

    func run() throws(CommandFailure) -> Int32 {
        let endpoint = try ProxyEndpoint(status: try client.get("/v1/status").json())
        guard endpoint.url.hasPrefix("http://"), let address = Self.address(endpoint) else {
            throw CommandFailure("all listeners speak TLS, so `get` cannot use them; add one without to `listen`")
        }
        // From here on they wait until the loop handles them: a file that is begun must go again.
        Signal.block(Self.signals)
        let isAlone = path != nil || !Console.isTerminal
        let output = try GetOutput(path: path, isOffline: isOffline, progress: isAlone ? .errors : .none)
        try exchange(request.bytes(for: endpoint), address, output)
        return try report(output)
    }

    private static func address(_ endpoint: ProxyEndpoint) -> SocketAddress? {
        SocketAddress("\(endpoint.host):\(endpoint.port)")
    }

    // MARK: The exchange

    /// Runs an event loop on this thread until the response is complete.
    private func exchange(
        _ request: [UInt8],
        _ address: SocketAddress,
        _ output: GetOutput
    ) throws(CommandFailure) {
        var failure: CommandFailure?
        var signal: Signal?
        let workers: WorkerPool
        do throws(SystemError) {
            workers = try WorkerPool(count: 1, name: "resolver")
        } catch {
            throw CommandFailure("\(error)")
        }
        defer { workers.stop() }
        do throws(EventError) {
            let loop = try EventLoop()
            let signals = Signals(loop: loop, signals: Self.signals) { received in
                signal = received
                loop.stop()
            }
            let exchange = ProxyExchange(request, output) { result in
                failure = result.map { self.failure($0, output) }
                loop.stop()
            }
            let policy = AddressPolicy(allowsLoopback: true, allowsPrivate: true)
            let connector = Connector(loop: loop, resolver: NameResolver(workers: workers))
            connector.connect(to: address, policy: policy, timeout: .seconds(5)) { result in
                switch result {
                case .success(let stream): exchange.begin(on: stream)
                case .failure(let error):
                    failure = CommandFailure("no proxy answers at \(address): \(error.sentence)", exitCode: 4)
                    loop.stop()
                }
            }
            loop.run()
            withExtendedLifetime(signals) {}
        } catch {
            failure = CommandFailure(error.userMessage)
        }
        output.endProgress()
        if failure != nil || signal != nil { output.discard() }
        if let signal { Signal.endProcess(by: signal) }
        if let failure { throw failure }
    }

    private func failure(_ failure: ProxyExchange.Failure, _ output: GetOutput) -> CommandFailure {
        switch failure {
        case .output(let error): return error
        case .broken(let reason):
            let size = output.sizes
            let kept = path == nil ? "" : "; nothing was saved"
            return CommandFailure("\(Console.printable(uri.text)): \(reason)\(size.isEmpty ? "" : ", \(size)")\(kept)")
        }
    }

    // MARK: The end

    private func report(_ output: GetOutput) throws(CommandFailure) -> Int32 {
        guard !output.isUnavailable else {
            throw CommandFailure("nothing usable is stored for \(Console.printable(uri.text))", exitCode: 3)
        }
        try output.finish()
        Console.complain("respite: \(output.summary)")
        return output.isError ? Self.errorStatusCode : 0
    }
}
