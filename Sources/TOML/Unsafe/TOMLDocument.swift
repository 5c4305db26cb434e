import CToml

/// Reads TOML 1.0 by toml++: at most 1 MiB, nested at most 64 deep.
public enum TOMLDocument {
    /// The members of the root table; of several errors the first is thrown.
    public static func parse(_ bytes: [UInt8]) throws(TOMLError) -> [TOMLMember] {
        let document = unsafe bytes.withUnsafeBytes { raw in
            unsafe ctoml_parse(raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count)
        }
        guard let document = unsafe document else {
            throw TOMLError(
                message: "there is not enough memory to read it",
                position: TextPosition(line: 1, column: 1)
            )
        }
        defer { unsafe ctoml_free(document) }
        var (line, column) = (UInt32(0), UInt32(0))
        if let message = unsafe ctoml_error(document, &line, &column) {
            throw TOMLError(
                message: unsafe String(cString: message),
                position: TextPosition(line: Int(line), column: Int(column))
            )
        }
        return unsafe members(of: document)
    }

    /// Builds the tree from its end: the members of a node come after it, so they are complete when it is reached.
    private static func members(of document: OpaquePointer) -> [TOMLMember] {
        var count = 0
        guard let first = unsafe ctoml_nodes(document, &count), count > 0 else { return [] }
        let nodes = unsafe UnsafeBufferPointer(start: first, count: count)
        var pending = [[TOMLMember]](repeating: [], count: count)
        for index in stride(from: count - 1, to: 0, by: -1) {
            let raw = unsafe nodes[index]
            pending[Int(unsafe raw.parent)].append(unsafe member(raw, members: pending[index]))
            pending[index] = []
        }
        return inDocumentOrder(pending[0])
    }

    private static func member(_ raw: ctoml_node, members: [TOMLMember]) -> TOMLMember {
        TOMLMember(
            key: unsafe text(raw.key, raw.key_length),
            keyPosition: unsafe TextPosition(line: Int(raw.key_line), column: Int(raw.key_column)),
            node: TOMLNode(
                value: unsafe value(raw, members: members),
                position: unsafe TextPosition(line: Int(raw.line), column: Int(raw.column)),
                lastLine: unsafe Int(raw.last_line)
            )
        )
    }

    private static func value(_ raw: ctoml_node, members: [TOMLMember]) -> TOMLNode.Value {
        switch unsafe Int(raw.kind) {
        case CTOML_TABLE: .table(inDocumentOrder(members))
        case CTOML_ARRAY: .array(members.reversed().map(\.node))
        case CTOML_TEXT: unsafe .text(text(raw.text, raw.text_length))
        case CTOML_INTEGER: unsafe .integer(raw.integer)
        case CTOML_REAL: unsafe .real(raw.real)
        case CTOML_BOOLEAN: unsafe .boolean(raw.integer != 0)
        default: .dateOrTime
        }
    }

    /// toml++ sorts tables by key.
    private static func inDocumentOrder(_ members: [TOMLMember]) -> [TOMLMember] {
        members.sorted { ($0.keyPosition.line, $0.keyPosition.column) < ($1.keyPosition.line, $1.keyPosition.column) }
    }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        guard let start = unsafe start else { return "" }
        let bytes = unsafe UnsafeRawBufferPointer(start: start, count: count)
        return unsafe String(decoding: bytes, as: UTF8.self)
    }
}
