/// What values a setting takes: how they are read, and how they are written as TOML.
struct SettingType<Value: Sendable>: Sendable {
    /// What documentation says the value is, with its range: `duration, 1ms to 1d`.
    let name: String
    /// On a command line the value is taken as text unless it is quoted or a list.
    let isText: Bool
    let parse: @Sendable (TOMLNode) throws(SettingFault) -> Value
    /// Must be readable by `parse` again.
    let format: @Sendable (Value) -> String
}

/// Why a value does not fit its setting.
struct SettingFault: Error {
    /// Goes on after the name of the setting: `must be …, not …`.
    var message: String
    /// Where in the value the fault is.
    var position: TextPosition
    var suggestion: String?
    /// The setting at fault, where it is one within the setting that is read.
    var name: String?
    /// The message is a whole sentence, without the name of the setting before it.
    var isSentence = false
}

extension SettingFault {
    /// What a person reads; `key` is the setting that was read.
    func sentence(for key: String) -> String { isSentence ? message : "`\(name ?? key)` \(message)" }

    /// The same fault of a setting within the one that is read.
    func of(_ inner: String) -> SettingFault {
        var fault = self
        fault.name = fault.name ?? inner
        return fault
    }

    /// A whole sentence.
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
    /// The value or its kind, for an error message.
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

/// Values as TOML 1.0 writes them.
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
