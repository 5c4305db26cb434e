import Testing

@testable import Settings

/// `[dns]`.
struct NameSettingsTests {
    private func loaded(_ text: String) throws -> LoadedSettings {
        var reader = SettingsReader()
        reader.read(Array(text.utf8), name: "respite.toml")
        return try reader.finish()
    }

    @Test(
        "a name server is an address, with a port or without",
        arguments: [
            ("9.9.9.9", "9.9.9.9"), ("9.9.9.9:53", "9.9.9.9"), ("127.0.0.1:5353", "127.0.0.1:5353"),
            ("2001:db8::1", "2001:db8::1"), ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:db8::1]:5353", "[2001:db8::1]:5353"),
            ("[9.9.9.9]", nil), ("9.9.9.9:0", nil), ("dns.example", nil), ("localhost:53", nil), ("", nil),
            ("http://9.9.9.9:53", nil), ("unix:/run/dns", nil), ("9.9.9.9:99999", nil),
        ] as [(String, String?)]
    )
    func servers(text: String, expected: String?) {
        #expect(NameServer(text: text)?.description == expected)
    }

    @Test("by default we ask the name servers of resolv.conf; settings name others, or leave all to the C library")
    func settings() throws {
        #expect(try loaded("").values.dns == DNSSettings())
        #expect(DNSSettings().resolver == .builtIn && DNSSettings().servers.isEmpty)
        let text = "[dns]\nresolver = \"system\"\nservers = [\"9.9.9.9\", \"[2001:db8::1]:5353\"]\n"
        let settings = try loaded(text).values
        #expect(settings.dns.resolver == .system)
        #expect(settings.dns.servers.map(\.description) == ["9.9.9.9", "[2001:db8::1]:5353"])
        for wrong in ["[dns]\nresolver = \"bind\"", "[dns]\nservers = [\"dns.example\"]", "[dns]\nserver = []"] {
            #expect(throws: SettingsError.self) { try loaded(wrong) }
        }
    }
}
