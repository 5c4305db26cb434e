import Glibc

/// The pages of files that are resident because something ran or was read there once: the program's and its libraries' code,
/// constants, and the names by which they were joined.
///
/// The start goes through much more of them than serving does: 23 MiB are resident after it, 9 of them once these pages
/// are given back.
enum CodePages {
    /// Has the system take them back; whatever is used again is in the page cache.
    static func giveBack() {
        for range in unchanged(in: mappings()) {
            let start = unsafe UnsafeMutableRawPointer(bitPattern: range.lowerBound)
            _ = unsafe madvise(start, range.count, MADV_DONTNEED)
        }
    }

    /// What of `/proc/self/smaps` holds nothing but what is in a file: it cannot be written to, and no page of it was while
    /// it was joined to the others.
    static func unchanged(in mappings: [UInt8]) -> [Range<UInt>] {
        var ranges: [Range<UInt>] = []
        var current: Range<UInt>?
        var own = Set<Substring>()
        for line in String(decoding: mappings, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.count >= 3, words[0].hasSuffix(":") {
                // Octets that are of no file any more, in memory or out of it.
                if words[0] == "Anonymous:" || words[0] == "Swap:", words[1] == "0" { own.insert(words[0]) }
                if own.count == 2, let range = current {
                    ranges.append(range)
                    current = nil
                }
            } else if !words[0].hasSuffix(":") {
                current = readOnlyFile(words)
                own = []
            }
        }
        return ranges
    }

    /// Where the mapping lies whose first line this is, if it is a file's and cannot be written to.
    private static func readOnlyFile(_ words: [Substring]) -> Range<UInt>? {
        guard words.count >= 6, words[1] == "r-xp" || words[1] == "r--p", words[5].hasPrefix("/") else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }

    private static func mappings() -> [UInt8] {
        let descriptor = unsafe open("/proc/self/smaps", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 * 1024)
        while text.count < 1 << 20 {
            let count = unsafe read(descriptor, &part, part.count)
            guard count > 0 else { break }
            text += part[..<count]
        }
        return text
    }
}
