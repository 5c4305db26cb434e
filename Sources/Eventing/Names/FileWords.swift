/// Splits configuration files of the system into lines and words.
enum FileWords {
    /// The words of each line that has any, without comments.
    ///
    /// - Parameter comments: the characters that begin a comment.
    static func lines(of bytes: [UInt8], comments: String) -> [[String]] {
        let marks = Set(comments.utf8)
        return bytes.split(separator: 0x0A).compactMap { line in
            let words = line.prefix { !marks.contains($0) }.split { $0 == 0x20 || $0 == 0x09 || $0 == 0x0D }
            return words.isEmpty ? nil : words.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
