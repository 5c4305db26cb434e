import HTTPCore
import Testing

@testable import Proxying

/// What heads of stored responses need where a path names the origin.
@Suite struct SharedOriginFieldsTests {
    private static func fields(_ lines: [(String, String)]) -> Fields {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        return fields
    }

    @Test(
        "lines are added, unless a field must go or is there already",
        arguments: [
            ([], .lines), ([("X-Other", "1")], .lines), ([("Content-Type", "a/b")], .lines),
            ([("Service-Worker-Allowed", "/")], .change), ([("X-Other", "1"), ("Clear-Site-Data", "*")], .change),
            ([("Set-Cookie", "a=b")], .change), ([("X-Content-Type-Options", "NoSniff")], .sandboxLine),
            ([("X-Content-Type-Options", "none")], .change),
            ([("X-Content-Type-Options", "nosniff"), ("X-Content-Type-Options", "nosniff")], .change),
        ] as [([(String, String)], SharedOriginFields.Need)]
    )
    func need(lines: [(String, String)], need: SharedOriginFields.Need) {
        #expect(SharedOriginFields.need(of: Self.fields(lines)) == need)
    }

    @Test("what acts on the whole origin goes; the limits are there once, besides a policy of the origin")
    func limits() {
        var fields = Self.fields([
            ("Clear-Site-Data", "*"), ("X-Content-Type-Options", "none"), ("X-Other", "1"),
            ("Content-Security-Policy", "default-src 'self'"), ("service-worker-allowed", "/"),
        ])
        SharedOriginFields.limit(&fields)
        let lines = fields.lines.map { line in
            String(decoding: fields.name(of: line) + ": ".utf8 + fields.value(of: line), as: UTF8.self)
        }
        #expect(
            lines == [
                "X-Other: 1", "Content-Security-Policy: default-src 'self'", "X-Content-Type-Options: nosniff",
                "Content-Security-Policy: sandbox",
            ]
        )
        #expect(
            SharedOriginFields.lines
                == Array(
                    "X-Content-Type-Options: nosniff\r\nContent-Security-Policy: sandbox\r\n".utf8
                )
        )
    }
}
