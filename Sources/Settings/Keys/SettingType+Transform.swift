import HTTPCore
import TOML

extension SettingType where Value == TransformListSetting {
    /// Entries of a pipeline, optionally with `"none"` first, or `"none"` alone.
    static var transforms: SettingType {
        SettingType(
            name: "list of tables, or \"none\"",
            isText: false,
            parse: { (node) throws(SettingFault) -> TransformListSetting in
                var list = TransformListSetting()
                var nodes = [node]
                if case .array(let elements) = node.value { nodes = elements }
                if case .text("none")? = nodes.first?.value {
                    list.replacesEarlier = true
                    nodes.removeFirst()
                }
                var faults = FaultCollector()
                for node in nodes {
                    faults.attempt { () throws(SettingFault) in
                        guard case .table = node.value else {
                            throw SettingFault(
                                "a list of tables such as { json = \"minify\" }, or \"none\"",
                                insteadOf: node
                            )
                        }
                        var draft = TransformDraft()
                        try TransformDraft.reader.read(node, into: &draft)
                        list.steps.append(try draft.setting(node))
                    }
                }
                try faults.check()
                return list
            },
            format: { list in
                let steps = list.steps.map { TransformDraft.reader.format(TransformDraft($0)) }
                return "[" + ((list.replacesEarlier ? ["\"none\""] : []) + steps).joined(separator: ", ") + "]"
            }
        )
    }
}

extension SettingType where Value == FieldChanges {
    static var fieldChanges: SettingType {
        SettingType(
            name: "table of set, add and remove",
            isText: false,
            parse: { (node) throws(SettingFault) -> FieldChanges in
                var changes = FieldChanges()
                try FieldChanges.reader.read(node, into: &changes)
                guard changes != FieldChanges() else {
                    throw SettingFault(message: "needs `set`, `add` or `remove`", position: node.position)
                }
                return changes
            },
            format: { FieldChanges.reader.format($0) }
        )
    }
}

extension SettingType where Value == [FieldSetting] {
    /// A table of fields of a response with their values.
    static var fieldTable: SettingType { fieldTable(isRequest: false) }

    /// A table of field names with their values.
    static func fieldTable(isRequest: Bool) -> SettingType {
        SettingType(
            name: "table of fields",
            isText: false,
            parse: { (node) throws(SettingFault) -> [FieldSetting] in
                guard case .table(let members) = node.value else {
                    throw SettingFault("a table such as { X-Name = \"value\" }", insteadOf: node)
                }
                var faults = FaultCollector()
                var fields: [FieldSetting] = []
                for member in members {
                    faults.attempt { () throws(SettingFault) in
                        try FieldText.check(member, among: fields.map(\.name), isRequest: isRequest)
                        fields.append(FieldSetting(name: member.key, value: try FieldText.value(member.node)))
                    }
                }
                try faults.check()
                return fields
            },
            format: { fields in
                "{ " + fields.map { "\(TOMLText.key($0.name)) = \(TOMLText.quoted($0.value))" }.joined(separator: ", ")
                    + " }"
            }
        )
    }
}

/// Checks fields that settings write.
enum FieldText {
    /// Fields of connections, framing and routing, which only the proxy may write.
    private static let reserved: Set<String> = [
        "connection", "content-length", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
        "via",
    ]
    private static let reservedOfRequests: Set<String> = [
        "expect", "host", "max-forwards", "proxy-authorization", "range", "if-range", "if-match", "if-none-match",
        "if-modified-since", "if-unmodified-since",
    ]

    /// Checks a member's name; `names` are the earlier ones.
    static func check(_ member: TOMLMember, among names: [String], isRequest: Bool) throws(SettingFault) {
        let name = member.key.lowercased()
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else {
            throw SettingFault(
                message: "has an invalid field name \(TOMLText.literal(member.key))",
                position: member.keyPosition
            )
        }
        guard !reserved.contains(name), !isRequest || !reservedOfRequests.contains(name) else {
            throw SettingFault(
                message: "cannot set \(member.key), which is the proxy's own",
                position: member.keyPosition
            )
        }
        guard !names.contains(where: { $0.lowercased() == name }) else {
            throw SettingFault(message: "has \(member.key) twice", position: member.keyPosition)
        }
    }

    static func value(_ node: TOMLNode) throws(SettingFault) -> String {
        if case .faulty(let fault) = node.value { throw SettingFault(fault) }
        guard case .text(let text) = node.value, isValue(text) else {
            // It may be a secret: the message does not quote it.
            throw SettingFault(
                message: "must be the value of a field: text in one line, without spaces around it",
                position: node.position
            )
        }
        return text
    }

    /// RFC 9110 §5.5.
    static func isValue(_ text: String) -> Bool {
        let bytes = text.utf8
        let isBlank: (UInt8) -> Bool = { $0 == 0x20 || $0 == 0x09 }
        return bytes.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7F } && !(bytes.first.map(isBlank) ?? false)
            && !(bytes.last.map(isBlank) ?? false)
    }
}

extension TOMLText {
    /// A TOML key, without quotes if possible.
    static func key(_ name: String) -> String {
        let isBare =
            !name.isEmpty
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"): true
                default: false
                }
            }
        return isBare ? name : literal(name)
    }
}
