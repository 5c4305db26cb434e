import Eventing
import HTTPCore
import Platform
import TestSupport
import Testing
import TransportSecurity

@testable import Commands

/// What is done to trust stores, step by step.
@Suite struct TrustStepTests {
    private let directory = TemporaryDirectory()
    private let files: AuthorityFiles
    private let authority: LocalAuthority
    private let tools: SystemTools

    init() throws {
        files = AuthorityFiles(directory: directory.path("ca"))
        try files.write(try CertificateAuthority.make(name: "Lab", days: 2, at: HTTPDate.now), replaces: false)
        authority = LocalAuthority(files, try files.loadCertificate())
        var environment = ProcessEnvironment()
        environment["PATH"] = "\(directory.directory("bin")):/usr/bin:/bin"
        for name in ["update-ca-certificates", "trust"] {
            try directory.write("#!/bin/sh\n", to: "bin/\(name)", mode: 0o700)
        }
        tools = SystemTools(environment: environment)
    }

    @Test("a CA is known in trust stores by the beginning of its fingerprint")
    func identifier() throws {
        let fingerprint = try files.loadCertificate().fingerprintText.filter { $0 != ":" }.lowercased()
        #expect(authority.identifier == "respite-\(fingerprint.prefix(16))")
        #expect(authority.certificateFile == "\(directory.path)/ca/ca.pem" && authority.directory == files.directory)
    }

    @Test(
        "Debian's program is run with a copy of its list and a last line that excludes the CA",
        arguments: [(nil, ""), ("", ""), ("a.crt", "a.crt\n"), ("a.crt\n", "a.crt\n"), ("# a\n\n", "# a\n\n")]
            as [(String?, String)]
    )
    func certificateDirectory(list: String?, kept: String) throws {
        let root = directory.path
        let file = "\(directory.directory("usr/local/share/ca-certificates"))/\(authority.identifier).crt"
        _ = directory.directory("etc")
        if let list { try directory.write(list, to: "etc/ca-certificates.conf") }
        let store = try #require(CertificateDirectory(tools, root: root))
        let (program, copy) = ("\(root)/bin/update-ca-certificates", "\(root)/run/respite-ca-certificates.conf")
        #expect(
            try store.steps(toRemove: authority) == [
                .remove(file), .write(copy, Array("\(kept)!\(authority.identifier).crt\n".utf8)),
                .run([program, "--certsconf", copy]), .remove(copy),
            ]
        )
        #expect(store.steps(toAdd: authority) == [.write(file, authority.pem), .run([program])])
        #expect(store.needsRoot && store.name == "the system")
    }

    @Test("p11-kit's program gets the file of the CA, to add it and to remove it")
    func anchors() throws {
        let store = try #require(TrustAnchors(tools))
        let (program, file) = ("\(directory.path)/bin/trust", authority.certificateFile)
        #expect(store.steps(toAdd: authority) == [.run([program, "anchor", "--store", file])])
        #expect(store.steps(toRemove: authority) == [.run([program, "anchor", "--remove", file])])
        #expect(store.needsRoot && store.name == "the system")
    }

    @Test("a browser's database trusts the CA for servers, under its name in stores")
    func browsers() {
        let store = BrowserDatabase(directory: "/d", program: "/p", tools: tools)
        let name = authority.identifier
        #expect(
            store.steps(toAdd: authority) == [
                .run(["/p", "-A", "-d", "sql:/d", "-n", name, "-t", "C,,", "-i", authority.certificateFile])
            ]
        )
        #expect(store.steps(toRemove: authority) == [.run(["/p", "-D", "-d", "sql:/d", "-n", name])])
        #expect(!store.needsRoot && store.name == "/d")
    }

    @Test(
        "a program that fails is reported by the last line that it printed",
        arguments: [("", "it printed nothing"), ("\n\n", "it printed nothing"), ("a\nb\u{1B}c\n", "b\u{FFFD}c")]
    )
    func lastLine(text: String, line: String) {
        #expect(SystemTools.Result(hasSucceeded: false, text: text).lastLine == line)
    }

    @Test("a step that fails says which, and why")
    func failures() throws {
        func message(_ step: TrustStep) -> String? {
            let failure = #expect(throws: CommandFailure.self) { try step.perform(tools) }
            return failure?.userMessage
        }
        let fails = try directory.write("#!/bin/sh\necho first\necho why\nexit 3\n", to: "bin/fails", mode: 0o700)
        #expect(message(.run([fails, "a"])) == "\(fails) a failed: why")
        let mute = try directory.write("#!/bin/sh\nexit 1\n", to: "bin/mute", mode: 0o700)
        #expect(message(.run([mute])) == "\(mute) failed: it printed nothing")
        let below = "\(mute)/x"
        #expect(message(.remove(below)) == "cannot remove \(below): Not a directory")
        try TrustStep.remove(directory.path("none")).perform(tools)
        let written = directory.path("written")
        try TrustStep.write(written, Array("a".utf8)).perform(tools)
        #expect(try SmallFile.read(written, limit: 9) == Array("a".utf8))
    }

    @Test("p11-kit's program must write what is trusted; what it says of a failure is told")
    func extracts() throws {
        let store = try #require(TrustAnchors(tools))
        let program = directory.path("bin/trust")
        func message() -> String? {
            let failure = #expect(throws: CommandFailure.self) { try store.trusts(authority) }
            return failure?.userMessage
        }
        #expect(
            message() == "cannot read the certificates that \(program) extracted: No such file or directory"
        )
        try directory.write("#!/bin/sh\necho why >&2\nexit 1\n", to: "bin/trust", mode: 0o700)
        #expect(message() == "\(program) extract failed: why")
        let copy = "#!/bin/sh\nfor last; do :; done\ncat \(authority.certificateFile) >\"$last\"\n"
        try directory.write(copy, to: "bin/trust", mode: 0o700)
        #expect(try store.trusts(authority))
        try directory.write("#!/bin/sh\nfor last; do :; done\n: >\"$last\"\n", to: "bin/trust", mode: 0o700)
        #expect(try !store.trusts(authority))
    }

    @Test("Debian's list and bundle must be readable where they are")
    func unreadable() throws {
        let root = directory.path
        _ = directory.directory("usr/local/share/ca-certificates")
        _ = directory.directory("etc/ca-certificates.conf")
        let store = try #require(CertificateDirectory(tools, root: root))
        let failure = #expect(throws: CommandFailure.self) { try store.steps(toRemove: authority) }
        #expect(failure?.userMessage == "cannot read \(root)/etc/ca-certificates.conf: Is a directory")
    }
}
