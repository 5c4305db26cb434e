import HTTPCore
import JSON
import Settings

/// Searches a file for the secrets that were seen.
public struct SecretSearch: Sendable {
    private let secrets: SecretIndex

    public init(_ secrets: SecretIndex) { self.secrets = secrets }

    /// The first place with a secret, as an error that says what to do; nil if there is none.
    ///
    /// It looks at the bytes, at all texts without escapes, and into Base64.
    public func fault(in file: [UInt8]) -> CassetteError? {
        guard !secrets.isEmpty else { return nil }
        if let value = try? JSONReader.parse(file, sizeLimit: .max), let fault = fault(in: value, at: "$") {
            return fault
        }
        return secrets.occurrences(in: file).first.map { Self.error("byte \($0.range.lowerBound)", $0.name) }
    }

    private func fault(in value: JSONValue, at path: String) -> CassetteError? {
        switch value {
        case .text(let text): return fault(in: text, at: path)
        case .array(let elements):
            for (index, element) in elements.enumerated() {
                if let fault = fault(in: element, at: "\(path)[\(index)]") { return fault }
            }
        case .object(let members):
            for member in members {
                if let fault = fault(in: member.name, at: path) { return fault }
                if let fault = fault(in: member.value, at: "\(path).\(member.name)") { return fault }
            }
        case .null, .boolean, .integer, .real: break
        }
        return nil
    }

    private func fault(in text: String, at path: String) -> CassetteError? {
        let bytes = Array(text.utf8)
        let forms = [bytes, Base64.decode(bytes) ?? []]
        return forms.lazy.compactMap { secrets.occurrences(in: $0).first }.first.map { Self.error(path, $0.name) }
    }

    private static func error(_ place: String, _ name: String) -> CassetteError {
        CassetteError(
            place: place,
            "a secret is there, the value of \(name): the cassette is not kept; `--scrub PATH` removes values of JSON, and "
                + "`log.secret-parameters` names more parameters"
        )
    }
}
