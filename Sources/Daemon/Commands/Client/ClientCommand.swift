import Formats
import HTTPCore
import Observability
import Settings

/// The commands that ask a running daemon.
enum ClientCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        do throws(CommandFailure) {
            let client = try AdminClient(command)
            switch command.name {
            case "status": try StatusCommand(client, command).run()
            case "ls": try ListCommand(client, command).run()
            case "show": try ShowCommand(client, command).run()
            case "reload": try ReloadCommand(client, command).run()
            case "explain": try ExplainCommand(client, command).run()
            case "mode": try ModeCommand(client, command).run()
            case "put": try PutCommand(client, command).run()
            case "tunnels": try TunnelsCommand(client, command).run()
            case "log": try LogCommand(client, command).run()
            case "refresh": try RefreshCommand(client, command).run()
            case "cat": try ContentCommand(client, command).run()
            default: try ChangeCommand(client, command).run()
            }
            return 0
        } catch {
            Console.complain("respite: \(error.userMessage)")
            return error.exitCode
        }
    }

    /// An operand as a URL, checked before anybody is asked.
    static func uri(_ text: String) throws(CommandFailure) -> TargetURI {
        do {
            return try TargetURI(parsing: text)
        } catch {
            let shown = Console.printable(text)
            throw CommandFailure("`\(shown)` is no absolute http or https URL", exitCode: 2)
        }
    }

    /// A value for a query: everything but what has no meaning there is escaped.
    static func escaped(_ text: some Sequence<UInt8>) -> String {
        var result = ""
        for byte in text {
            let isPlain =
                byte.isLetterOrDigit || [0x2D, 0x2E, 0x2F, 0x3A, 0x5F, 0x7E, 0x2A].contains(byte)
            if isPlain {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                let digits = String(byte, radix: 16, uppercase: true)
                result += byte < 16 ? "%0\(digits)" : "%\(digits)"
            }
        }
        return result
    }
}

extension UInt8 {
    fileprivate var isLetterOrDigit: Bool { self | 0x20 &- 0x61 < 26 || self &- 0x30 < 10 }
}

extension JSONWriter {
    /// Writes a value that was read.
    mutating func value(_ value: JSONValue) {
        switch value {
        case .null: null()
        case .boolean(let flag): boolean(flag)
        case .integer(let number): integer(number)
        case .real(let number): real(number)
        case .text(let text): self.text(text)
        case .array(let elements): array { writer in for element in elements { writer.value(element) } }
        case .object(let members):
            object { writer in
                for member in members {
                    writer.name(member.name)
                    writer.value(member.value)
                }
            }
        }
    }
}
