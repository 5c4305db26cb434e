import Glibc
import Testing

@testable import EntityStorage

/// Changes that wait for the disk, and when that is full.
@Suite struct PendingDeletesTests {
    @Test("what needs two different changes is removed; what is done or given up is forgotten")
    func changes() {
        let pending = PendingDeletes(limit: 2)
        let (one, other) = (Array("http://a.example/".utf8), Array("http://b.example/".utf8))
        #expect(pending.isEmpty && !pending.contains(one) && !pending.isFull)
        pending.add(one, .invalidate)
        #expect(pending.all[one] == .invalidate && pending.contains(one) && !pending.contains(other))
        pending.add(one, .remove)
        pending.add(one, .invalidate)
        #expect(pending.all == [one: .remove] && pending.count == 1 && !pending.isFull)
        pending.add(other, .supersede)
        pending.add(other, .supersede)
        #expect(pending.all[other] == .supersede)
        pending.add(other, .invalidate)
        #expect(pending.all[other] == .remove)
        #expect(pending.isFull && !pending.isEmpty)
        pending.remove([other])
        #expect(pending.all == [one: .remove])
        pending.clear()
        #expect(pending.isEmpty && !pending.contains(one))
    }

    @Test(
        "the disk, a quota or the limit of a file may be what is full",
        arguments: [(ENOSPC, true), (EDQUOT, true), (EFBIG, true), (EIO, false), (EROFS, false)]
    )
    func full(code: Int32, isFull: Bool) {
        #expect(FileError(code: code).isFull == isFull && !FileError(code: code).isMissing)
        #expect(FileError(code: ENOENT).isMissing && FileError(code: code, name: "x").text.hasPrefix("x: "))
    }
}
