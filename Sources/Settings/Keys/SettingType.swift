/// The type of a setting: how values are read, and how they are written as TOML.
struct SettingType<Value: Sendable>: Sendable {
    /// The type's name in documentation, with its range: `duration, 1ms to 1d`.
    let name: String
    /// Whether a value on a command line is text unless it is quoted or a list.
    let isText: Bool
    let parse: @Sendable (TOMLNode) throws(SettingFault) -> Value
    /// Writes a value as TOML that `parse` can read.
    let format: @Sendable (Value) -> String
}

/// Why a value is not valid for its setting.
struct SettingFault: Error {
    /// A clause that follows the setting's name: `must be …, not …`.
    var message: String
    /// The position of the fault in the value.
    var position: TextPosition
    var suggestion: String?
    /// The faulty setting, if it is inside the setting that is read.
    var name: String?
    /// Whether the message is a whole sentence, so that the setting's name is not put before it.
    var isSentence = false
}

extension SettingFault {
    /// The message for users; `key` is the setting that was read.
    func sentence(for key: String) -> String { isSentence ? message : "`\(name ?? key)` \(message)" }

    /// This fault for a setting inside the one that is read.
    func of(_ inner: String) -> SettingFault {
        var fault = self
        fault.name = fault.name ?? inner
        return fault
    }

    /// A fault whose message is a whole sentence.
    init(sentence: String, position: TextPosition, suggestion: String? = nil) {
        message = sentence
        self.position = position
        self.suggestion = suggestion
        isSentence = true
    }

    init(_ expected: String, insteadOf node: TOMLNode) {
        message = "must be \(expected), not \(node.shown)"
        position = node.position
    }
}

extension TOMLNode {
    /// The value or its kind, for error messages.
    var shown: String {
        switch value {
        case .text(let text): "\"\(text.prefix(80))\""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .dateOrTime, .array, .table: kindName
        }
    }
}

/// Writes values in TOML 1.0.
public enum TOMLText {
    /// A basic string.
    public static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
