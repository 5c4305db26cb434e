import CommandSyntax
import TOML

extension SettingType where Value == Bool {
    static var flag: SettingType {
        SettingType(
            name: "true or false",
            isText: false,
            parse: { (node) throws(SettingFault) -> Bool in
                guard case .boolean(let flag) = node.value else { throw SettingFault("true or false", insteadOf: node) }
                return flag
            },
            format: { "\($0)" }
        )
    }
}

extension SettingType where Value == Int {
    static func count(_ range: ClosedRange<Int>) -> SettingType {
        let expected = "a whole number from \(range.lowerBound) to \(range.upperBound)"
        return SettingType(
            name: "number, \(range.lowerBound) to \(range.upperBound)",
            isText: false,
            parse: { (node) throws(SettingFault) -> Int in
                if case .integer(let wide) = node.value, let number = Int(exactly: wide), range.contains(number) {
                    return number
                }
                var fault = SettingFault(expected, insteadOf: node)
                if case .text(let text) = node.value, let number = Int(text), range.contains(number) {
                    fault.suggestion = "\(number)"
                }
                throw fault
            },
            format: { "\($0)" }
        )
    }
}

extension SettingType where Value == Double {
    /// A fraction from 0 to 1.
    static var fraction: SettingType {
        SettingType(
            name: "fraction, 0 to 1",
            isText: false,
            parse: { (node) throws(SettingFault) -> Double in
                let number: Double? =
                    switch node.value {
                    case .real(let real): real
                    case .integer(let integer): Double(integer)
                    default: nil
                    }
                guard let number, (0...1).contains(number) else {
                    throw SettingFault("a number from 0.0 to 1.0", insteadOf: node)
                }
                return number
            },
            format: { "\($0)" }
        )
    }
}

extension SettingType where Value == Duration {
    static func duration(_ range: ClosedRange<Duration>) -> SettingType {
        let bounds = "\(range.lowerBound.settingText) to \(range.upperBound.settingText)"
        return unit(
            name: "duration, \(bounds)",
            expected: "a duration with units (ms, s, m, h, d, w) such as \"30s\" or \"1h30m\", from \(bounds)",
            read: { text in Duration(settingText: text).flatMap { range.contains($0) ? $0 : nil } },
            respelt: { UnitText.respelt($0, Duration.unitNames, Duration.unit(meantBy:)) },
            format: \.settingText
        )
    }
}

extension SettingType where Value == ByteCount {
    static func size(_ range: ClosedRange<ByteCount>) -> SettingType {
        unit(
            name: "size, \(range.lowerBound) to \(range.upperBound)",
            expected: "a size with its unit (B, kB, KiB, MB, MiB, GB, GiB, TB, TiB) such as \"64KiB\", "
                + "from \(range.lowerBound) to \(range.upperBound)",
            read: { text in ByteCount(text: text).flatMap { range.contains($0) ? $0 : nil } },
            respelt: { UnitText.respelt($0, ByteCount.unitNames, ByteCount.unit(meantBy:)) },
            format: \.description
        )
    }
}

extension SettingType {
    /// Text that `read` parses; the number 0 counts as the text `0`.
    private static func unit(
        name: String,
        expected: String,
        read: @escaping @Sendable (String) -> Value?,
        respelt: @escaping @Sendable (String) -> String?,
        format: @escaping @Sendable (Value) -> String
    ) -> SettingType {
        SettingType(
            name: name,
            isText: true,
            parse: { (node) throws(SettingFault) -> Value in
                let text: String? =
                    switch node.value {
                    case .text(let text): text
                    case .integer(let number): "\(number)"
                    default: nil
                    }
                if let value = text.flatMap(read) { return value }
                var fault = SettingFault(expected, insteadOf: node)
                if text?.hasSuffix("%") == true { fault.message += "; only `storage.limit` can be a share of a disk" }
                // A unit of another spelling is not guessed, but suggested.
                fault.suggestion = text.flatMap(respelt).flatMap { read($0) == nil ? nil : "\"\($0)\"" }
                throw fault
            },
            format: { TOMLText.quoted(format($0)) }
        )
    }

    /// Text that `read` parses.
    static func text(
        _ name: String,
        expected: String,
        read: @escaping @Sendable (String) -> Value?,
        format: @escaping @Sendable (Value) -> String
    ) -> SettingType {
        SettingType(
            name: name,
            isText: true,
            parse: { (node) throws(SettingFault) -> Value in
                guard case .text(let text) = node.value, let value = read(text) else {
                    throw SettingFault(expected, insteadOf: node)
                }
                return value
            },
            format: { TOMLText.quoted(format($0)) }
        )
    }

    /// A word that means "nothing", or a value of `wrapped`.
    static func optional<Wrapped>(_ word: String, _ wrapped: SettingType<Wrapped>) -> SettingType
    where Value == Wrapped? {
        SettingType(
            name: word.isEmpty ? wrapped.name : "\(wrapped.name), or \"\(word)\"",
            isText: wrapped.isText,
            parse: { (node) throws(SettingFault) -> Wrapped? in
                if case .text(word) = node.value { return nil }
                return try wrapped.parse(node)
            },
            format: { value in value.map(wrapped.format) ?? TOMLText.quoted(word) }
        )
    }
}

extension SettingType where Value: CustomStringConvertible {
    /// Text that `read` parses, and that is the value's description.
    static func text(_ name: String, expected: String, read: @escaping @Sendable (String) -> Value?) -> SettingType {
        text(name, expected: expected, read: read, format: \.description)
    }
}

extension SettingType where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the raw values of an enum.
    static var choice: SettingType {
        let words = Value.allCases.map(\.rawValue)
        let listed = words.map { "\"\($0)\"" }.joined(separator: ", ")
        return SettingType(
            name: words.joined(separator: " | "),
            isText: true,
            parse: { (node) throws(SettingFault) -> Value in
                guard case .text(let text) = node.value, let value = Value(rawValue: text) else {
                    var fault = SettingFault("one of \(listed)", insteadOf: node)
                    if case .text(let text) = node.value { fault.suggestion = NearestName.find(text, in: words) }
                    throw fault
                }
                return value
            },
            format: { TOMLText.quoted($0.rawValue) }
        )
    }
}

extension SettingType where Value == Int {
    /// A share of something, such as `10%`.
    static func percentage(_ range: ClosedRange<Int>) -> SettingType {
        text(
            "percentage, \(range.lowerBound)% to \(range.upperBound)%",
            expected: "a percentage from \"\(range.lowerBound)%\" to \"\(range.upperBound)%\"",
            read: { text in
                guard text.hasSuffix("%"), text.utf8.first != 0x2B else { return nil }
                return Int(text.dropLast()).flatMap { range.contains($0) ? $0 : nil }
            },
            format: { "\($0)%" }
        )
    }
}
