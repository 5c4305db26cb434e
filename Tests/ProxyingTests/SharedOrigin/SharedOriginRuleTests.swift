import HTTPCore
import Testing

@testable import Proxying

/// What settings make of cookies on shared paths, and how marks are spelt.
@Suite struct SharedOriginRuleTests {
    private static let browser = ["Host: localhost", "Sec-Fetch-Site: none"]

    private static func shared(_ cookies: PathCookies?, _ fields: [String] = ["Host: localhost"]) throws -> SharedOrigin
    {
        SharedOrigin(
            try head("GET /http://a.example/ HTTP/1.1", fields),
            try router { $0.pathCookies = cookies }.options
        )
    }

    @Test(
        "a cookie goes upstream as it is, not at all, or as far as it is the origin's",
        arguments: [
            (.pass, ["a=b; respite-http-80-9-b.example-c=d"]), (.drop, []), (.scoped, ["a=b"]), (nil, ["a=b"]),
        ] as [(PathCookies?, [String])]
    )
    func upstream(cookies: PathCookies?, expected: [String]) throws {
        var fields = Fields()
        fields.append(.cookie, "a=b; respite-http-80-9-b.example-c=d")
        let uri = try TargetURI(parsing: "http://a.example/x")
        try Self.shared(cookies).limit(&fields, to: uri, of: nil)
        #expect(fields.values(of: .cookie).map { String(decoding: $0, as: UTF8.self) } == expected)
    }

    @Test(
        "an origin's cookie comes as it is, not at all, or with the path that it has here",
        arguments: [(.pass, ["a=b; Path=/"]), (.drop, []), (.scoped, ["a=b; Path=/http://a.example/"])]
            as [(PathCookies?, [String])]
    )
    func downstream(cookies: PathCookies?, expected: [String]) throws {
        var fields = Fields()
        fields.append(.setCookie, "a=b; Path=/")
        fields.append(name: "Clear-Site-Data", value: "\"*\"")
        let uri = try TargetURI(parsing: "http://a.example/x")
        try Self.shared(cookies).adapt(&fields, of: uri, of: nil)
        #expect(fields.values(of: .setCookie).map { String(decoding: $0, as: UTF8.self) } == expected)
        let names = fields.lines.map { String(decoding: fields.name(of: $0), as: UTF8.self) }.filter {
            $0 != "Set-Cookie"
        }
        #expect(names == ["X-Content-Type-Options", "Content-Security-Policy"])
    }

    @Test("cookies of other origins reach a client if all pass, or if it is no browser and they are scoped")
    func foreign() throws {
        for (cookies, tool, browser) in [(.pass, true, true), (.drop, false, false), (.scoped, true, false)]
            as [(PathCookies, Bool, Bool)]
        {
            #expect(try Self.shared(cookies).acceptsForeignCookies == tool)
            #expect(try Self.shared(cookies, Self.browser).acceptsForeignCookies == browser)
        }
    }

    @Test(
        "who may be a browser is told by what browsers alone send, by Referer, and by the name they go by",
        arguments: [
            ([], false), (["Origin: null"], true), (["Sec-Fetch-Dest: image"], true), (["Sec-Fetch-Mode: cors"], true),
            (["Referer: http://a.example/"], true), (["User-Agent: Mozilla/5.0 (X11)"], true),
            (["User-Agent: mozilla/"], true),
            (["User-Agent: Mozilla"], false), (["User-Agent: xMozilla/5.0"], false),
            (["User-Agent: curl/8.5.0"], false),
            (["User-Agent: Mozilla 5.0"], false), (["Cookie: a=b"], false),
        ] as [([String], Bool)]
    )
    func browsers(fields: [String], mayBe: Bool) throws {
        #expect(BrowserGuard.mayBeBrowser(try head("GET / HTTP/1.1", ["Host: localhost"] + fields)) == mayBe)
    }

    @Test(
        "a mark has scheme, port and host of its origin; what is no letter, digit, dot or hyphen is escaped",
        arguments: [
            ("http://a.example/", "respite-http-80-9-a.example-"),
            ("https://az09-z.example:8443/", "respite-https-8443-14-az09-z.example-"),
            ("http://a_b.example/", "respite-http-80-13-a_5fb.example-"),
            ("http://[::1]/", "respite-http-80-13-_5b_3a_3a1_5d-"),
        ]
    )
    func marks(uri: String, mark: String) throws {
        let scope = CookieScope(of: try TargetURI(parsing: uri), service: nil, marksAll: true, isSecure: false)
        let text = scope.scoped(Array("x=1; Path=/".utf8)).map { String(decoding: $0, as: UTF8.self) }
        #expect(text == "\(mark)x=1; Path=/\(uri)")
    }

    @Test("cookies that a client sends are joined again without empty ones; blanks and tabs around them go")
    func joined() throws {
        let mark = "respite-http-80-9-a.example-"
        let scope = CookieScope(
            of: try TargetURI(parsing: "http://a.example/"),
            service: nil,
            marksAll: false,
            isSecure: false
        )
        var fields = Fields()
        fields.append(.cookie, "a=b;; \(mark)c=d; \t;\te=f \t; \(mark)")
        scope.takeOwn(from: &fields)
        #expect(fields.values(of: .cookie) == [Array("a=b; c=d; e=f".utf8)])
    }

    @Test("without Path a cookie is for the directory of its page, which is the root for a page there")
    func defaultPath() throws {
        for (uri, path) in [
            ("http://a.example/page", "/"), ("http://a.example/", "/"), ("http://a.example/d/e/page?x=/y", "/d/e"),
            ("http://a.example/d/", "/d"),
        ] {
            let scope = CookieScope(of: try TargetURI(parsing: uri), service: nil, marksAll: false, isSecure: false)
            let text = scope.scoped(Array("a=b".utf8)).map { String(decoding: $0, as: UTF8.self) }
            #expect(text == "a=b; Path=/http://a.example\(path)")
        }
    }
}
