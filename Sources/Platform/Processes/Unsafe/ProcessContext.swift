import LibC

/// What a process knows about its environment.
///
/// A value, so that tests can make one.
public struct ProcessContext: Sendable, Equatable {
    /// The environment variables; settings may name any of them.
    public var environment: [String: String]
    public var isRoot: Bool
    /// The addresses of the sockets that a service manager opened for clients and passed on.
    ///
    /// They replace those of the settings `listen` and `admin`.
    public var inheritedListen: [String] = []
    public var inheritedAdmin: [String] = []

    public init(environment: [String: String], isRoot: Bool) {
        self.environment = environment
        self.isRoot = isRoot
    }

    /// The context of this process.
    ///
    /// Do not call it while another thread changes the environment.
    public static var current: ProcessContext {
        var environment: [String: String] = [:]
        for entry in ProcessEnvironment.current.entries {
            guard let sign = entry.firstIndex(of: UInt8(ascii: "=")) else { continue }
            let name = String(decoding: entry[..<sign], as: UTF8.self)
            // As getenv does: of two entries the first counts.
            guard environment[name] == nil else { continue }
            environment[name] = String(decoding: entry[(sign + 1)...], as: UTF8.self)
        }
        return ProcessContext(environment: environment, isRoot: geteuid() == 0)
    }

    /// The host name of this machine, without domain.
    public static var machineName: String {
        var text = [CChar](repeating: 0, count: 256)
        guard unsafe gethostname(&text, text.count - 1) == 0 else { return "localhost" }
        let bytes = text.prefix { $0 != 0 && $0 != 0x2E }.map { UInt8(bitPattern: $0) }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// How many processors are online; at least 1.
    public static var processorCount: Int { max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN))) }
}
