import Platform

/// Finds the program that listens on a port of this machine.
enum PortOwner {
    /// `python3, process 123`; nil if no process listens, or this user may not see which one does.
    static func find(_ port: UInt16) -> String? {
        let sockets = ["tcp", "tcp6"].flatMap { table -> [String] in
            let bytes = (try? SmallFile.read("/proc/net/\(table)", limit: 16 << 20)) ?? []
            return inodes(ofPort: port, inTable: String(decoding: bytes, as: UTF8.self))
        }
        guard !sockets.isEmpty else { return nil }
        return process(having: Set(sockets.map { "socket:[\($0)]" })) ?? "a program of another user"
    }

    /// The sockets that listen on a port, in a table such as /proc/net/tcp.
    static func inodes(ofPort port: UInt16, inTable table: String) -> [String] {
        let digits = String(port, radix: 16, uppercase: true)
        let ending = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        return table.split(separator: "\n").compactMap { line in
            let words = line.split(separator: " ")
            // 0A: the socket listens.
            guard words.count > 9, words[1].hasSuffix(ending), words[3] == "0A" else { return nil }
            return String(words[9])
        }
    }

    private static func process(having sockets: Set<String>) -> String? {
        for number in SmallFile.names(in: "/proc") where number.allSatisfy(\.isNumber) {
            let folder = "/proc/\(number)/fd"
            let links = SmallFile.names(in: folder).lazy.compactMap { FileStatus.target(ofLink: "\(folder)/\($0)") }
            guard links.contains(where: sockets.contains) else { continue }
            let bytes = (try? SmallFile.read("/proc/\(number)/comm", limit: 4096)) ?? []
            let name = String(decoding: bytes.prefix { $0 != 0x0A }, as: UTF8.self)
            return "\(name.isEmpty ? "a program" : name), process \(number)"
        }
        return nil
    }
}
