import Foundation

/// A program of the system that reads its standard input to the end and writes its standard output.
struct SystemTool {
    let path: String
    let arguments: [String]

    /// Nil if the system has no such program.
    init?(_ command: String) {
        let words = command.split(separator: " ").map(String.init)
        guard let name = words.first,
            let path = ["/usr/bin/", "/bin/", "/usr/local/bin/"].map({ $0 + name })
                .first(where: { FileManager.default.isExecutableFile(atPath: $0) })
        else { return nil }
        self.path = path
        arguments = Array(words.dropFirst())
    }

    func run(_ input: [UInt8]) throws -> [UInt8] {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("respite-tool-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let source = folder.appendingPathComponent("in")
        let target = folder.appendingPathComponent("out")
        try Data(input).write(to: source)
        try Data().write(to: target)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardInput = try FileHandle(forReadingFrom: source)
        process.standardOutput = try FileHandle(forWritingTo: target)
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(status: process.terminationStatus) }
        return Array(try Data(contentsOf: target))
    }

    struct Failure: Error { let status: Int32 }
}
