import HTTPCore
import Observability

/// Removes credentials from fields.
struct FieldScrubbing: Sendable {
    /// Further fields that are credentials, in lower case.
    let names: Set<String>
    let parameters: SecretParameters

    /// Fields whose values are URLs.
    private static let references: Set<String> = ["content-location", "location", "referer"]

    func scrub(_ fields: inout [CassetteField], _ secrets: inout SecretIndex) {
        for index in fields.indices {
            let field = fields[index]
            fields[index].value = value(of: field, field.name.lowercased(), &secrets)
        }
    }

    private func value(of field: CassetteField, _ name: String, _ secrets: inout SecretIndex) -> String {
        switch name {
        case "authorization", "proxy-authorization": Self.credentials(field, &secrets)
        case "cookie":
            field.value.split(separator: ";").map { Self.pair($0, field, &secrets) }.joined(separator: ";")
        case "set-cookie": Self.setCookie(field, &secrets)
        case _ where names.contains(name): Self.replaced(field.value, field, &secrets)
        case _ where Self.references.contains(name): reference(field.value, &secrets)
        default: field.value
        }
    }

    private static func replaced(_ value: String, _ field: CassetteField, _ secrets: inout SecretIndex) -> String {
        secrets.insert(Array(value.utf8), name: field.name)
        return value.isEmpty ? value : Scrubber.replacement
    }

    /// `Bearer scrubbed`; the scheme stays.
    private static func credentials(_ field: CassetteField, _ secrets: inout SecretIndex) -> String {
        let parts = field.value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2 else { return replaced(field.value, field, &secrets) }
        let token = String(parts[1])
        if parts[0].lowercased() == "basic", let pair = Base64.decode(token.utf8),
            let colon = pair.firstIndex(of: UInt8(ascii: ":"))
        {
            secrets.insert(pair, name: field.name)
            secrets.insert(Array(pair[(colon + 1)...]), name: "the password of \(field.name)")
        }
        return "\(parts[0]) \(replaced(token, field, &secrets))"
    }

    /// `name=scrubbed`; blanks before the name stay.
    private static func pair(_ pair: Substring, _ field: CassetteField, _ secrets: inout SecretIndex) -> String {
        let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return replaced(String(pair), field, &secrets) }
        return "\(parts[0])=\(replaced(String(parts[1]), field, &secrets))"
    }

    /// The attributes stay.
    private static func setCookie(_ field: CassetteField, _ secrets: inout SecretIndex) -> String {
        let end = field.value.firstIndex(of: ";") ?? field.value.endIndex
        return pair(field.value[..<end], field, &secrets) + field.value[end...]
    }

    /// A URL without user information and the values of secret parameters.
    func reference(_ url: String, _ secrets: inout SecretIndex) -> String {
        let bytes = Array(url.utf8)
        if let information = SecretParameters.userInformation(of: bytes) {
            secrets.insert(userInformation: information)
        }
        var mask = SecretParameters.Mask(keepingValues: Scrubber.replacement)
        let redacted = parameters.redacted(bytes, by: &mask)
        secrets.insert(mask)
        return String(decoding: redacted, as: UTF8.self)
    }
}

extension SecretIndex {
    /// Notes `user:password`, and the password alone.
    fileprivate mutating func insert(userInformation: ArraySlice<UInt8>) {
        let password = userInformation.drop { $0 != UInt8(ascii: ":") }.dropFirst()
        for (secret, name) in [(userInformation, "user information of a URL"), (password, "a password of a URL")] {
            insert(Array(secret), name: name)
            insert(PercentEncoding.decoded(secret), name: name)
        }
    }

    /// Notes the values of parameters.
    mutating func insert(_ mask: SecretParameters.Mask) {
        for value in mask.values ?? [] {
            insert(value, name: "a secret parameter")
            insert(PercentEncoding.decoded(value[...], plusIsBlank: true), name: "a secret parameter")
        }
    }
}
