import HTTPCore

/// A file that tells when memory is short.
///
/// The kernel's pressure stall information, of a control group or of the machine; or a FIFO: whatever is written to it
/// means that memory is short.
public struct PressureSource: Sendable, Equatable {
    public var path: String
    /// Written once to a file of the kernel's: when it is to tell.
    public var trigger: [UInt8]

    public init(path: String, trigger: [UInt8] = PressureSource.usualTrigger) {
        self.path = path
        self.trigger = trigger
    }

    /// When some task waited for memory for 0.2 s of 2 s; a window that needs no privilege.
    public static let usualTrigger = Array("some 200000 2000000".utf8) + [0]

    /// Where to look, the best first; none if that is not wanted.
    ///
    /// - Parameters:
    ///   - environment: `MEMORY_PRESSURE_WATCH` names the file, and `MEMORY_PRESSURE_WRITE` the trigger in Base64, if a service
    ///     manager says so (systemd.exec(5)); `/dev/null` is none.
    ///   - groups: the content of `/proc/self/cgroup`.
    public static func candidates(environment: [String: String], groups: String) -> [PressureSource] {
        if let path = environment["MEMORY_PRESSURE_WATCH"], !path.isEmpty {
            if path == "/dev/null" { return [] }
            let written = environment["MEMORY_PRESSURE_WRITE"].flatMap(base64)
            return [PressureSource(path: path, trigger: written ?? usualTrigger)]
        }
        let group = groups.split(separator: "\n").first { $0.hasPrefix("0::/") }?.dropFirst(3)
        let own = group.map { "/sys/fs/cgroup\($0 == "/" ? "" : $0)/memory.pressure" }
        return [own, "/proc/pressure/memory"].compactMap { $0 }.map { PressureSource(path: $0) }
    }

    /// Nil if it is none.
    static func base64(_ text: String) -> [UInt8]? {
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var bytes: [UInt8] = []
        var (bits, count) = (0 as UInt32, 0)
        for digit in text.utf8.reversed().drop(while: { $0 == UInt8(ascii: "=") }).reversed() {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        return bytes
    }
}
