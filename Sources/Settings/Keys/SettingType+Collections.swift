import HTTPCore
extension SettingType {
    /// A list; a single value is a list of one.
    static func list<Element>(of element: SettingType<Element>, atLeast minimum: Int = 0) -> SettingType
    where Value == [Element] {
        SettingType(
            name: "list of \(element.name)",
            isText: false,
            parse: { (node) throws(SettingFault) -> [Element] in
                guard case .array(let nodes) = node.value else { return [try element.parse(node)] }
                guard nodes.count >= minimum else {
                    throw SettingFault(message: "must not be empty", position: node.position)
                }
                var elements: [Element] = []
                for node in nodes { elements.append(try element.parse(node)) }
                return elements
            },
            format: { elements in "[" + elements.map(element.format).joined(separator: ", ") + "]" }
        )
    }
}

extension SettingType where Value == [String: [IPAddress]] {
    /// A table of host names, each with an address or a list of addresses.
    static var hosts: SettingType {
        let addresses = SettingType<[IPAddress]>.list(of: .ipAddress, atLeast: 1)
        return SettingType(
            name: "table: host name = address or list of addresses",
            isText: false,
            parse: { (node) throws(SettingFault) -> [String: [IPAddress]] in
                guard case .table(let members) = node.value else {
                    throw SettingFault("a table of host names with addresses", insteadOf: node)
                }
                var hosts: [String: [IPAddress]] = [:]
                for member in members {
                    guard HostName.isValid(member.key) else {
                        throw SettingFault(
                            message: "has an invalid host name \(TOMLText.quoted(member.key))",
                            position: member.keyPosition
                        )
                    }
                    hosts[member.key.lowercased()] = try addresses.parse(member.node)
                }
                return hosts
            },
            format: { hosts in
                let members = hosts.sorted { $0.key < $1.key }
                    .map { "\(TOMLText.quoted($0.key)) = \(addresses.format($0.value))" }
                return members.isEmpty ? "{}" : "{ " + members.joined(separator: ", ") + " }"
            }
        )
    }
}

extension SettingType where Value == IPAddress {
    static var ipAddress: SettingType {
        text(
            "address",
            expected: "an address such as \"192.0.2.1\" or \"2001:db8::1\"",
            read: IPAddress.init(text:),
            format: \.description
        )
    }
}
