import HTTPCore
import TOML

// Conditions of rules: URLs, methods, media types, statuses, names with wildcards.

extension SettingType where Value == String {
    /// An absolute URL with wildcards.
    static var urlPattern: SettingType {
        glob("URL pattern", expected: "a URL pattern such as \"https://api.example.com/**\"") {
            $0.isAbsolute || $0.warning() == nil
        }
    }

    /// A path with wildcards, after the base of a service.
    static var pathPattern: SettingType {
        glob("path pattern", expected: "a path pattern behind the service's base, such as \"/repos/**\"") {
            $0.isRelative
        }
    }

    /// An absolute URL with wildcards that ends at a segment; patterns are put behind it.
    static var serverPattern: SettingType {
        glob("URL pattern", expected: "a URL pattern without a query, such as \"https://registry.example/\"") {
            $0.isAbsolute && !$0.text.contains("?")
        }
    }

    private static func glob(
        _ name: String,
        expected: String,
        isRight: @escaping @Sendable (URLGlob) -> Bool
    ) -> SettingType {
        SettingType(
            name: name,
            isText: true,
            parse: { (node) throws(SettingFault) -> String in
                guard case .text(let text) = node.value else { throw SettingFault(expected, insteadOf: node) }
                let glob: URLGlob
                do throws(URLGlob.SyntaxError) {
                    glob = try URLGlob(text)
                } catch {
                    throw SettingFault(
                        message: "must be \(expected): \(error.message(in: text))",
                        position: node.position
                    )
                }
                guard isRight(glob) else {
                    var fault = SettingFault(expected, insteadOf: node)
                    if let other = glob.isAbsolute ? nil : glob.warning()?.suggestion {
                        fault.message += "; write \(other)"
                    }
                    throw fault
                }
                return text
            },
            format: { TOMLText.quoted($0) }
        )
    }

    /// A method, in the letter case in which it is sent.
    static var method: SettingType {
        SettingType(
            name: "method",
            isText: true,
            parse: { (node) throws(SettingFault) -> String in
                guard case .text(let text) = node.value, !text.isEmpty, text.utf8.count <= 64,
                    text.utf8.allSatisfy(\.isTokenByte)
                else {
                    throw SettingFault("a method such as \"GET\"", insteadOf: node)
                }
                guard text == text.uppercased() else {
                    var fault = SettingFault("a method in capitals", insteadOf: node)
                    fault.suggestion = text.uppercased()
                    throw fault
                }
                return text
            },
            format: { TOMLText.quoted($0) }
        )
    }

    /// A media type in which `*` may match a part.
    static var mediaTypePattern: SettingType {
        text(
            "media type",
            expected: "a media type such as \"application/json\", \"text/*\" or \"*/*+json\"",
            read: { text in
                let parts = text.split(separator: "/", omittingEmptySubsequences: false)
                let isValid = parts.count == 2 && parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) }
                return isValid ? text.lowercased() : nil
            }
        )
    }

    /// The name of a query parameter as in the URL, in which `*` may match any text.
    static var parameterPattern: SettingType {
        text(
            "parameter name",
            expected: "the name of a query parameter such as \"utm_*\"",
            read: { text in
                let isValid = text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"&=#".utf8.contains($0) }
                return isValid && !text.isEmpty ? text : nil
            }
        )
    }

    /// The name of a field in which `*` may match any text.
    static var fieldPattern: SettingType {
        text(
            "field name",
            expected: "the name of a field such as \"X-*\"",
            read: { !$0.isEmpty && $0.utf8.allSatisfy(\.isTokenByte) ? $0 : nil }
        )
    }
}

extension SettingType where Value == ClosedRange<UInt16> {
    /// One status, a class of them or a range.
    static var status: SettingType {
        SettingType(
            name: "status",
            isText: false,
            parse: { (node) throws(SettingFault) -> ClosedRange<UInt16> in
                guard let range = StatusText.range(node.value) else {
                    throw SettingFault("a status such as 200, \"4xx\" or \"500-599\", from 100 to 599", insteadOf: node)
                }
                return range
            },
            format: StatusText.text
        )
    }
}

/// A status, a class of them or a range, as text.
enum StatusText {
    static func range(_ value: TOMLNode.Value) -> ClosedRange<UInt16>? {
        switch value {
        case .integer(let number): return UInt16(exactly: number).flatMap { range($0, $0) }
        case .text(let text):
            if text.utf8.count == 3, text.lowercased().hasSuffix("xx"), let digit = UInt16(text.prefix(1)) {
                return range(digit * 100, digit * 100 + 99)
            }
            let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { UInt16($0) }
            guard (1...2).contains(parts.count), let first = parts.first ?? nil, let last = parts.last ?? nil else {
                return nil
            }
            return range(first, last)
        default: return nil
        }
    }

    private static func range(_ first: UInt16, _ last: UInt16) -> ClosedRange<UInt16>? {
        first >= 100 && first <= last && last <= 599 ? first...last : nil
    }

    static func text(_ range: ClosedRange<UInt16>) -> String {
        let (first, last) = (range.lowerBound, range.upperBound)
        if first == last { return "\(first)" }
        if first % 100 == 0, last == first + 99 { return "\"\(first / 100)xx\"" }
        return "\"\(first)-\(last)\""
    }
}
