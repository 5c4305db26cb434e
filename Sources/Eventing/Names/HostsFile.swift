import HTTPCore

/// The names in a hosts file (hosts(5)) and their addresses; shared by all loops.
///
/// Lists of blocked hosts make such files large, so each name takes only 8 bytes besides the text.
final class HostsFile: Sendable {
    private let file: WatchedFile<HostsIndex>

    init(path: String = "/etc/hosts") { file = WatchedFile(path) { HostsIndex($0) } }

    /// The addresses of `name`, which is in lower case, in the order of the lines; empty if no line has it.
    ///
    /// Reads the file again if it has changed.
    func addresses(of name: String) -> [IPAddress] { file.value().addresses(of: name) }
}

/// One state of a hosts file, with an index of its names.
struct HostsIndex: Sendable {
    /// The hash of a name, and its line; several names may have one hash.
    private struct Entry {
        var hash: UInt32
        /// The first byte of its line.
        var line: UInt32
    }

    private let bytes: [UInt8]
    private let entries: [Entry]

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        var entries: [Entry] = []
        var start = 0
        while start < bytes.count {
            let words = Self.words(bytes.span, from: start)
            for word in words.names {
                entries.append(Entry(hash: Self.hash(bytes.span, word), line: UInt32(start)))
            }
            start = words.end
        }
        entries.sort { ($0.hash, $0.line) < ($1.hash, $1.line) }
        self.entries = entries
    }

    func addresses(of name: String) -> [IPAddress] {
        let name = Array(name.utf8)
        let hash = Self.hash(name.span, 0..<name.count)
        var addresses: [IPAddress] = []
        var index = firstIndex(of: hash)
        while index < entries.count, entries[index].hash == hash {
            let words = Self.words(bytes.span, from: Int(entries[index].line))
            if words.names.contains(where: { isEqual($0, name) }) {
                let text = String(decoding: bytes[words.address], as: UTF8.self)
                // An IPv6 address may have a scope, which is ignored.
                let address = IPAddress(text: String(text.prefix { $0 != "%" }))
                if let address, !addresses.contains(address) { addresses.append(address) }
            }
            index += 1
        }
        return addresses
    }

    private func firstIndex(of hash: UInt32) -> Int {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private func isEqual(_ word: Range<Int>, _ name: [UInt8]) -> Bool {
        word.count == name.count && zip(word, name).allSatisfy { bytes[$0].asciiLowercased == $1 }
    }

    /// The words of the line at `start`, and the offset of the next line.
    private static func words(
        _ bytes: Span<UInt8>,
        from start: Int
    ) -> (address: Range<Int>, names: [Range<Int>], end: Int) {
        var words: [Range<Int>] = []
        var begin: Int?
        var isComment = false
        var index = start
        while true {
            let byte = index < bytes.count ? bytes[index] : 0x0A
            if byte == 0x23 { isComment = true }
            if isComment || byte == 0x20 || byte == 0x09 || byte == 0x0D || byte == 0x0A {
                if let first = begin.take() { words.append(first..<index) }
            } else if begin == nil {
                begin = index
            }
            index += 1
            if byte == 0x0A { break }
        }
        return (words.first ?? start..<start, Array(words.dropFirst()), index)
    }

    /// FNV-1a over the name in lower case.
    private static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt32 {
        var hash: UInt32 = 2_166_136_261
        for index in range { hash = (hash ^ UInt32(bytes[index].asciiLowercased)) &* 16_777_619 }
        return hash
    }
}
