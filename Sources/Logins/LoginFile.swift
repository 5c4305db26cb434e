/// The text of a login file: a line `USER:HASH` for each user; empty lines, and those with `#` in front, are ignored.
public struct LoginFile: Sendable, Equatable {
    /// A user and the hash of the password.
    struct Entry: Sendable, Equatable {
        var user: [UInt8]
        var hash: PasswordHash
    }

    /// The most bytes of a login file.
    public static let limit = 4 << 20

    /// In the order of the lines; each user once.
    private(set) var entries: [Entry] = []

    /// How many users it has.
    public var count: Int { entries.count }

    /// A file without users.
    init() {}

    /// - Throws: the first mistake.
    public init(parsing text: [UInt8]) throws(LoginFileFault) {
        var lines: [[UInt8]: Int] = [:]
        for (index, line) in Self.lines(of: text).enumerated() where Self.isEntry(line) {
            let entry: Entry
            do throws(PasswordHash.Fault) {
                entry = try Self.entry(line)
            } catch {
                throw LoginFileFault(line: index + 1, userMessage: "\(error.reason); \(Self.remedy)")
            }
            if let first = lines.updateValue(index + 1, forKey: entry.user) {
                let message = "the user of line \(first) has a second line here; leave one of them"
                throw LoginFileFault(line: index + 1, userMessage: message)
            }
            entries.append(entry)
        }
    }

    /// How a line is made, for messages.
    private static let remedy = "`respite passwd FILE USER` writes such a line"

    static func lines(of text: [UInt8]) -> [ArraySlice<UInt8>] {
        text.split(separator: 0x0A, omittingEmptySubsequences: false).map { $0.last == 0x0D ? $0.dropLast() : $0 }
    }

    /// Whether a line names a user: it is neither a comment nor empty.
    private static func isEntry(_ line: ArraySlice<UInt8>) -> Bool {
        line.first != UInt8(ascii: "#") && line.contains { $0 != 0x20 && $0 != 0x09 }
    }

    private static func entry(_ line: ArraySlice<UInt8>) throws(PasswordHash.Fault) -> Entry {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else {
            throw PasswordHash.Fault("the line is not USER:HASH")
        }
        let user = Array(line[..<colon])
        guard LoginName.isValid(user) else {
            throw PasswordHash.Fault("the name before the colon is not \(LoginName.rule)")
        }
        return Entry(user: user, hash: try PasswordHash(parsing: Array(line[(colon + 1)...])))
    }
}

/// Why a login file is not understood.
public struct LoginFileFault: Error, Sendable, Equatable {
    /// From 1; nil if all of the file is meant.
    public var line: Int?
    /// What is wrong and what to do; it quotes nothing of the file.
    public var userMessage: String
}

/// The names of users.
public enum LoginName {
    /// What a name must be, for messages.
    public static let rule =
        "a name of 1 to 128 bytes of UTF-8, without spaces, control characters and colons, and without a # in front"

    /// Whether `name` may be a user's.
    public static func isValid(_ name: [UInt8]) -> Bool {
        guard (1...128).contains(name.count), name.first != UInt8(ascii: "#"),
            let text = String(validating: name, as: UTF8.self)
        else { return false }
        return text.unicodeScalars.allSatisfy { scalar in
            scalar != ":" && !scalar.properties.isWhitespace && scalar.properties.generalCategory != .control
        }
    }
}
