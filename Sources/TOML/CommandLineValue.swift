/// Reads the value of a setting from a command line.
public enum CommandLineValue {
    /// Reads TOML.
    ///
    /// If the setting is text, or the value is not TOML, the text is the value.
    ///
    /// - Parameter column: where the text begins.
    /// - Throws: if the text begins like a list or table, and is neither such a value nor an address with a port, like
    ///   `[::1]:3128`.
    public static func node(_ text: String, isText: Bool, column: Int) throws(TOMLError) -> TOMLNode {
        let first = text.utf8.first
        let isNested = first == UInt8(ascii: "[") || first == UInt8(ascii: "{")
        if isNested || !isText || first == UInt8(ascii: "\"") || first == UInt8(ascii: "'") {
            do {
                return try tomlNode(text, column: column)
            } catch {
                if isNested, !text.contains("]:") { throw error }
            }
        }
        return TOMLNode(value: .text(text), position: TextPosition(line: 1, column: column))
    }

    private static func tomlNode(_ text: String, column: Int) throws(TOMLError) -> TOMLNode {
        do throws(TOMLError) {
            let members = try TOMLDocument.parse(Array("v=\(text)".utf8))
            guard members.count == 1, let member = members.first else {
                throw TOMLError(message: "this is more than one value", position: TextPosition(line: 1, column: 3))
            }
            return member.node.moved(by: column - 3)
        } catch {
            throw TOMLError(message: error.message, position: error.position.moved(by: column - 3))
        }
    }
}

extension TextPosition {
    /// The position moved to the right by `columns`, if it is in the first line.
    fileprivate func moved(by columns: Int) -> TextPosition {
        line == 1 ? TextPosition(line: 1, column: max(1, column + columns)) : self
    }
}

extension TOMLNode {
    fileprivate func moved(by columns: Int) -> TOMLNode {
        let moved: Value =
            switch value {
            case .array(let nodes): .array(nodes.map { $0.moved(by: columns) })
            case .table(let members):
                .table(
                    members.map { member in
                        TOMLMember(
                            key: member.key,
                            keyPosition: member.keyPosition.moved(by: columns),
                            node: member.node.moved(by: columns)
                        )
                    }
                )
            default: value
            }
        return TOMLNode(value: moved, position: position.moved(by: columns), lastLine: lastLine)
    }
}
