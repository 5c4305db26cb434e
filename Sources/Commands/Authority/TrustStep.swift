import Platform
import Terminal
import TransportSecurity

/// One step that adds a CA to a trust store, or removes it.
enum TrustStep: Equatable {
    /// Writes a file that everybody may read.
    case write(String, [UInt8])
    case remove(String)
    case run([String])

    /// The step as text for people.
    func text(isDryRun: Bool) -> String {
        switch self {
        case .write(let path, _): "\(isDryRun ? "would write" : "wrote") \(path)"
        case .remove(let path): "\(isDryRun ? "would remove" : "removed") \(path)"
        case .run(let words):
            "\(isDryRun ? "would run" : "ran") \(words.map(ShellText.quoted).joined(separator: " "))"
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
            let result = tools.run(words)
            guard result.hasSucceeded else {
                throw CommandFailure("\(words.joined(separator: " ")) failed: \(result.lastLine)")
            }
        }
    }
}
