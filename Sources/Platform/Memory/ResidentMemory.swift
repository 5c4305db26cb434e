import LibC

/// How much memory of this process is resident, from `/proc/self/statm`.
public struct ResidentMemory: Equatable {
    /// All resident bytes, those of files included.
    public var all: Int
    /// Resident bytes that belong to no file: the heap and the stacks.
    public var anonymous: Int

    /// The memory now; nil if the system does not report it.
    public static var now: ResidentMemory? {
        guard let text = try? SmallFile.read("/proc/self/statm", limit: 4096) else { return nil }
        return ResidentMemory(statm: String(decoding: text, as: UTF8.self), pageSize: sysconf(Int32(_SC_PAGESIZE)))
    }

    /// - Parameters:
    ///   - statm: the line of numbers of pages: of the address space, resident, resident of files, and others.
    ///   - pageSize: the size of a page in bytes.
    init?(statm: String, pageSize: Int) {
        let pages = statm.split(separator: " ").prefix(3).compactMap { Int($0) }
        guard pages.count == 3, pages[1] >= pages[2], pages[2] >= 0 else { return nil }
        let (all, overflow) = pages[1].multipliedReportingOverflow(by: pageSize)
        guard !overflow else { return nil }
        self.all = all
        anonymous = all - pages[2] * pageSize
    }
}
