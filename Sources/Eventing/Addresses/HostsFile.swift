import HTTPCore
import Locking

/// The names in a hosts file (hosts(5)); shared by all loops.
///
/// Asked only for names that lead inward, so that it is read when it is needed and not kept. What it said is remembered
/// until it is another file.
public final class HostsFile: Sendable {
    private struct Known {
        var version: Version?
        var answers: [String: Bool] = [:]
    }

    /// Tells one state of a file from another.
    struct Version: Equatable {
        var device: UInt64
        var inode: UInt64
        var size: Int64
        var seconds: Int64
        var nanoseconds: Int64
    }

    /// Names remembered; those asked for are of clients' choice.
    private static let capacity = 256

    let path: String
    private let known = Lock(Known())

    public init(path: String = "/etc/hosts") { self.path = path }

    /// Whether a line names `name`, which is in lower case.
    ///
    /// Reads the file if need be; false if it cannot be read.
    public func contains(_ name: String) -> Bool {
        guard let version = version() else { return false }
        let remembered = known.withLock { $0.version == version ? $0.answers[name] : nil }
        if let remembered { return remembered }
        guard let octets = read() else { return false }
        let answer = Self.names(Array(name.utf8), in: octets.span)
        known.withLock { known in
            if known.version != version || known.answers.count >= Self.capacity {
                known = Known(version: version)
            }
            known.answers[name] = answer
        }
        return answer
    }

    /// Whether a line of `octets` has `name` behind its address.
    static func names(_ name: [UInt8], in octets: Span<UInt8>) -> Bool {
        var word = 0
        var start: Int?
        var isComment = false
        for index in 0...octets.count {
            let octet = index < octets.count ? octets[index] : 0x0A
            if octet == 0x23 { isComment = true }
            guard isComment || octet == 0x20 || octet == 0x09 || octet == 0x0D || octet == 0x0A else {
                if start == nil { start = index }
                continue
            }
            if let begin = start.take() {
                if word > 0, equal(octets.extracting(begin..<index), name) { return true }
                word += 1
            }
            if octet == 0x0A { (word, isComment) = (0, false) }
        }
        return false
    }

    private static func equal(_ word: Span<UInt8>, _ name: [UInt8]) -> Bool {
        guard word.count == name.count else { return false }
        for index in name.indices where word[index].asciiLowercased != name[index] { return false }
        return true
    }
}
