import CLinux

/// The arguments of this process, byte for byte.
///
/// They are read from the first stack, where the kernel puts them. `CommandLine` reads /proc/self/cmdline, and has none
/// where /proc is not mounted.
public enum ProcessArguments {
    /// All arguments, the program's name first.
    public static let all: [[UInt8]] = {
        var count: Int32 = 0
        guard let words = unsafe respite_arguments(&count) else { return CommandLine.arguments.map { Array($0.utf8) } }
        return (0..<Int(count)).compactMap { index in
            guard let word = unsafe words[index] else { return nil }
            return unsafe bytes(of: word)
        }
    }()

    /// The arguments after the program's name, as text.
    public static var texts: [String] { all.dropFirst().map { String(decoding: $0, as: UTF8.self) } }

    /// The last `count` arguments; nil if there are fewer.
    public static func last(_ count: Int) -> [[UInt8]]? {
        guard count >= 0, count < all.count else { return nil }
        return Array(all.suffix(count))
    }
}
