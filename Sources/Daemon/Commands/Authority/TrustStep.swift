import Platform
import Settings
import TransportSecurity

/// One thing that is done to have a CA trusted, or trusted no more.
enum TrustStep: Equatable {
    /// For everybody to read.
    case write(String, [UInt8])
    case remove(String)
    case run([String])

    /// - Parameter isPlan: what would be done.
    func text(isPlan: Bool) -> String {
        switch self {
        case .write(let path, _): "\(isPlan ? "would write" : "wrote") \(path)"
        case .remove(let path): "\(isPlan ? "would remove" : "removed") \(path)"
        case .run(let words):
            "\(isPlan ? "would run" : "ran") \(words.map(VariablesText.quoted).joined(separator: " "))"
        }
    }

    func perform(_ tools: SystemTools) throws(CommandFailure) {
        switch self {
        case .write(let path, let bytes):
            do throws(AuthorityError) {
                try SystemTrust.write(bytes, to: path)
            } catch {
                throw CommandFailure(error.userMessage)
            }
        case .remove(let path):
            do throws(SystemError) {
                try SmallFile.remove(path)
            } catch {
                throw CommandFailure("cannot remove \(path): \(error.reason)")
            }
        case .run(let words):
            let answer = tools.run(words)
            guard answer.isDone else {
                throw CommandFailure("\(words.joined(separator: " ")) failed: \(answer.lastLine)")
            }
        }
    }
}
