import HTTPCore
import Platform
import Testing

@testable import Settings

@Suite struct SettingsRulesTests {
    @Test("a forward proxy beyond loopback needs an address list or an explicit flag (H-139)")
    func openProxy() throws {
        let error = try #require(refusal("listen = \"0.0.0.0:3128\""))
        #expect(error.userMessage.contains("access.clients"))
        #expect(error.line == 1)
        #expect(refusal("listen = \"0.0.0.0:3128\"\naccess.clients = [\"0.0.0.0/0\"]") != nil)
        #expect(refusal("listen = \"0.0.0.0:3128\"\naccess.clients = [\"10.0.0.0/8\"]") == nil)
        #expect(refusal("listen = \"0.0.0.0:3128\"\naccess.allow-open-proxy = true") == nil)
        #expect(refusal("listen = \"unix:/tmp/x\"") == nil)
    }

    @Test("a listener for TLS needs a certificate and its key, and a port of its own; administration has none")
    func secureListeners() throws {
        let files = "\n[tls]\ncertificate-file = \"a.crt\"\nkey-file = \"a.key\""
        let listen = "listen = \"https://127.0.0.1:3443\""
        #expect(refusal(listen)?.userMessage.contains("tls.certificate-file") == true)
        let loaded = try load(listen + files).values
        #expect(loaded.listen.map(\.isSecure) == [true] && loaded.tls.keyFile == "a.key")
        #expect(refusal("[tls]\nkey-file = \"a.key\"")?.userMessage.contains("tls.certificate-file") == true)
        #expect(refusal("[tls]\ncertificate-file = \"a\"")?.userMessage.contains("tls.key-file") == true)
        #expect(refusal("listen = [\"127.0.0.1:1\", \"https://127.0.0.1:1\"]" + files) != nil)
        #expect(refusal("admin = \"https://127.0.0.1:1\"" + files)?.userMessage.contains("plain HTTP") == true)
        #expect(refusal("listen = \"https://0.0.0.0:3443\"" + files)?.userMessage.contains("access.clients") == true)
    }

    @Test("a reverse proxy opens no tunnels: hosts to intercept beside a gateway are refused")
    func interceptionOfGateway() throws {
        let error = try #require(refusal("gateway = \"http://127.0.0.1:80\"\nintercept.hosts = [\"a.example\"]"))
        #expect(error.userMessage.contains("`intercept.hosts`") && error.line == 2)
        #expect(refusal("intercept.hosts = [\"a.example\", \"**\"]") == nil)
        #expect(refusal("intercept.hosts = [\"https://a.example/\"]")?.userMessage.contains("HOST:PORT") == true)
    }

    @Test("intercepted hosts are for a listener that is a forward proxy beside a gateway, too")
    func interceptionBesideGateway() {
        let gateway =
            "gateway = \"http://127.0.0.1:80\"\nintercept.hosts = [\"a.example\"]\n[[listener]]\naddress = \"[::1]:1\"\n"
        #expect(refusal(gateway + "routes = [\"gateway\"]") != nil)
        #expect(refusal(gateway + "routes = [\"gateway\", \"forward\"]") == nil)
    }

    @Test("a gateway lets everybody connect unless clients are listed")
    func gatewayClients() throws {
        let client = try #require(IPAddress(text: "203.0.113.9"))
        let open = try load("gateway = \"http://127.0.0.1:80\"\nlisten = \"0.0.0.0:80\"").values
        #expect(open.access.clients.contains { $0.contains(client) })
        let closed = try load("gateway = \"http://127.0.0.1:80\"\naccess.clients = [\"::1\"]").values
        #expect(!closed.access.clients.contains { $0.contains(client) })
    }

