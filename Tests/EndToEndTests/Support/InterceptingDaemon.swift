import Glibc
import TestSupport
import TransportSecurity

/// A daemon that intercepts, with a CA of its own, and an https origin whose authority it trusts.
final class InterceptingDaemon {
    let site: TestSite
    let origin: ScriptedOrigin
    let daemon: DaemonProcess
    let home: TemporaryDirectory

    /// What clients of the daemon trust.
    var authorityFile: String { Self.directory(home) + "/ca.pem" }
    /// `localhost:PORT` of the origin.
    var authority: String { "localhost:\(origin.port)" }

    /// - Parameters:
    ///   - hosts: patterns; PORT stands for the origin's port.
    ///   - goodFor: the hosts its CA is made for; empty: every host.
    ///   - trusted: the file of authorities the daemon trusts; nil: the site's.
    init(
        hosts: [String] = ["localhost:PORT"],
        goodFor: [String] = [],
        site: TestSite? = nil,
        trusted: String? = nil,
        settings: String = "",
        arguments: [String] = [],
        _ script: @escaping ScriptedOrigin.Script = {
            try $0.reply("200 OK", ["Cache-Control: max-age=600"], body: "secret")
        }
    ) throws {
        let site = try site ?? TestSite()
        self.site = site
        origin = try ScriptedOrigin(site: site, script)
        home = TemporaryDirectory()
        try Self.makeAuthority(home, goodFor: goodFor)
        let port = "\(origin.port)"
        let patterns = hosts.map { "\"\($0.replacing("PORT", with: port))\"" }.joined(separator: ", ")
        let file = try home.write(
            """
            [tls]
            ca-files = ["\(trusted ?? site.authority.certificateFile)"]
            [access]
            connect-ports = [443, \(port)]
            [intercept]
            hosts = [\(patterns)]
            ca-directory = "\(Self.directory(home))"
            \(settings.replacing("PORT", with: port))
            """,
            to: "respite.toml"
        )
        daemon = try DaemonProcess(["--config", file] + arguments, home: home)
    }

    static func directory(_ home: TemporaryDirectory) -> String { home.path + "/ca" }

    static func makeAuthority(_ home: TemporaryDirectory, goodFor: [String] = []) throws {
        let outcome = try Command.run(
            [DaemonProcess.executable, "ca", "create", "--ca-directory", directory(home)]
                + goodFor.flatMap { ["--for", $0] },
            environment: DaemonProcess.environment(home)
        )
        guard outcome.status == 0 else { throw HarnessError("no CA: \(outcome.errors)") }
    }

    // MARK: Clients

    /// The client's end of a TLS connection that trusts one file.
    static func engine(_ name: String, trusting file: String, protocols: [String] = ["http/1.1"]) throws -> TLSEngine {
        var settings = TLSClientSettings()
        settings.trustsSystem = false
        settings.authorityFiles = [file]
        settings.protocols = protocols
        guard let engine = try TLSClientContext(settings).connect(to: Array(name.utf8), port: 443) else {
            throw HarnessError("no TLS")
        }
        return engine
    }

    /// A connection to the daemon with a CONNECT that was answered 200.
    func tunnel(to authority: String? = nil) throws -> WireClient {
        let client = try daemon.client()
        let target = authority ?? self.authority
        try client.send("CONNECT", target, ["Host: \(target)"])
        let status = try client.readHead(toCONNECT: true).status
        guard status == 200 else { throw HarnessError("CONNECT: \(status)") }
        return client
    }

    /// TLS inside a tunnel that was opened.
    ///
    /// - Parameters:
    ///   - name: what the client wants, and verifies.
    ///   - file: whom it trusts; nil: the daemon's CA.
    static func handshake(_ tunnel: WireClient, _ engine: TLSEngine, inPiecesOf size: Int = .max) throws -> WireClient {
        let descriptor = dup(tunnel.socket.descriptor)
        let security = BlockingTLS(engine, over: descriptor)
        let socket = TestSocket(adopting: descriptor, security: security)
        guard security.shakeHands(inPiecesOf: size, received: tunnel.reader.takeReceived()) else {
            // Once the daemon closes it has noted what the client said last.
            shutdown(descriptor, Int32(SHUT_WR))
            var rest = [UInt8](repeating: 0, count: 4096)
            while recv(descriptor, &rest, rest.count, 0) > 0 {}
            throw HandshakeFailure(ending: engine.ending)
        }
        return WireClient(over: socket)
    }

    /// A client inside a CONNECT that has ended its handshake.
    func client(
        to authority: String? = nil,
        as name: String = "localhost",
        trusting file: String? = nil,
        protocols: [String] = ["http/1.1"]
    ) throws -> WireClient {
        let engine = try Self.engine(name, trusting: file ?? authorityFile, protocols: protocols)
        return try Self.handshake(try tunnel(to: authority), engine)
    }

    /// One GET on a connection of its own.
    func get(_ path: String, _ fields: [String] = []) throws -> Response {
        try client().exchange("GET", path, ["Host: \(authority)"] + fields)
    }

    func url(_ path: String) -> String { "https://\(authority)\(path)" }
}

/// A client did not end its handshake.
struct HandshakeFailure: Error {
    let ending: TLSEngine.Ending?

    /// What it found wrong with the certificate.
    var fault: CertificateFault.Kind? {
        guard case .failed(let error) = ending, case .certificate(let fault) = error.reason else { return nil }
        return fault.kind
    }
}
