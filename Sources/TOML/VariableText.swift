/// `${NAME}` and `${NAME:-DEFAULT}` in the text of settings.
///
/// `$${` stands for the letters `${`. What a variable contributes is not looked into again.
public struct VariableText: Sendable {
    /// The variables, such as those of the process's environment.
    public let environment: [String: String]

    public init(environment: [String: String]) { self.environment = environment }

    /// Why text cannot be expanded; a clause that follows the setting's name.
    public struct Fault: Error, Equatable {
        public var message: String
    }

    /// The text with the variables' values; nil if it has no `${`.
    public func expanded(_ text: String) throws(Fault) -> String? {
        let opening = Array("${".utf8)
        guard text.utf8.contains(UInt8(ascii: "$")) else { return nil }
        var (result, rest) = ([UInt8](), Array(text.utf8)[...])
        var hasReference = false
        while let byte = rest.first {
            if rest.starts(with: Array("$${".utf8)) {
                hasReference = true
                result += opening
                rest = rest.dropFirst(3)
            } else if rest.starts(with: opening) {
                hasReference = true
                guard let end = rest.firstIndex(of: UInt8(ascii: "}")) else {
                    throw Fault(message: "has `${` without its `}`; write `$${` for the letters `${`")
                }
                result += try value(of: String(decoding: rest[..<end].dropFirst(2), as: UTF8.self)).utf8
                rest = rest[end...].dropFirst()
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return hasReference ? String(decoding: result, as: UTF8.self) : nil
    }

    /// - Parameter reference: the text between `${` and `}`.
    private func value(of reference: String) throws(Fault) -> String {
        let name = String(decoding: reference.utf8.prefix(while: Self.isNameByte), as: UTF8.self)
        let rest = reference.utf8.dropFirst(name.utf8.count)
        guard let first = name.utf8.first, !(0x30...0x39).contains(first), rest.isEmpty || rest.starts(with: ":-".utf8)
        else {
            throw Fault(
                message: "has `${\(reference.prefix(40))}`, which names no variable; write `${NAME}` or "
                    + "`${NAME:-DEFAULT}`, and `$${` for the letters `${`"
            )
        }
        let value = environment[name]
        guard rest.isEmpty else {
            let standard = String(decoding: rest.dropFirst(2), as: UTF8.self)
            guard !standard.contains("${") else {
                throw Fault(message: "has a variable in the default of `${\(name):-…}`, where only text may stand")
            }
            return value.flatMap { $0.isEmpty ? nil : $0 } ?? standard
        }
        guard let value else {
            throw Fault(
                message: "names the variable \(name), which is not set; set it where Respite is started "
                    + "(`Environment=` of a systemd unit), or write `${\(name):-DEFAULT}`"
            )
        }
        return value
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"): true
        default: false
        }
    }
}

extension TOMLNode {
    /// This value with variables in its text; text with a mistake becomes `faulty`.
    public func expanding(_ variables: VariableText) -> TOMLNode {
        var node = self
        switch value {
        case .text(let text):
            do throws(VariableText.Fault) {
                guard let expanded = try variables.expanded(text) else { return self }
                node.value = .text(expanded)
                node.written = text
            } catch {
                node.value = .faulty(TOMLError(message: error.message, position: position))
            }
        case .array(let nodes): node.value = .array(nodes.map { $0.expanding(variables) })
        case .table(let members): node.value = .table(members.map { $0.expanding(variables) })
        case .integer, .real, .boolean, .dateOrTime, .faulty: break
        }
        return node
    }
}

extension TOMLMember {
    public func expanding(_ variables: VariableText) -> TOMLMember {
        TOMLMember(key: key, keyPosition: keyPosition, node: node.expanding(variables))
    }
}
