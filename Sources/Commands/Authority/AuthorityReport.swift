import Eventing
import Formats
import HTTPCore
import Terminal
import TransportSecurity

/// What `respite ca show` prints.
struct AuthorityReport {
    let files: AuthorityFiles
    let certificate: AuthorityCertificate
    /// Why the CA cannot be used to intercept hosts; nil if it can.
    let fault: AuthorityError?

    init(_ files: AuthorityFiles) throws(CommandFailure) {
        self.files = files
        do throws(AuthorityError) {
            certificate = try files.loadCertificate()
        } catch {
            throw CommandFailure(error)
        }
        var fault: AuthorityError?
        do throws(AuthorityError) { _ = try files.load(at: HTTPDate.now) } catch { fault = error }
        self.fault = fault
    }

    /// Prints the report, and fails if the CA cannot be used.
    func show(isJSON: Bool) throws(CommandFailure) {
        if isJSON {
            Console.write(json)
        } else {
            Console.write(rows)
        }
        if let fault { throw CommandFailure(fault) }
    }

    private var rows: [[Table.Cell]] {
        func row(_ name: String, _ value: String) -> [Table.Cell] { [Table.Cell(name), Table.Cell(value)] }
        return [
            row("name", certificate.name),
            row("SHA-256", certificate.fingerprintText),
            row("valid for", certificate.constraints.map { $0.texts.joined(separator: ", ") } ?? "every host"),
            row("valid from", Self.text(certificate.begins)),
            row("valid until", Self.text(certificate.ends)),
            row("certificate", files.certificateFile),
            row("key", files.keyFile),
        ]
    }

    var json: [UInt8] {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("name", certificate.name)
            writer.member("fingerprint", certificate.fingerprintText)
            if let constraints = certificate.constraints {
                writer.memberArray("hosts") { writer in for text in constraints.texts { writer.text(text) } }
            }
            writer.member("notBefore", Self.text(certificate.begins))
            writer.member("notAfter", Self.text(certificate.ends))
            writer.member("certificateFile", files.certificateFile)
            writer.member("keyFile", files.keyFile)
            if let fault { writer.member("fault", fault.userMessage) }
        }
        return writer.bytes + [0x0A]
    }

    private static func text(_ date: HTTPDate) -> String { String(decoding: date.bytes, as: UTF8.self) }
}
