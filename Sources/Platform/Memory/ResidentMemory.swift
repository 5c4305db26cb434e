import Glibc

/// How much of this process's memory is resident, as the system counts it (`/proc/self/statm`).
public struct ResidentMemory: Equatable {
    /// Bytes in memory, with the pages of files.
    public var all: Int
    /// Those that belong to no file: the heap and the stacks.
    public var anonymous: Int

    /// The memory now; nil if the system does not say.
    public static var now: ResidentMemory? {
        guard let text = try? SmallFile.read("/proc/self/statm", limit: 4096) else { return nil }
        return ResidentMemory(statm: String(decoding: text, as: UTF8.self), pageSize: sysconf(Int32(_SC_PAGESIZE)))
    }

    /// - Parameters:
    ///   - statm: numbers of pages: the address space, the resident ones, those of them that belong to files, and others.
    ///   - pageSize: bytes of a page.
    init?(statm: String, pageSize: Int) {
        let pages = statm.split(separator: " ").prefix(3).compactMap { Int($0) }
        guard pages.count == 3, pages[1] >= pages[2], pages[2] >= 0 else { return nil }
        let (all, overflow) = pages[1].multipliedReportingOverflow(by: pageSize)
        guard !overflow else { return nil }
        self.all = all
        anonymous = all - pages[2] * pageSize
    }
}
