/// Reads other programs' TOML files.
public enum ForeignTOML {
    /// The text at a path of keys; nil if there is none, or if the file is not TOML.
    public static func text(at path: [String], in bytes: [UInt8]) -> String? {
        guard let root = try? TOMLDocument.parse(bytes) else { return nil }
        var value = TOMLNode.Value.table(root)
        for key in path {
            guard case .table(let members) = value, let member = members.first(where: { $0.key == key }) else {
                return nil
            }
            value = member.node.value
        }
        guard case .text(let text) = value else { return nil }
        return text
    }
}
