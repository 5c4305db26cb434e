import Glibc
import Settings

/// What of memory the process has, as the system counts it (`/proc/self/statm`).
struct RetainedMemory: Equatable {
    /// Bytes in memory, pages of files included.
    var resident: Int
    /// Bytes of those that are of no file: the heap and the stacks.
    var anonymous: Int

    /// What is so now; nil if the system does not tell.
    static var now: RetainedMemory? {
        guard let text = try? SmallFile.read("/proc/self/statm", limit: 4096) else { return nil }
        return RetainedMemory(statm: String(decoding: text, as: UTF8.self), pageSize: sysconf(Int32(_SC_PAGESIZE)))
    }

    /// - Parameters:
    ///   - statm: the numbers of pages: of addresses, in memory, of these of files, and others.
    ///   - pageSize: bytes of a page.
    init?(statm: String, pageSize: Int) {
        let pages = statm.split(separator: " ").prefix(3).compactMap { Int($0) }
        guard pages.count == 3, pages[1] >= pages[2], pages[2] >= 0 else { return nil }
        let (resident, overflow) = pages[1].multipliedReportingOverflow(by: pageSize)
        guard !overflow else { return nil }
        self.resident = resident
        anonymous = resident - pages[2] * pageSize
    }
}
