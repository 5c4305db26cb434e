import Eventing
import Glibc
import HTTPCore
import Platform
import Settings
import TestSupport
import Testing
import TransportSecurity

@testable import Commands

/// How programs of this machine are told to trust our CA; Tests/Clients/trust.py does it for real.
@Suite struct TrustTests {
    @Test("databases of browsers are found in a home, from packages, snap and flatpak, and nothing else is")
    func databases() throws {
        let directory = TemporaryDirectory()
        let home = directory.path("home")
        var made = [home]
        mkdir(home, 0o700)
        defer { for path in made.reversed() { remove(path) } }
        let there = [
            ".pki/nssdb", ".mozilla/firefox/a.default", ".mozilla/firefox/b.other",
            "snap/firefox/common/.mozilla/firefox/c.default", ".var/app/org.mozilla.firefox/.mozilla/firefox/d.default",
        ]
        for place in there + [".mozilla/firefox/no-profile"] {
            var path = home
            for part in place.split(separator: "/") {
                path += "/\(part)"
                if mkdir(path, 0o700) == 0 { made.append(path) }
            }
            guard there.contains(place) else { continue }
            made.append(path + "/cert9.db")
            close(open(path + "/cert9.db", O_CREAT | O_WRONLY, 0o600))
        }
        #expect(BrowserDatabase.directories(home: home) == there.map { "\(home)/\($0)" })
        #expect(BrowserDatabase.directories(home: home + "/none").isEmpty)
    }

    @Test("certificates are compared by what they say, however the lines are broken")
    func bodies() {
        let text = """
            Certificate: …
            -----BEGIN CERTIFICATE-----
            QUJD
            REVG
            -----END CERTIFICATE-----
            -----BEGIN CERTIFICATE-----\r
            R0hJ\r
            -----END CERTIFICATE-----\r
            """
        #expect(LocalAuthority.bodies(inPEM: text) == ["QUJDREVG", "R0hJ"])
        #expect(LocalAuthority.bodies(inPEM: "none").isEmpty)
        #expect(LocalAuthority.bodies(inPEM: "-----BEGIN CERTIFICATE-----").first?.isEmpty ?? true)
    }

