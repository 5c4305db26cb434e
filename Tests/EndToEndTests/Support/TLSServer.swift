import Glibc
import TestSupport

/// OpenSSL's own server as an origin, for what ours does not do: it tells about the TLS connection in a page.
final class TLSServer: Sendable {
    private let command: Command
    let port: UInt16

    /// - Parameter words: more options of `openssl s_server`.
    init(_ site: TestSite, _ words: [String] = []) throws {
        let certificate = site.certificate
        // It tells its port on standard output, and without a reader of its input it would end.
        command = try Command(
            [
                "/usr/bin/openssl", "s_server", "-accept", "127.0.0.1:0", "-cert", certificate.certificateFile,
                "-cert_chain",
                certificate.certificateFile, "-key", certificate.keyFile, "-www",
            ] + words
        )
        port = try command.waitForOutput("the port of openssl s_server") { text in
            guard let mark = text.ranges(of: "ACCEPT 127.0.0.1:").first else { return nil }
            let digits = text[mark.upperBound...].prefix { $0.isNumber }
            return text[mark.upperBound...].contains("\n") ? UInt16(digits) : nil
        }
    }

    deinit { command.send(signal: SIGKILL) }

    func url(_ path: String) -> String { "https://127.0.0.1:\(port)\(path)" }
}
