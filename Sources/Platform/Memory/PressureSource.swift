/// A file that reports that memory is short.
///
/// Either the kernel's pressure stall information, of a control group or of the machine, or a FIFO. Any bytes in the
/// FIFO mean that memory is short.
public struct PressureSource: Sendable, Equatable {
    public var path: String
    /// Written once to a file of the kernel; it decides when the kernel reports.
    public var trigger: [UInt8]

    public init(path: String, trigger: [UInt8] = PressureSource.usualTrigger) {
        self.path = path
        self.trigger = trigger
    }

    /// Reports when some task has waited for memory for 0.2 s of 2 s; such a window needs no privilege.
    public static let usualTrigger = Array("some 200000 2000000".utf8) + [0]

    /// The sources to try, the best first; none if the service manager disables them.
    ///
    /// - Parameters:
    ///   - environment: the variables of a service manager (systemd.exec(5)). `MEMORY_PRESSURE_WATCH` names the file,
    ///     `/dev/null` for none; `MEMORY_PRESSURE_WRITE` is the trigger in Base64.
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

    /// The bytes that `text` encodes; nil if it is no Base64.
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
