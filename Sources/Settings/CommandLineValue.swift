/// Reads the value of a setting from a command line.
enum CommandLineValue {
    /// TOML if it is such and the setting does not take text, else the text itself.
    static func node(_ text: String, isText: Bool, column: Int) -> TOMLNode {
        let looksLikeTOML = text.utf8.first.map("\"'[{".utf8.contains) ?? false
        if looksLikeTOML || !isText, let node = tomlNode(text) { return node.moved(to: column) }
        return TOMLNode(value: .text(text), position: TextPosition(line: 1, column: column))
    }

    private static func tomlNode(_ text: String) -> TOMLNode? {
        guard let members = try? TOMLDocument.parse(Array("v=\(text)".utf8)), members.count == 1 else { return nil }
        return members[0].node
    }
}

extension TOMLNode {
    /// The same value at another place; faults inside point to its beginning.
    fileprivate func moved(to column: Int) -> TOMLNode {
        let position = TextPosition(line: 1, column: column)
        let moved: Value =
            switch value {
            case .array(let nodes): .array(nodes.map { $0.moved(to: column) })
            case .table(let members):
                .table(
                    members.map { TOMLMember(key: $0.key, keyPosition: position, node: $0.node.moved(to: column)) }
                )
            default: value
            }
        return TOMLNode(value: moved, position: position)
    }
}