    @Test("what is done is told as a command that can be repeated")
    func steps() {
        #expect(TrustStep.write("/a b", []).text(isDryRun: true) == "would write /a b")
        #expect(
            TrustStep.run(["/usr/bin/x", "-t", "C,,", "a b"]).text(isDryRun: false) == "ran /usr/bin/x -t C,, 'a b'"
        )
    }

    @Test("a step writes a file that everybody may read, removes one, or runs a program; each failure is told")
    func performing() throws {
        let lab = try Lab(["works": "exit 0", "fails": "echo why >&2; exit 1"])
        let path = lab.directory.path("written.pem")
        try TrustStep.write(path, Array("text".utf8)).perform(lab.tools)
        #expect(try SmallFile.read(path, limit: 10) == Array("text".utf8))
        var status = stat()
        #expect(lstat(path, &status) == 0 && status.st_mode & 0o777 == 0o644)
        try TrustStep.remove(path).perform(lab.tools)
        #expect(!SmallFile.isNamed(path))
        try TrustStep.remove(path).perform(lab.tools)
        try TrustStep.run(["works"]).perform(lab.tools)
        for step in [.run(["fails"]), .write("\(path)/x", []), .remove(lab.directory.path("bin"))] as [TrustStep] {
            #expect(throws: CommandFailure.self) { try step.perform(lab.tools) }
        }
    }

    // MARK: Bundles

    @Test("a variable that names a file of authorities gets that with the CA behind it; one that cannot be read stays")
    func ownBundles() throws {
        guard SystemTrust.bundleFile != nil else { return }
        let lab = try Lab([:])
        let corporate = try CertificateAuthority.make(name: "Corporate", days: 2, at: HTTPDate.now).certificate.pem
        let file = try lab.directory.write(String(decoding: corporate, as: UTF8.self), to: "corporate.pem")
        var environment = ProcessEnvironment()
        environment["REQUESTS_CA_BUNDLE"] = file
        environment["NODE_EXTRA_CA_CERTS"] = file
        environment["CURL_CA_BUNDLE"] = lab.directory.path("")
        let trust = TrustFiles(lab.files, environment: environment, cache: nil)
        let files = try #require(trust.files)
        #expect(trust.notes.count == 1 && trust.notes[0].hasPrefix("CURL_CA_BUNDLE stays \(lab.directory.path(""))"))
        #expect(files.bundle(for: "CURL_CA_BUNDLE") == lab.directory.path(""))
        #expect(files.bundle(for: "SSL_CERT_FILE") == lab.files.directory + "/bundle.pem")
        for own in [files.bundle(for: "REQUESTS_CA_BUNDLE"), files.certificate(for: "NODE_EXTRA_CA_CERTS")] {
            #expect(try SmallFile.read(own, limit: 1 << 20) == corporate + lab.authority.pem)
        }
        // What was made is not extended once more.
        environment["REQUESTS_CA_BUNDLE"] = files.bundle(for: "REQUESTS_CA_BUNDLE")
        let again = TrustFiles(lab.files, environment: environment, cache: nil)
        #expect(again.files?.bundle(for: "REQUESTS_CA_BUNDLE") == files.bundle(for: "REQUESTS_CA_BUNDLE"))
    }

    @Test("where nothing can be put beside the CA, bundles are in the cache directory; else programs are told nothing")
    func bundlePlace() throws {
        guard SystemTrust.bundleFile != nil else { return }
        let lab = try Lab([:])
        _ = lab.directory.directory("ca/bundle.pem/full")
        let cache = lab.directory.path("cache/respite")
        let trust = TrustFiles(lab.files, environment: ProcessEnvironment(), cache: cache)
        #expect(trust.files?.bundle == "\(cache)/\(lab.authority.identifier)-bundle.pem" && trust.notes.isEmpty)
        let none = TrustFiles(lab.files, environment: ProcessEnvironment(), cache: nil)
        #expect(none.files == nil && none.notes.count == 1)
    }

    // MARK: Stores

    /// A CA, and programs that stand in for the system's.
    private struct Lab {
        let directory: TemporaryDirectory
        let files: AuthorityFiles
        let authority: LocalAuthority
        let tools: SystemTools

        init(_ programs: [String: String]) throws {
            directory = TemporaryDirectory()
            files = AuthorityFiles(directory: directory.path("ca"))
            let made = try CertificateAuthority.make(name: "Lab", days: 2, at: HTTPDate.now)
            try files.write(made, replaces: false)
            authority = LocalAuthority(files, try files.loadCertificate())
            var environment = ProcessEnvironment()
            environment["PATH"] = "\(directory.directory("bin")):/usr/bin:/bin"
            environment["TMPDIR"] = directory.directory("tmp")
            environment["LAB"] = directory.path("")
            for (name, script) in programs {
                _ = try directory.write("#!/bin/sh\n\(script)\n", to: "bin/\(name)", mode: 0o700)
            }
            tools = SystemTools(environment: environment)
        }

        /// A text of certificates with the CA's, its lines broken otherwise.
        var bundle: String {
            "# other\n-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n# Lab\n-----BEGIN CERTIFICATE-----\n"
                + "\(authority.body)\n-----END CERTIFICATE-----\n"
        }
    }

    /// Extracts as p11-kit does, which takes no file that is there.
    private static let extracting = """
        for last; do :; done
        [ "$1" = extract ] && [ ! -e "$last" ] && cp "$LAB/bundle" "$last"
        """

    @Test("p11-kit is asked by way of a file, which takes the place of none; nothing is left of it")
    func anchors() throws {
        let lab = try Lab(["trust": Self.extracting])
        let store = try #require(TrustAnchors(lab.tools))
        #expect(throws: CommandFailure.self) { try store.trusts(lab.authority) }
        _ = try lab.directory.write(lab.bundle, to: "bundle")
        #expect(try store.trusts(lab.authority))
        _ = try lab.directory.write("", to: "bundle")
        #expect(truncate(lab.directory.path("bundle"), 0) == 0)
        #expect(try !store.trusts(lab.authority))
        #expect(SmallFile.names(in: lab.directory.path("tmp")).isEmpty)
    }

    @Test(
        "whatever is left of a half-done trust is seen, and only all of it is trust",
        arguments: ["", "file", "link", "bundle", "file and link"]
    )
    func traces(left: String) throws {
        let lab = try Lab(["update-ca-certificates": "exit 1"])
        for place in ["usr/local/share/ca-certificates", "etc/ssl/certs"] { _ = lab.directory.directory(place) }
        let store = try #require(CertificateDirectory(lab.tools, root: lab.directory.path("")))
        let name = lab.authority.identifier
        let file = "usr/local/share/ca-certificates/\(name).crt"
        let pem = String(decoding: lab.authority.pem, as: UTF8.self)
        if left.hasPrefix("file") { _ = try lab.directory.write(pem, to: file) }
        // Without the file it leads nowhere.
        if left.hasSuffix("link") {
            #expect(symlink(lab.directory.path(file), lab.directory.path("etc/ssl/certs/\(name).pem")) == 0)
        }
        if left == "bundle" { _ = try lab.directory.write(lab.bundle, to: "etc/ssl/certs/ca-certificates.crt") }
        #expect(try store.hasTrace(of: lab.authority) == !left.isEmpty)
        #expect(store.trusts(lab.authority) == (left == "file and link"))
    }

    @Test("without the system's list of authorities, if it cannot be read, nothing is taken back")
    func unreadableList() throws {
        let lab = try Lab(["update-ca-certificates": "exit 0"])
        _ = lab.directory.directory("usr/local/share/ca-certificates")
        let store = try #require(CertificateDirectory(lab.tools, root: lab.directory.path("")))
        #expect(try store.steps(toRemove: lab.authority).count == 4)
        _ = lab.directory.directory("etc/ca-certificates.conf")
        #expect(throws: CommandFailure.self) { try store.steps(toRemove: lab.authority) }
    }

    @Test("a CA that something here trusts, or may trust, is not replaced")
    func replacement() throws {
        let lab = try Lab(["certutil": "cat $LAB/database || { echo Could not find cert: x; exit 255; }"])
        let home = lab.directory.path("home")
        _ = lab.directory.directory("home/.pki/nssdb")
        _ = try lab.directory.write("", to: "home/.pki/nssdb/cert9.db")
        let places = TrustStores(lab.tools, home: home)
        #expect(AuthorityCommand.replacementFault(of: lab.files, places) == nil)
        _ = try lab.directory.write(lab.bundle, to: "database")
        let failure = AuthorityCommand.replacementFault(of: lab.files, places)
        #expect(failure?.userMessage.contains("trusted by \(home)/.pki/nssdb: run `respite ca untrust` first") == true)
        let broken = try Lab(["certutil": "echo SEC_ERROR_BAD_DATABASE; exit 255"])
        let other = TrustStores(broken.tools, home: home)
        #expect(
            AuthorityCommand.replacementFault(of: lab.files, other)?.userMessage.contains("SEC_ERROR_BAD_DATABASE")
                == true
        )
        #expect(AuthorityCommand.replacementFault(of: AuthorityFiles(directory: "/nonexistent"), other) == nil)
    }
}