    @Test("a service's headers are not for everybody: with clients open to all it is refused")
    func serviceForEverybody() throws {
        let service = "\n[service.github]\nbase = \"http://api.example\"\nheaders.Authorization = \"t\""
        let open = "gateway = \"http://127.0.0.1:80\"\nlisten = \"0.0.0.0:80\""
        #expect(refusal(open + service) == nil)
        let listener =
            "gateway = \"http://127.0.0.1:80\"\n[[listener]]\naddress=\"0.0.0.0:80\"\nroutes=[\"services\", \"gateway\"]"
        #expect(refusal(listener + service)?.userMessage.contains("access.clients") == true)
        let everywhere = service + "\ninject = \"all\""
        let error = try #require(refusal(open + everywhere))
        #expect(error.userMessage.contains("access.clients") && error.userMessage.contains("service.github"))
        #expect(error.line == 5)
        #expect(refusal("listen = \"0.0.0.0:80\"\naccess.allow-open-proxy = true" + service) != nil)
        #expect(refusal(open + "\naccess.clients = [\"0.0.0.0/0\"]" + everywhere) != nil)
        let listed = try load(open + "\naccess.clients = [\"10.0.0.0/8\"]" + service).values
        #expect(listed.access.listsClients)
        let local = try load("gateway = \"http://127.0.0.1:80\"" + service).values
        #expect(!local.access.listsClients)
        #expect(refusal(open + "\n[service.github]\nbase = \"http://api.example\"") == nil)
    }

    @Test("the admin API stays on this machine (H-142)")
    func admin() {
        #expect(refusal("admin = \"0.0.0.0:3129\"")?.userMessage.contains("loopback") == true)
        #expect(refusal("admin = []") == nil)
    }

    @Test("one address cannot be listened on twice, unless the system chooses the port")
    func twice() {
        let files = "\n[tls]\ncertificate-file = \"a.crt\"\nkey-file = \"a.key\""
        #expect(refusal("admin = \"127.0.0.1:3128\"") != nil)
        for (address, isFree) in [
            ("127.0.0.1:0", true), ("[::1]:0", true), ("https://127.0.0.1:0", true), ("127.0.0.1:1", false),
            ("https://127.0.0.1:1", false), ("unix:/run/a", false),
        ] {
            let error = refusal("listen = [\"\(address)\", \"\(address)\"]" + files)
            #expect((error == nil) == isFree, "\(address)")
        }
    }

    @Test("two set values must not contradict each other; a default gives way")
    func bounds() throws {
        #expect(refusal("[storage]\nlimit = \"64MiB\"\nmax-object-size = \"65MiB\"")?.line == 3)
        #expect(try load("[storage]\nlimit = \"64MiB\"").values.storage.maxObjectSize == .mebibytes(64))
        #expect(try load("[upstream]\nretry-time = \"1m\"").values.upstream.retryTimeMax == .seconds(60))
    }

    @Test("loopback and private networks are open to local listeners only, unless a rule says so (H-137)")
    func destinations() throws {
        #expect(try load("").values.mayReachLoopback)
        let open = try load("listen = \"0.0.0.0:1\"\naccess.clients = [\"10.0.0.0/8\"]").values
        #expect(!open.mayReachLoopback)
        #expect(!open.mayReachPrivateNetworks)
        let ruled = try load(
            "listen = \"0.0.0.0:1\"\naccess.clients = [\"10.0.0.0/8\"]\naccess.destinations.private = \"allow\""
        ).values
        #expect(ruled.mayReachPrivateNetworks)
    }

    @Test("paths follow the storage directory, the user's directories and root")
    func paths() throws {
        let user = ProcessContext(
            environment: ["HOME": "/home/u", "XDG_RUNTIME_DIR": "/run/user/7"],
            isRoot: false
        )
        let usual = DaemonPaths(DaemonSettings(), context: user)
        #expect(usual.storageDirectory == "/home/u/.cache/respite")
        #expect(usual.adminTokenFile == "/home/u/.cache/respite/admin-token")
        #expect(usual.adminSocket == "/home/u/.cache/respite/admin.sock")
        let memory = DaemonPaths(try load("storage.directory = \"none\"").values, context: user)
        #expect(memory.storageDirectory == nil)
        #expect(memory.adminTokenFile == "/run/user/7/respite/admin-token")
        let root = ProcessContext(environment: ["HOME": "/root"], isRoot: true)
        #expect(DaemonPaths(DaemonSettings(), context: root).storageDirectory == "/var/cache/respite")
    }
}
