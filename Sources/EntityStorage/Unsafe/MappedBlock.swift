import Glibc
import ResourceCore

/// A block of a file, mapped; unmapped with the last reference, and the file open until then.
@safe
final class MappedBlock: FilePages {
    private let file: OpenFile
    /// Where the block begins in the file.
    private let offset: Int64
    private let count: Int
    private let start: UInt

    /// Nil if the system has no address for it.
    ///
    /// - Parameters:
    ///   - offset: a multiple of the system's pages.
    ///   - count: octets, above 0.
    init?(_ file: OpenFile, at offset: Int64, count: Int) {
        let memory = unsafe mmap(nil, count, PROT_READ, MAP_SHARED, file.descriptor, off_t(offset))
        guard let memory = unsafe memory, unsafe memory != MAP_FAILED else { return nil }
        self.file = file
        self.offset = offset
        self.count = count
        start = UInt(bitPattern: memory)
    }

    deinit {
        if let memory = unsafe UnsafeMutableRawPointer(bitPattern: start) { unsafe _ = munmap(memory, count) }
    }

    func address(of offset: Int64) -> UInt { start + UInt(offset - self.offset) }
}
