import Testing

@testable import ResourceModel

/// Texts that name settings of the daemon, as programs get them.
@Suite("Texts for programs") struct ProgramTextsTests {
    @Test(
        "in place of a setting, programs are told the option of the client (S-158)",
        arguments: [
            ("upstream.connections-per-origin", "limits.connectionsPerOrigin"),
            ("upstream.first-byte-timeout", "limits.firstByteTimeout"),
            ("upstream.idle-timeout", "limits.idleTimeout"),
            ("upstream.interim-responses", "limits.interimResponses"),
            ("upstream.minimum-rate", "limits.minimumRate"), ("upstream.queue-per-origin", "limits.queuePerOrigin"),
            ("setting limits.header-section", "option limits.parser.headerSection"),
            ("setting limits.header-fields", "option limits.parser.headerFields"),
            ("setting limits.request-target", "option limits.parser.requestTarget"),
            ("setting limits.trailer-section", "option limits.parser.trailerSection"),
            ("setting limits.trailer-fields", "option limits.parser.trailerFields"),
            ("tls.ca-files", "security.authorityFiles"), ("decoded-ratio", "decoding.ratio"),
            ("decoded-size", "decoding.decodedContent"), ("content-codings", "decoding.codings"),
            ("json-depth", "decoding.jsonDepth"), ("nothing", "nothing"),
            ("limits.header-fields", "limits.header-fields"),
        ]
    )
    func options(setting: String, option: String) {
        let text = ProgramTexts.text("more than `\(setting)` allows, \(setting)")
        #expect(text == "more than `\(option)` allows, \(option)")
    }

    @Test("a text with several settings has several options")
    func several() {
        let text = ProgramTexts.text("change upstream.idle-timeout, json-depth or tls.ca-files")
        #expect(text == "change limits.idleTimeout, decoding.jsonDepth or security.authorityFiles")
    }
}
