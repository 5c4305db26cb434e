import CommandSyntax
import Platform
import Testing

@testable import Settings

/// `rules`: the presets.
@Suite struct PresetSettingsTests {
    @Test("presets are named in a list, in one text with commas, or with the URL of their index")
    func names() throws {
        #expect(try load("rules = [\"pip\", \"npm\"]").values.presets == [PresetSetting(.pip), PresetSetting(.npm)])
        #expect(try load("rules = \"pip, go\"").values.presets == [PresetSetting(.pip), PresetSetting(.go)])
        let named = try load("rules = [\"oci = https://Images.example\"]").values.presets
        #expect(named == [PresetSetting(.oci, index: "https://images.example/")])
        #expect(try load("rules = []").values.presets.isEmpty)
    }

    @Test(
        "a wrong preset is told with what would be right",
        arguments: [
            ("\"pipp\"", "there are pip, npm, go, cargo, apt, oci, gem, maven", "pip"),
            ("\"cargoo\"", "no rules called \"cargoo\"", "cargo"),
            ("[\"pip\", 3]", "a list of names", nil),
            ("\"pip=\"", "\"pip\" or \"pip=URL\"", nil),
            ("\"pip=index.example\"", "\"pip\" or \"pip=URL\"", nil),
            ("\"pip=ftp://index.example/\"", "\"pip\" or \"pip=URL\"", nil),
            ("\"pip=https://index.example/*\"", "\"pip\" or \"pip=URL\"", nil),
            ("[{ match = \"**\" }]", "a rule of your own is a [[rule]]", nil),
            ("\"=https://a.example/\"", "no rules called", nil),
        ] as [(String, String, String?)]
    )
    func faults(value: String, message: String, suggestion: String?) throws {
        let error = try #require(refusal("rules = \(value)"))
        #expect(error.userMessage.contains(message) && error.line == 1, "\(error)")
        #expect(error.suggestion == suggestion)
    }

    @Test("a password in the URL of an index is refused and not repeated")
    func password() throws {
        let error = try #require(refusal("rules = \"pip=https://ann:secret@index.example/\""))
        #expect(error.userMessage.contains("without user name and password") && !"\(error)".contains("secret"))
        let nameless = try #require(refusal("rules = \"https://ann:secret@index.example/\""))
        #expect(nameless.userMessage.contains("names no rules; there are pip") && !"\(nameless)".contains("secret"))
    }

    @Test(
        "the URL of an index loses what no rule needs",
        arguments: [
            ("https://A.example", "https://a.example/", "https://a.example/", ""),
            ("https://a.example/simple", "https://a.example/simple", "https://a.example/", "simple"),
            ("HTTPS://a.example/x/simple/?q#f", "https://a.example/x/simple/", "https://a.example/x/", "simple"),
            ("https://u:p@a.example:8443/x", "https://a.example:8443/x", "https://a.example:8443/", "x"),
            ("http://localhost:3128/https://a.example/s", "https://a.example/s", "https://a.example/", "s"),
            ("http://127.0.0.1:8000/simple", "http://127.0.0.1:8000/simple", "http://127.0.0.1:8000/", "simple"),
        ]
    )
    func urls(text: String, url: String, parent: String, last: String) throws {
        let index = try #require(PackageIndexURL(text))
        #expect(index.text == url && index.parent == parent && index.lastPart == last, "\(index)")
        #expect(index.hasUser == text.contains("@"))
    }

    @Test(
        "what is no URL of an index",
        arguments: ["", "simple", "file:///x", "https://", "https://a.example b/", "https:///x", "https://{a,b}/"]
    )
    func noURLs(text: String) { #expect(PackageIndexURL(text) == nil) }
}
