import RedisSupport
import TestSupport

extension DaemonProcess {
    /// A daemon behind which a Redis server is.
    ///
    /// - Parameter file: the text of a settings file.
    static func sharing(
        _ redis: RedisProcess,
        _ more: [String] = [],
        file: String? = nil,
        home: TemporaryDirectory = TemporaryDirectory()
    ) throws -> DaemonProcess {
        let words = ["shared.url=redis+unix://\(redis.socketPath)", "shared.timeout=2s"] + more
        let settings = try file.map { ["--config", try home.write($0, to: "respite.toml")] } ?? []
        return try DaemonProcess(settings + words.flatMap { ["--set", $0] }, home: home)
    }

    /// A counter or gauge of the daemon.
    func metric(_ name: String) throws -> Int {
        let lines = try admin("GET", "/metrics").text.split(separator: "\n")
        return lines.first { $0.hasPrefix("\(name) ") }.flatMap { Int($0.split(separator: " ")[1]) } ?? 0
    }

    /// Waits until a counter has at least this value.
    func wait(for name: String, _ value: Int) throws {
        try askAgain(for: "\(name) to reach \(value)", { try metric(name) }, until: { $0 >= value })
    }
}
