/// A number of bytes.
public struct ByteCount: Sendable, Hashable, Comparable {
    /// The number; at least 0.
    public var bytes: Int

    public init(bytes: Int) { self.bytes = bytes }

    public static func kibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 10) }
    public static func mebibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 20) }
    public static func gibibytes(_ count: Int) -> ByteCount { ByteCount(bytes: count << 30) }

    public static func < (left: ByteCount, right: ByteCount) -> Bool { left.bytes < right.bytes }
}

extension ByteCount: CustomStringConvertible {
    /// The largest first.
    private static let units: [(name: String, bytes: Int)] = [
        ("TiB", 1 << 40), ("TB", 1_000_000_000_000), ("GiB", 1 << 30), ("GB", 1_000_000_000), ("MiB", 1 << 20),
        ("MB", 1_000_000), ("KiB", 1 << 10), ("kB", 1000), ("KB", 1000), ("B", 1),
    ]

    static var unitNames: [String] { units.map(\.name) }

    /// The unit that a user means by a word such as `mb` or `G`; a letter alone means powers of 1024.
    static func unit(meantBy word: String) -> String? {
        let lowered = word.lowercased()
        if lowered.isEmpty || lowered == "b" { return "B" }
        if lowered.count == 1 { return units.first { $0.name.lowercased() == lowered + "ib" }?.name }
        return units.first { $0.name.lowercased() == lowered }?.name
    }

    /// Reads `64KiB`, `4 GiB`, `10GB`, `512B` or `0`; nil if the text is not a size or overflows.
    public init?(text: String) {
        guard let (number, unit) = UnitText.split(text) else { return nil }
        if unit.isEmpty {
            guard number == 0 else { return nil }
            self.init(bytes: 0)
            return
        }
        guard let factor = Self.units.first(where: { $0.name == unit })?.bytes else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
        guard !overflow else { return nil }
        self.init(bytes: bytes)
    }

    /// The size in the largest unit that divides it: `64KiB`, `10GB`, `1001B`, `0`.
    public var description: String {
        guard bytes != 0, let unit = Self.units.first(where: { bytes % $0.bytes == 0 }) else { return "0" }
        return "\(bytes / unit.bytes)\(unit.name)"
    }
}
