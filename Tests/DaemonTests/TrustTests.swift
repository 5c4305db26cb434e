import Glibc
import Testing

@testable import Daemon

/// How programs of this machine are told to trust our CA; Tests/Clients/trust.py does it for real.
@Suite struct TrustTests {
    @Test("databases of browsers are found in a home, from packages, snap and flatpak, and nothing else is")
    func databases() throws {
        let directory = try TemporaryDirectory()
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
        #expect(OwnAuthority.bodies(inPEM: text) == ["QUJDREVG", "R0hJ"])
        #expect(OwnAuthority.bodies(inPEM: "none").isEmpty)
        #expect(OwnAuthority.bodies(inPEM: "-----BEGIN CERTIFICATE-----").first?.isEmpty ?? true)
    }

    @Test("what is done is told as a command that can be repeated")
    func steps() {
        #expect(TrustStep.write("/a b", []).text(isPlan: true) == "would write /a b")
        #expect(TrustStep.run(["/usr/bin/x", "-t", "C,,", "a b"]).text(isPlan: false) == "ran /usr/bin/x -t C,, 'a b'")
    }
}
