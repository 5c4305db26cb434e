import HTTPCore
import TOML
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
                return try FaultCollector.all(nodes, element.parse)
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
                var faults = FaultCollector()
                for member in members {
                    guard HostName.isValid(member.key) else {
                        faults.add(invalidName(member))
                        continue
                    }
                    hosts[member.key.lowercased()] = faults.attempt { () throws(SettingFault) in
                        try addresses.parse(member.node)
                    }
                }
                try faults.check()
                return hosts
            },
            format: { hosts in
                let members = hosts.sorted { $0.key < $1.key }
                    .map { "\(TOMLText.literal($0.key)) = \(addresses.format($0.value))" }
                return members.isEmpty ? "{}" : "{ " + members.joined(separator: ", ") + " }"
            }
        )
    }
}

extension SettingType where Value == [String: [IPAddress]] {
    private static func invalidName(_ member: TOMLMember) -> SettingFault {
        let name = TOMLText.literal(member.key)
        guard let host = HostAndPort(text: member.key), host.port != nil else {
            return SettingFault(message: "has an invalid host name \(name)", position: member.keyPosition)
        }
        var fault = SettingFault(
            message: "has \(name) with a port: a name leads to the same addresses for every port",
            position: member.keyPosition
        )
        fault.suggestion = "\"\(host.host)\""
        return fault
    }
}

extension SettingType where Value == IPAddress {
    static var ipAddress: SettingType {
        text(
            "address",
            expected: "an address such as \"192.0.2.1\" or \"2001:db8::1\"",
            read: IPAddress.init(text:)
        )
        .withoutPort("the port is that of the URL")
    }
}
