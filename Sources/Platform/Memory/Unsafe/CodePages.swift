import CLinux
import Glibc

/// Pages of files in this process's memory: the code, constants and symbol names of the program and its libraries.
///
/// The start touches many more of them than serving does: 23 MiB are resident after it, 9 once these pages are released.
enum CodePages {
    /// Has the system drop them; those that are used again come from the page cache.
    static func release() {
        for range in unchanged(in: bytes(of: "/proc/self/smaps")) {
            let start = unsafe UnsafeMutableRawPointer(bitPattern: range.lowerBound)
            _ = unsafe madvise(start, range.count, MADV_DONTNEED)
        }
    }

    /// The mappings in `/proc/self/smaps` that hold only what their file holds.
    ///
    /// They are not writable, and the dynamic linker has written to none of their pages.
    static func unchanged(in mappings: [UInt8]) -> [Range<UInt>] {
        var ranges: [Range<UInt>] = []
        var current: Range<UInt>?
        var untouched = Set<Substring>()
        for line in String(decoding: mappings, as: UTF8.self).split(separator: "\n") {
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            if words.count >= 3, words[0].hasSuffix(":") {
                // Pages that differ from the file, in memory or in swap space: none.
                if words[0] == "Anonymous:" || words[0] == "Swap:", words[1] == "0" { untouched.insert(words[0]) }
                if untouched.count == 2, let range = current {
                    ranges.append(range)
                    current = nil
                }
            } else if !words[0].hasSuffix(":") {
                current = readOnlyFile(words)
                untouched = []
            }
        }
        return ranges
    }

    // MARK: Huge pages

    /// The size of a huge page, in bytes.
    static let hugePage: UInt = 2 << 20

    /// Maps the 2 MiB around `address` as one page, where the system allows that, with debugging symbols or without.
    ///
    /// The code of a request lies on 200 pages, more than a processor's address cache holds; looking up the others is slow,
    /// above all in a virtual machine. If the kernel cannot map the file by a huge page, a copy in memory replaces the code.
    /// The copy does the same, but belongs to no file, so profilers and debuggers find no names for it. Without effect where
    /// pages may not become executable, as in a service with `MemoryDenyWriteExecute`. Release builds begin at such a page,
    /// and their busy functions lie in one.
    static func enlarge(around address: UInt) {
        let window = hugePage(around: address)
        let mappings = bytes(of: "/proc/self/maps")
        let files = executableFiles(in: mappings)
        guard files.contains(where: { window.clamped(to: $0) == window }) else { return }
        let code = unsafe UnsafeMutableRawPointer(bitPattern: window.lowerBound)
        // MADV_COLLAPSE: kernels that have huge pages for files do it in place.
        if unsafe madvise(code, window.count, 25) == 0 { return }
        #if arch(x86_64)
        let bytes = bytes(of: "/sys/kernel/mm/transparent_hugepage/enabled")
        let choice = String(decoding: bytes, as: UTF8.self)
        guard choice.contains("[always]") || choice.contains("[madvise]") else { return }
        if let code = unsafe code { unsafe replace(code) }
        #endif
    }

    /// The addresses of the huge page around `address`.
    static func hugePage(around address: UInt) -> Range<UInt> {
        let start = address & ~(hugePage - 1)
        return start..<start + hugePage
    }

    /// The mappings in `/proc/self/maps` that are code of a file, and not writable.
    static func executableFiles(in mappings: [UInt8]) -> [Range<UInt>] {
        String(decoding: mappings, as: UTF8.self).split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ", omittingEmptySubsequences: true)
            return words.count >= 2 && words[1] == "r-xp" ? readOnlyFile(words) : nil
        }
    }

    /// Replaces the 2 MiB that begin at `code` by a copy on a huge page.
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

    /// The addresses of a mapping, by the words of its line, if it belongs to a file and is not writable.
    private static func readOnlyFile(_ words: [Substring]) -> Range<UInt>? {
        guard words.count >= 6, words[1] == "r-xp" || words[1] == "r--p", words[5].hasPrefix("/") else { return nil }
        let ends = words[0].split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? ends[0]..<ends[1] : nil
    }

    private static func bytes(of file: String) -> [UInt8] { (try? SmallFile.read(file, limit: 4 << 20)) ?? [] }
}
