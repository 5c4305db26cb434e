/// The start of the system that runs now.
public enum SystemBoot {
    /// Different after each start of the system; nil if the system does not tell.
    public static var identifier: String? {
        guard let bytes = try? SmallFile.read("/proc/sys/kernel/random/boot_id", limit: 256) else { return nil }
        let text = String(decoding: bytes.prefix { $0 > 0x20 }, as: UTF8.self)
        return text.isEmpty ? nil : text
    }
}
