import CommandSyntax
import TOML

extension SettingType where Value == [StatusTTL] {
    /// A table: status, class or range = lifetime.
    static var ttlByStatus: SettingType {
        let lifetime = SettingType<Duration>.anyDurationOrZero
        return SettingType(
            name: "table: status = \(lifetime.name)",
            isText: false,
            parse: { (node) throws(SettingFault) -> [StatusTTL] in
                guard case .table(let members) = node.value else {
                    throw SettingFault("a table such as { 200 = \"10m\", 4xx = \"1m\" }", insteadOf: node)
                }
                if members.isEmpty { throw SettingFault(message: "must not be empty", position: node.position) }
                var list: [StatusTTL] = []
                for member in members {
                    guard let statuses = StatusText.range(.text(member.key)) else {
                        throw SettingFault(
                            message:
                                "has \(TOMLText.literal(member.key)) where a status belongs, such as 200, \"4xx\" or "
                                + "\"500-599\", from 100 to 599",
                            position: member.keyPosition
                        )
                    }
                    if let other = list.first(where: { !isNested($0.statuses, statuses) }) {
                        throw SettingFault(
                            message:
                                "has \(StatusText.text(statuses)) and \(StatusText.text(other.statuses)), which share "
                                + "statuses, and neither is a part of the other",
                            position: member.keyPosition
                        )
                    }
                    do throws(SettingFault) {
                        list.append(StatusTTL(statuses, try lifetime.parse(member.node)))
                    } catch {
                        throw error.of("rule.ttl-by-status.\(member.key)")
                    }
                }
                return list
            },
            format: { list in
                let members = list.map { "\(StatusText.text($0.statuses)) = \(lifetime.format($0.ttl))" }
                return members.isEmpty ? "{}" : "{ " + members.joined(separator: ", ") + " }"
            }
        )
    }

    /// Whether the ranges do not overlap, or one contains the other.
    private static func isNested(_ one: ClosedRange<UInt16>, _ other: ClosedRange<UInt16>) -> Bool {
        guard one.overlaps(other) else { return true }
        return one != other && (one.contains(other) || other.contains(one))
    }
}

extension ClosedRange<UInt16> {
    fileprivate func contains(_ other: ClosedRange<UInt16>) -> Bool {
        lowerBound <= other.lowerBound && other.upperBound <= upperBound
    }
}

extension SettingType where Value == CacheEvenWord {
    static var cacheEven: SettingType {
        let words = SettingType<CacheEvenWord>.choice
        return SettingType(
            name: words.name,
            isText: true,
            parse: { (node) throws(SettingFault) -> CacheEvenWord in
                if case .text(let text) = node.value, ["authorization", "cookie"].contains(text.lowercased()) {
                    throw SettingFault(
                        message:
                            "cannot be \"\(text)\": what a request with credentials brings is cached for these already, "
                            + "and never for others",
                        position: node.position
                    )
                }
                if case .text(let text) = node.value, let setting = relatives[text.lowercased()] {
                    throw SettingFault(
                        message: "cannot be \"\(text)\", which has a setting of its own",
                        position: node.position,
                        suggestion: setting
                    )
                }
                return try words.parse(node)
            },
            format: words.format
        )
    }

    /// Names of other proxies for these directives.
    private static var relatives: [String: String] {
        [
            "set-cookie": "rule.set-cookie", "vary": "rule.vary-ignore", "expires": "rule.ttl", "max-age": "rule.ttl",
            "reload": "rule.ignore-client-no-cache",
        ]
    }
}

extension SettingType where Value == PartitionSetting {
    /// `shared`, `credential`, `user`, or a name that is not similar to these.
    static var partition: SettingType {
        SettingType(
            name: "shared | credential | user | name",
            isText: true,
            parse: { (node) throws(SettingFault) -> PartitionSetting in
                let expected =
                    "\"shared\", \"credential\", \"user\" or a name of letters in lower case, digits, - and ., 63 at most"
                guard case .text(let text) = node.value else { throw SettingFault(expected, insteadOf: node) }
                if text == "shared" { return .shared }
                if text == "credential" { return .credential }
                if text == "user" { return .user }
                var fault = SettingFault(expected, insteadOf: node)
                fault.suggestion =
                    reserved[text] ?? NearestName.find(text.lowercased(), in: ["shared", "credential", "user"])
                guard fault.suggestion == nil, isName(text) else { throw fault }
                return .named(text)
            },
            format: { value in
                switch value {
                case .shared: "\"shared\""
                case .credential: "\"credential\""
                case .user: "\"user\""
                case .named(let name): TOMLText.quoted(name)
                }
            }
        )
    }

    /// Words that users probably mean as one of ours.
    private static var reserved: [String: String] {
        [
            "private": "credential", "personal": "credential", "users": "user", "login": "user",
            "authorization": "credential", "cookie": "credential", "public": "shared", "common": "shared",
            "none": "shared", "default": "shared",
        ]
    }

    private static func isName(_ text: String) -> Bool {
        guard (1...63).contains(text.utf8.count), text.utf8.first != UInt8(ascii: "-") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
            case UInt8(ascii: "-"), UInt8(ascii: "."): true
            default: false
            }
        }
    }
}
