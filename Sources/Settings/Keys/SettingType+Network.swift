import HTTPCore
import TOML

extension SettingType where Value == ListenAddress {
    static var listenAddress: SettingType {
        text(
            "address",
            expected: "an address such as \"127.0.0.1:3128\", \"https://[::1]:3443\" or \"unix:/run/respite.sock\"",
            read: ListenAddress.init(text:)
        )
    }
}

extension SettingType where Value == NameServer {
    static var nameServer: SettingType {
        text(
            "address",
            expected: "an address such as \"9.9.9.9\" or \"[2001:db8::1]:5353\"",
            read: NameServer.init(text:)
        )
    }
}

extension SettingType where Value == AddressRange {
    static var addressRange: SettingType {
        text(
            "address range",
            expected: "an address or range such as \"192.168.1.0/24\" or \"::1\" (no bits set behind the prefix)",
            read: AddressRange.init(text:)
        )
        .withoutPort("a client has another one with each connection")
    }
}

extension SettingType where Value == GatewayOrigin {
    static var origin: SettingType {
        text(
            "URL",
            expected: "an origin such as \"http://127.0.0.1:8000\" or \"https://api.example.com\", without path",
            read: GatewayOrigin.init(text:)
        )
    }
}

extension SettingType where Value == CollectorURL {
    static var collector: SettingType {
        text(
            "URL",
            expected: "the URL of a collector such as \"http://127.0.0.1:4318\", without login, query and fragment",
            read: CollectorURL.init(text:)
        )
    }
}

extension SettingType where Value == SharedServerURL {
    static var sharedServer: SettingType {
        text(
            "URL",
            expected: "a URL without login such as \"rediss://cache.example:6379\" or \"redis+unix:///run/redis.sock\"",
            read: SharedServerURL.init(text:)
        )
    }

    static var sharedNode: SettingType {
        text(
            "address",
            expected: "an address such as \"10.0.0.1:6379\" or \"rediss://cache.example:6379\"",
            read: SharedServerURL.init(node:)
        )
    }
}

extension SettingType where Value == StorageLocation {
    static var location: SettingType {
        text(
            "path, or \"none\"",
            expected: "the path of a directory, \"none\", or \"\" for the usual place",
            read: { text in
                switch text {
                case "": .standard
                case "none": StorageLocation.none
                default: text.utf8.contains(0) ? nil : .directory(text)
                }
            },
            format: { location in
                switch location {
                case .standard: ""
                case .none: "none"
                case .directory(let path): path
                }
            }
        )
    }
}

extension SettingType where Value == String {
    static var path: SettingType {
        text(
            "path",
            expected: "the path of a file",
            read: { $0.isEmpty || $0.utf8.contains(0) ? nil : $0 }
        )
    }

    /// The name of a field: a token (RFC 9110 §5.6.2).
    static var fieldName: SettingType {
        text(
            "field name",
            expected: "the name of a field, such as \"X-Api-Key\"",
            read: { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) ? $0 : nil }
        )
    }

    static var hostName: SettingType {
        text(
            "host name",
            expected: "a host name such as \"proxy.example\"",
            read: { HostName.isValid($0) ? $0.lowercased() : nil }
        )
        .withoutPort("a name is good for every port")
    }

    /// Text without control characters; it is lower-cased.
    static var parameterName: SettingType {
        text(
            "parameter name",
            expected: "the name of a query parameter",
            read: { $0.isEmpty || $0.utf8.contains { $0 < 0x21 } ? nil : $0.lowercased() }
        )
    }
}

extension SettingType {
    /// The same type, whose fault for `HOST:PORT` explains why there is no port.
    func withoutPort(_ reason: String) -> SettingType {
        SettingType(
            name: name,
            isText: isText,
            parse: { [parse] (node) throws(SettingFault) -> Value in
                do throws(SettingFault) {
                    return try parse(node)
                } catch {
                    guard case .text(let text) = node.value, let host = HostAndPort(text: text), host.port != nil else {
                        throw error
                    }
                    var fault = SettingFault(
                        message: "cannot have a port, as \"\(text)\" has: \(reason)",
                        position: node.position
                    )
                    fault.suggestion = "\"\(host.host)\""
                    throw fault
                }
            },
            format: format
        )
    }
}

extension SettingType where Value == PortSelection {
    /// A list of ports, or `"any"`.
    static var ports: SettingType {
        let list = SettingType<[UInt16]>.list(of: .port)
        return SettingType(
            name: "\(list.name), or \"any\"",
            isText: false,
            parse: { (node) throws(SettingFault) -> PortSelection in
                guard case .text(let text) = node.value else { return .listed(try list.parse(node)) }
                if text == "any" { return .any }
                var fault = SettingFault("a list of ports such as [443, 8443], or \"any\"", insteadOf: node)
                fault.suggestion = UInt16(text).map { "\($0)" } ?? "\"any\""
                throw fault
            },
            format: { selection in
                switch selection {
                case .any: "\"any\""
                case .listed(let ports): list.format(ports)
                }
            }
        )
    }
}

extension SettingType where Value == UInt16 {
    static var port: SettingType {
        let number = SettingType<Int>.count(1...65_535)
        return SettingType(
            name: "port",
            isText: false,
            parse: { (node) throws(SettingFault) -> UInt16 in UInt16(try number.parse(node)) },
            format: { "\($0)" }
        )
    }
}
