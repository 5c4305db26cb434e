import CommandSyntax
import Logins
import Platform
import Terminal

/// `respite passwd`: writes the line of one user in a login file.
enum PasswordCommand {
    static func run(_ command: ParsedCommand) -> Int32 {
        CommandFailure.report { () throws(CommandFailure) in
            let (file, user) = (command.operands[0], Array(command.operands[1].utf8))
            guard LoginName.isValid(user) else {
                throw CommandFailure("USER must be \(LoginName.rule)", exitCode: 2)
            }
            let text = try read(file)
            if command.has("delete") {
                try delete(user, from: file, text)
            } else {
                try set(try password(for: user), of: user, in: file, text)
            }
            return 0
        }
    }

    /// The text of the file; nil if there is none.
    private static func read(_ file: String) throws(CommandFailure) -> [UInt8]? {
        do throws(SecretFault) {
            return try SecretFile.readBytes(file, limit: LoginFile.limit)
        } catch {
            switch error {
            case .unreadable(let failure) where failure.isMissingFile: return nil
            case .unreadable(let failure): throw CommandFailure("\(file) cannot be read: \(failure.reason)")
            case .tooOpen:
                throw CommandFailure("\(file) can be read by everybody, or written by others; `chmod 600` it")
            case .foreign(let owner, let user):
                throw CommandFailure("\(file) belongs to user \(owner), and this is user \(user)")
            case .notRegular: throw CommandFailure("\(file) is no regular file")
            case .tooLarge, .empty, .notAValue:
                throw CommandFailure("\(file) has more than \(LoginFile.limit >> 20) MiB")
            }
        }
    }

    // MARK: Changes

    private static func set(
        _ password: [UInt8],
        of user: [UInt8],
        in file: String,
        _ text: [UInt8]?
    ) throws(CommandFailure) {
        guard let hash = PasswordHash.make(of: password) else {
            throw CommandFailure("the system's crypt(3) has no yescrypt; libxcrypt 4.3 or later has it")
        }
        let new = LoginFile.setting(hash, of: user, in: text ?? [])
        try write(new, to: file)
        report("password set", of: user, in: file, new)
        guard text == nil, ProcessContext.current.isRoot else { return }
        Console.complain(
            "The daemon must be able to read \(file): give the file its user's group by `chgrp`, then `chmod 640`."
        )
    }

    private static func delete(_ user: [UInt8], from file: String, _ text: [UInt8]?) throws(CommandFailure) {
        guard let text else { throw CommandFailure("there is no file \(file)", exitCode: 3) }
        guard let new = LoginFile.removing(user, from: text) else {
            throw CommandFailure("\(file) has no user \(String(decoding: user, as: UTF8.self))", exitCode: 3)
        }
        try write(new, to: file)
        report("removed", of: user, in: file, new)
    }

    private static func write(_ text: [UInt8], to file: String) throws(CommandFailure) {
        do throws(SecretFile.Failure) {
            try SecretFile.replace(file, with: text)
        } catch {
            throw CommandFailure("\(file) cannot be written: \(error.reason)")
        }
    }

    /// Reports what was done, and what else is wrong in the file.
    private static func report(_ done: String, of user: [UInt8], in file: String, _ text: [UInt8]) {
        Console.write(
            "\(String(decoding: user, as: UTF8.self)): \(done) in \(file); `respite reload` puts it in force\n"
        )
        do throws(LoginFileFault) {
            _ = try LoginFile(parsing: text)
        } catch {
            let place = error.line.map { ", line \($0)" } ?? ""
            Console.complain("\(file)\(place): \(error.userMessage)")
        }
    }

    // MARK: The password

    /// Asks twice at a terminal; elsewhere reads one line of standard input.
    private static func password(for user: [UInt8]) throws(CommandFailure) -> [UInt8] {
        guard StandardInput.isTerminal else {
            return try checked(try input { () throws(SystemError) in try StandardInput.readLine(limit: limit) })
        }
        let name = String(decoding: user, as: UTF8.self)
        let first = try checked(try ask("New password of \(name): "))
        guard try ask("The same again: ") == first else {
            throw CommandFailure("the two passwords differ; nothing was changed")
        }
        return first
    }

    private static let limit = 4096

    private static func ask(_ prompt: String) throws(CommandFailure) -> [UInt8]? {
        try input { () throws(SystemError) in try StandardInput.readHiddenLine(prompt, limit: limit) }
    }

    private static func input(
        _ read: () throws(SystemError) -> [UInt8]?
    ) throws(CommandFailure) -> [UInt8]? {
        do throws(SystemError) {
            return try read()
        } catch {
            // A longer line than any password.
            if error.isTooLarge { return [UInt8](repeating: 0x78, count: limit) }
            throw CommandFailure("the password cannot be read: \(error.reason)")
        }
    }

    private static func checked(_ password: [UInt8]?) throws(CommandFailure) -> [UInt8] {
        guard let password, !password.isEmpty else {
            throw CommandFailure("no password was given; nothing was changed")
        }
        guard password.count <= PasswordHash.longestPassword,
            !password.contains(where: { $0 < 0x20 || $0 == 0x7F })
        else {
            throw CommandFailure(
                "a password has at most \(PasswordHash.longestPassword) bytes, and no control characters; nothing was changed"
            )
        }
        return password
    }
}
