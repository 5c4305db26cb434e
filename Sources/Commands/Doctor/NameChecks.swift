import Eventing
import HTTPCore
import Platform
import Settings

/// Whether host names are found.
enum NameChecks {
    /// A name that exists (RFC 2606 §3), for settings that name no host.
    private static let usualName = "example.com"

    static func findings(_ context: DoctorContext) -> [Finding] {
        let complaints: [Finding] = (context.status?["names"]?["servers"]?.elements ?? []).compactMap { server in
            guard let text = server["complaint"]?.text else { return nil }
            return .fault("DNS", "\(server["address"]?.text ?? "-"): \(text)", "set `dns.servers` to others")
        }
        return complaints + [lookUp(context)]
    }

    private static func lookUp(_ context: DoctorContext) -> Finding {
        let name = name(in: context.settings)
        do throws(SystemError) {
            let workers = try WorkerPool(count: 1, name: "resolver")
            defer { workers.stop() }
            return try finding(name, NameResolver(workers: workers, options: options(context.settings)))
        } catch {
            return .fault("DNS", "\(error)", "let this user have more threads and descriptors")
        }
    }

    private static func finding(_ name: String, _ resolver: NameResolver) throws(SystemError) -> Finding {
        var answer = NameResolver.Resolution.failure(.timeout)
        do throws(EventError) {
            let loop = try EventLoop()
            let lookUp = resolver.resolve(Array(name.utf8), on: loop) { result in
                answer = result
                loop.stop()
            }
            loop.run()
            lookUp.cancel()
        } catch {
            throw SystemError(0, error.userMessage)
        }
        switch answer {
        case .success: return .ok("DNS", "\(name) is found")
        case .failure(.notFound): return .note("DNS", "the name servers answer, and know no \(name)")
        case .failure:
            return .fault("DNS", "no name server answers for \(name)", "look at /etc/resolv.conf, or set `dns.servers`")
        }
    }

    /// A name that the daemon will look up.
    private static func name(in settings: DaemonSettings) -> String {
        let bases = settings.services.map { String(decoding: $0.base.host, as: UTF8.self) }
        let names = bases + (settings.gateway.map { [$0.host] } ?? [])
        return names.first { IPAddress(text: $0) == nil && !$0.hasPrefix("[") && $0 != "localhost" } ?? usualName
    }

    private static func options(_ settings: DaemonSettings) -> NameResolver.Options {
        var options = NameResolver.Options()
        options.kind = settings.dns.resolver == .system ? .system : .builtIn
        options.servers = settings.dns.servers.map { .ip($0.address, port: $0.port) }
        options.overrides = settings.hosts
        return options
    }
}
