import Glibc

/// A program of the system that reads its standard input to the end and writes its standard output.
struct SystemTool {
    struct Failure: Error { let status: Int32 }

    let path: String
    let arguments: [String]

    /// Nil if the system has no such program.
    init?(_ command: String) {
        let words = command.split(separator: " ").map(String.init)
        guard let name = words.first,
            let path = ["/usr/bin/", "/bin/", "/usr/local/bin/"].map({ $0 + name }).first(where: {
                access($0, X_OK) == 0
            })
        else { return nil }
        self.path = path
        arguments = Array(words.dropFirst())
    }

    func run(_ input: [UInt8]) throws -> [UInt8] {
        // Files without a name disappear with their descriptors.
        let source = nameless("in")
        let target = nameless("out")
        defer {
            close(source)
            close(target)
        }
        try write(input, to: source)
        lseek(source, 0, SEEK_SET)
        let status = try spawn(source, target)
        guard status == 0 else { throw Failure(status: status) }
        return try content(of: target)
    }

    private func nameless(_ name: String) -> Int32 {
        var template = Array("/tmp/respite-tool-\(name)-XXXXXX".utf8CString)
        let descriptor = mkstemp(&template)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(template)
        return descriptor
    }

    private func write(_ bytes: [UInt8], to descriptor: Int32) throws {
        var written = 0
        while written < bytes.count {
            let count = bytes[written...].withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            guard count > 0 else { throw Failure(status: errno) }
            written += count
        }
    }

    /// Runs the program to its end; returns its exit code.
    private func spawn(_ source: Int32, _ target: Int32) throws -> Int32 {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, source, 0)
        posix_spawn_file_actions_adddup2(&actions, target, 1)
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        var variables: [UnsafeMutablePointer<CChar>?] = [strdup("PATH=/usr/local/bin:/usr/bin:/bin"), nil]
        defer { for text in words + variables { free(text) } }
        var process: pid_t = 0
        let error = posix_spawn(&process, path, &actions, nil, &words, &variables)
        guard error == 0 else { throw Failure(status: error) }
        var status: Int32 = 0
        while waitpid(process, &status, 0) < 0 && errno == EINTR {}
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private func content(of descriptor: Int32) throws -> [UInt8] {
        lseek(descriptor, 0, SEEK_SET)
        var content: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &piece, piece.count)
            guard count >= 0 else { throw Failure(status: errno) }
            if count == 0 { return content }
            content += piece[..<count]
        }
    }
}
