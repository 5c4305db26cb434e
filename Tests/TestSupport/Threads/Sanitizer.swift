import Glibc

/// What differs when tests, and the daemon beside them, are built with a sanitizer.
public enum Sanitizer {
    public static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    /// The factor for all time limits.
    public static var patience: Int { isOn ? 6 : 1 }

    /// The file of what a sanitizer takes for a leak, and is none.
    public static let falseLeaks = fixture("leaks.txt")

    /// A file of Tests/Fixtures.
    private static func fixture(_ name: String, file: String = #filePath) -> String {
        file.split(separator: "/").dropLast(3).map { "/" + $0 }.joined() + "/Fixtures/" + name
    }

    /// The report that a sanitizer wrote to a program's standard error; nil if there is none.
    public static func report(in text: String) -> String? {
        guard let mark = text.ranges(of: "Sanitizer: ").first else { return nil }
        let line = text[..<mark.lowerBound].lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        return String(text[line...])
    }
}
