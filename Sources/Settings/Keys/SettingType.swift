import TOML

/// The type of a setting: how values are read, and how they are written as TOML.
struct SettingType<Value: Sendable>: Sendable {
    /// The type's name in documentation, with its range: `duration, 1ms to 1d`.
    let name: String
    /// Whether a value on a command line is text unless it is quoted or a list.
    let isText: Bool
    let parse: @Sendable (TOMLNode) throws(SettingFault) -> Value
    /// Writes a value as TOML that `parse` can read.
    let format: @Sendable (Value) -> String

    init(
        name: String,
        isText: Bool,
        parse: @escaping @Sendable (TOMLNode) throws(SettingFault) -> Value,
        format: @escaping @Sendable (Value) -> String
    ) {
        self.name = name
        self.isText = isText
        self.format = format
        self.parse = { (node) throws(SettingFault) -> Value in
            if case .faulty(let fault) = node.value { throw SettingFault(fault) }
            guard let written = node.written, case .text(let text) = node.value else { return try parse(node) }
            do throws(SettingFault) { return try parse(node) } catch { throw error.hiding(text, behind: written) }
        }
    }
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
    /// Whether something is missing, which may be in a line that is not TOML.
    var isAbsence = false
    /// Further faults of the same value; each of them has none itself.
    fileprivate(set) var others: [SettingFault] = []
}

/// Collects the faults of parts that do not depend on each other: of a list's elements, of a table's members.
struct FaultCollector {
    private var faults: [SettingFault] = []

    /// The part's value; nil, and its faults are added, if it has any.
    @discardableResult
    mutating func attempt<Value>(_ part: () throws(SettingFault) -> Value) -> Value? {
        do throws(SettingFault) {
            return try part()
        } catch {
            faults += error.all
            return nil
        }
    }

    mutating func add(_ fault: SettingFault) { faults += fault.all }

    /// The values of all nodes; throws the faults of all as one.
    static func all<Value>(
        _ nodes: [TOMLNode],
        _ read: (TOMLNode) throws(SettingFault) -> Value
    ) throws(SettingFault) -> [Value] {
        var faults = FaultCollector()
        let values = nodes.compactMap { node in
            faults.attempt { () throws(SettingFault) in try read(node) }
        }
        try faults.check()
        return values
    }

    /// Throws all faults as one.
    func check() throws(SettingFault) {
        guard var first = faults.first else { return }
        first.others = Array(faults.dropFirst())
        throw first
    }
}

extension SettingFault {
    /// The message for users; `key` is the setting that was read.
    func sentence(for key: String) -> String { isSentence ? message : "`\(name ?? key)` \(message)" }

    /// This fault for a setting inside the one that is read.
    func of(_ inner: String) -> SettingFault {
        var fault = self
        fault.name = fault.name ?? inner
        fault.others = others.map { $0.of(inner) }
        return fault
    }

    /// This fault without the value of a variable, which may be a secret.
    fileprivate func hiding(_ text: String, behind written: String) -> SettingFault {
        var fault = self
        if text.count > 1 { fault.message = message.replacing(text, with: written) }
        fault.suggestion = nil
        return fault
    }

    /// This fault and the others, each alone.
    var all: [SettingFault] {
        var first = self
        first.others = []
        return [first] + others
    }

    /// The fault of text that cannot be taken, whatever the setting's type is.
    init(_ error: TOMLError) { self.init(message: error.message, position: error.position) }

    /// A fault whose message is a whole sentence.
    init(sentence: String, position: TextPosition, suggestion: String? = nil) {
        message = sentence
        self.position = position
        self.suggestion = suggestion
        isSentence = true
    }

    /// A fault whose message is a clause about something that is missing.
    static func lacking(_ message: String, at position: TextPosition) -> SettingFault {
        var fault = SettingFault(message: message, position: position)
        fault.isAbsence = true
        return fault
    }

    /// A fault whose message is a whole sentence about something that is missing.
    static func missing(_ sentence: String, at position: TextPosition) -> SettingFault {
        var fault = SettingFault(sentence: sentence, position: position)
        fault.isAbsence = true
        return fault
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
        case .text(let text): written.map { "the value of \"\($0.prefix(80))\"" } ?? "\"\(text.prefix(80))\""
        case .integer(let number): "\(number)"
        case .real(let number): "\(number)"
        case .boolean(let flag): "\(flag)"
        case .dateOrTime, .array, .table, .faulty: kindName
        }
    }
}

/// Writes values in TOML 1.0.
public enum TOMLText {
    /// A basic string, in which `${` is written so that it names no variable.
    public static func quoted(_ text: String) -> String { literal(text.replacing("${", with: "$${")) }

    /// A basic string of these characters.
    static func literal(_ text: String) -> String {
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
