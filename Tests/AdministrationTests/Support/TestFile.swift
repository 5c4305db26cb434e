import Dispatch
import Glibc
import ResourceCore
import Transforms

/// A body in a file without a name; checks on a thread of its own.
final class TestFile: BodyFile {
    let descriptor: Int32
    let count: Int64
    private let damagedFrom: Int64

    struct CannotMake: Error {}

    init(_ bytes: [UInt8], damagedFrom: Int64 = .max) throws {
        var name = Array("/tmp/respite-test-XXXXXX".utf8CString)
        descriptor = mkstemp(&name)
        unlink(name)
        count = Int64(bytes.count)
        self.damagedFrom = damagedFrom
        guard descriptor >= 0, write(descriptor, bytes, bytes.count) == bytes.count else { throw CannotMake() }
    }

    deinit { close(descriptor) }

    func piece(_ range: Range<Int64>) -> BodyPiece {
        .file(FileRegion(owner: self, descriptor: descriptor, offset: range.lowerBound, count: range.count))
    }

    func read(_ count: Int, at offset: Int64) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        let got = pread(descriptor, &bytes, count, off_t(offset))
        return got < 0 ? nil : Array(bytes.prefix(got))
    }

    func verify(_ range: Range<Int64>, _ completion: @escaping @Sendable (Bool) -> Void) {
        DispatchQueue.global().async { completion(range.upperBound <= self.damagedFrom) }
    }

    func isVerified(_ range: Range<Int64>) -> Bool { false }
}
