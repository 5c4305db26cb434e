import Glibc

/// What the tests do otherwise when they, and with them the daemon beside them, are built with a sanitizer.
enum Sanitizer {
    static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    /// How many times longer everything may take.
    static var patience: Int { isOn ? 6 : 1 }

    /// What a sanitizer wrote to a program's standard error; nil if there is nothing.
    static func report(in text: String) -> String? {
        guard let mark = text.firstRange(of: "Sanitizer: ") else { return nil }
        let line = text[..<mark.lowerBound].lastIndex(of: "\n").map { text.index(after: $0) } ?? text.startIndex
        return String(text[line...])
    }
}
