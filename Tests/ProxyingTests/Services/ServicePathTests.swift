import Testing

@testable import Proxying

/// Paths behind a service's name, and what may not stand in them.
@Suite struct ServicePathTests {
    private static func resolved(_ text: String) -> String? {
        ServicePath.resolved(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "dot segments are resolved, however they are spelt; nothing leads above the beginning, and a query stays",
        arguments: [
            ("", ""), ("?q", "?q"), ("?/../x", "?/../x"), ("/", "/"), ("/a", "/a"), ("/a/", "/a/"),
            ("/a/b/../c", "/a/c"),
            ("/a/./b", "/a/b"), ("/a/..", "/"), ("/a/b/..", "/a/"), ("/a/.", "/a/"), ("/.", "/"), ("/..", "/"),
            ("/../../a", "/a"), ("/a/../..", "/"), ("/a/..?b", "/?b"), ("/%2e", "/"), ("/a/%2E%2e", "/"),
            ("/a/.%2e/b", "/b"), ("/a/%2e./b", "/b"), ("//a", "//a"), ("/a//../b", "/a/b"),
        ]
    )
    func dots(text: String, expected: String) {
        #expect(Self.resolved(text) == expected)
    }

    @Test(
        "what only resembles a dot segment stays byte for byte",
        arguments: [
            "/...", "/.a", "/..a", "/a..", "/%2f", "/a%2Fb", "/a%5cb", "/a;..", "/a%3b..", "/..0", "/a0..", "/a1..",
            "/..[", "/..]", "/..:", "/..<", "/%2d%2d", "/%3e%3e", "/%2g", "/%2", "/%", "/%2e%", "/.%2d", "/%30",
            "/..%2d",
            "/..%6c", "/..%3a", "/..%3c", "/..%5b", "/..%5d", "/%2e%2e%2e", "/a%2f.%2fb", "/%2f.a",
        ]
    )
    func kept(text: String) {
        #expect(Self.resolved(text) == text)
    }

    @Test(
        "a segment that leads up once a server decodes it is refused",
        arguments: [
            "/..%2f", "/..%2Fa", "/a%2f..", "/a%2f..%2fb", "/..%5c", "/..\\", "/a\\..\\b", "/..;", "/..;a=b", "/..%3b",
            "/..%3Ba", "/%2e%2e%2f", "/%2e.%5ca", "/a/..%2f../b", "/a%5c%2e%2e;x",
        ]
    )
    func refused(text: String) {
        #expect(Self.resolved(text) == nil)
    }

    @Test(
        "a path without escapes, backslashes and segments that begin with a dot is plain; its query is not looked at",
        arguments: [
            ("", true), ("/", true), ("/a/b.c", true), (".a", true), ("/a./b", true), ("/.a", false), ("/a/.", false),
            ("/a/..", false), ("//.", false), ("/a%2fb", false), ("/a\\b", false), ("/a?/../%\\", true), ("?", true),
            ("/a-.b", true), ("/a0.b", true),
        ]
    )
    func plain(text: String, isPlain: Bool) {
        #expect(ServicePath.isPlain(Array(text.utf8).span) == isPlain)
    }
}
