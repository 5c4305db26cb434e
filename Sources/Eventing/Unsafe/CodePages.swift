import CLinux
import Glibc

/// The pages of files that are resident because something ran or was read there once: the program's and its libraries' code,
/// constants, and the names by which they were joined.
///
/// The start goes through much more of them than serving does: 23 MiB are resident after it, 9 of them once these pages
/// are given back.
enum CodePages {
    /// Has the system take them back; whatever is used again is in the page cache.
    static func giveBack() {
        for range in unchanged(in: bytes(of: "/proc/self/smaps", limit: 1 << 20)) {
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
                // Bytes that are of no file any more, in memory or out of it.
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

    // MARK: Huge pages

    /// What the processor can map as one page.
    static let hugePage: UInt = 2 << 20

    /// Has the 2 MiB around what the loops run be one page, where the system allows that, symbols or not.
    ///
    /// What a request runs through lies on 200 pages, more than a processor has at hand; to look the others up again is slow,
    /// above all in a virtual machine. What the file's own page cannot be, a copy in memory is: the code is the same, but for
    /// profilers and debuggers it belongs to no file any more. Not where pages may not become executable (as for the service
    /// with `MemoryDenyWriteExecute`). Release builds are laid out for it: the program begins at such a page, and what is busy
    /// lies in one.
    static func enlarge() {
        let window = hugePage(around: EventBase.callbackAddress)
        let mappings = bytes(of: "/proc/self/maps", limit: 1 << 20)
        let files = executableFiles(in: mappings)
        guard files.contains(where: { window.clamped(to: $0) == window }) else { return }
        let code = unsafe UnsafeMutableRawPointer(bitPattern: window.lowerBound)
        // Kernels that have huge pages for files do it in place (MADV_COLLAPSE).
        if unsafe madvise(code, window.count, 25) == 0 { return }
        #if arch(x86_64)
        let bytes = bytes(of: "/sys/kernel/mm/transparent_hugepage/enabled", limit: 256)
        let choice = String(decoding: bytes, as: UTF8.self)
        guard choice.contains("[always]") || choice.contains("[madvise]") else { return }
        if let code = unsafe code { unsafe replace(code) }
        #endif
    }

    /// The huge page that `address` lies in.
    static func hugePage(around address: UInt) -> Range<UInt> {
        let start = address & ~(hugePage - 1)
        return start..<start + hugePage
    }

    /// What of `/proc/self/maps` is code of a file that cannot be written to.
    static func executableFiles(in mappings: [UInt8]) -> [Range<UInt>] {
        String(decoding: mappings, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            return words.count >= 2 && words[1] == "r-xp" ? readOnlyFile(words) : nil
        }
    }

    /// Puts a copy in the place of the huge page that begins at `code`.
    private static func replace(_ code: UnsafeMutableRawPointer) {
        let size = Int(hugePage)
        // Twice as much, so that a huge page can begin in it.
        let access = PROT_READ | PROT_WRITE
        let room = unsafe mmap(nil, 2 * size, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard unsafe room != MAP_FAILED, let room = unsafe room else { return }
        let skipped = size - Int(bitPattern: room) % size
        let copy = unsafe room + skipped
        _ = unsafe madvise(copy, size, MADV_HUGEPAGE)
        unsafe copy.copyMemory(from: code, byteCount: size)
        let isRunnable = unsafe mprotect(copy, size, PROT_READ | PROT_EXEC) == 0
        let isMoved = unsafe isRunnable && respite_replace_pages(code, copy, size) == 0
        unsafe munmap(room, skipped)
        unsafe munmap(copy + size, size - skipped)
        if !isMoved { unsafe munmap(copy, size) }
    }

    // MARK: Mappings

    /// Where the mapping lies whose first line this is, if it is a file's and cannot be written to.
    private static func readOnlyFile(_ words: [Substring]) -> Range<UInt>? {
        guard words.count >= 6, words[1] == "r-xp" || words[1] == "r--p", words[5].hasPrefix("/") else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }

    private static func bytes(of file: String, limit: Int) -> [UInt8] {
        let descriptor = unsafe open(file, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return [] }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var part = [UInt8](repeating: 0, count: 16 * 1024)
        while text.count < limit {
            let count = unsafe read(descriptor, &part, part.count)
            guard count > 0 else { break }
            text += part[..<count]
        }
        return text
    }
}
