import HTTPCore
import Platform
import Settings

/// Whether clients reach the proxy, and which other process has its port.
enum PortChecks {
    static func findings(_ context: DoctorContext) -> [Finding] {
        context.listeners.map { finding($0, isRunning: context.status != nil) } + [ipv6(context)]
    }

    private static func finding(_ address: ListenAddress, isRunning: Bool) -> Finding {
        switch (PortProbe.ask(address), isRunning) {
        case (.respite, true): return .ok("proxy", "\(address) answers")
        case (.other, true) where address.isSecure: return .ok("proxy", "\(address) accepts connections")
        case (.nobody(let reason), true):
            return .fault("proxy", "\(address) does not answer: \(reason)", "restart the daemon, and look at its log")
        case (.nobody, false): return .note("proxy", "\(address) is free: a daemon can listen there")
        case (.respite, false):
            return .fault(
                "proxy",
                "another Respite has \(address)",
                "name its admin address by `--admin`, or stop it before you start yours"
            )
        case (.other, _):
            let owner = address.port.flatMap(PortOwner.find).map { ": \($0)" } ?? ""
            return .fault(
                "proxy",
                "another program has \(address)\(owner)",
                "stop it, or name another address by `listen`"
            )
        }
    }

    // MARK: IPv6

    private static func ipv6(_ context: DoctorContext) -> Finding {
        let bytes = (try? SmallFile.read("/proc/net/if_inet6", limit: 1 << 20)) ?? []
        return ipv6(scopes: scopes(String(decoding: bytes, as: UTF8.self)), context.listeners)
    }

    /// - Parameter scopes: those of the machine's addresses: 0 is global, 0x10 loopback.
    static func ipv6(scopes: Set<Int>, _ listeners: [ListenAddress]) -> Finding {
        let wanting = listeners.first { listener in
            switch listener {
            case .tcp(let address, _), .tls(let address, _): !address.isIPv4
            case .unix: false
            }
        }
        if scopes.isEmpty, let wanting {
            return .fault(
                "IPv6",
                "there is none here, but `listen` has \(wanting)",
                "use an IPv4 address, or enable IPv6"
            )
        }
        return scopes.contains(0)
            ? .ok("IPv6", "this machine has a global address")
            : .note("IPv6", "this machine has no global address: origins are reached by IPv4")
    }

    /// The scopes in a table such as /proc/net/if_inet6.
    static func scopes(_ table: String) -> Set<Int> {
        Set(
            table.split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                return words.count > 3 ? Int(words[3], radix: 16) : nil
            }
        )
    }
}
