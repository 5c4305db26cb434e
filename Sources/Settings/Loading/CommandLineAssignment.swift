import TOML

/// The parts of `a.b=value` on a command line: `hosts."a.b"`, `service.x.base`.
struct CommandLineAssignment {
    /// The parts of the key with their positions.
    let path: [TOMLMember]
    /// The text after the equals sign, without spaces around it.
    let value: String
    /// Where the value begins.
    let column: Int

    init(_ text: String) throws(TOMLError) {
        guard let sign = Self.sign(text) else {
            throw TOMLError(message: "write it as --set KEY=VALUE", position: TextPosition(line: 1, column: 1))
        }
        let rest = text[sign...].dropFirst()
        let start = rest.firstIndex { $0 != " " } ?? rest.endIndex
        let end = rest[start...].lastIndex { $0 != " " }.map(rest.index(after:)) ?? start
        value = String(rest[start..<end])
        column = text.unicodeScalars.distance(from: text.startIndex, to: start) + 1
        path = try Self.path(text[..<sign])
    }

    /// The first `=` outside quotes.
    private static func sign(_ text: String) -> String.Index? {
        var quote: Character?
        var isEscaped = false
        for index in text.indices {
            let character = text[index]
            if let open = quote {
                if isEscaped {
                    isEscaped = false
                } else if character == "\\", open == "\"" {
                    isEscaped = true
                } else if character == open {
                    quote = nil
                }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if character == "=" {
                return index
            }
        }
        return nil
    }

    private static func path(_ key: Substring) throws(TOMLError) -> [TOMLMember] {
        guard !key.contains(where: \.isNewline), !key.contains("[") || key.contains("\"") || key.contains("'") else {
            throw TOMLError(message: "this is no key", position: TextPosition(line: 1, column: 1))
        }
        var members = try TOMLDocument.parse(Array("\(key)=0".utf8))
        var path: [TOMLMember] = []
        while let member = members.first {
            path.append(member)
            guard case .table(let inner) = member.node.value else { break }
            members = inner
        }
        // Host names contain dots: everything after `hosts` is one name.
        if path.count > 2, path[0].key == "hosts" {
            path[1].key = path[1...].map(\.key).joined(separator: ".")
            path.removeSubrange(2...)
        }
        return path
    }

    /// The assignment as a member of a file.
    func member(_ value: TOMLNode) -> TOMLMember {
        var node = value
        var result = TOMLMember(key: "", keyPosition: TextPosition(line: 1, column: 1), node: value)
        for part in path.reversed() {
            result = TOMLMember(key: part.key, keyPosition: part.keyPosition, node: node)
            node = TOMLNode(value: .table([result]), position: part.keyPosition)
        }
        return result
    }
}
