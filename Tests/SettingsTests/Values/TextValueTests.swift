import Testing

@testable import Settings

/// URLs of servers, and how values are written as text.
@Suite struct TextValueTests {
    @Test(
        "a Redis server is a host with a port, by TLS or not, or a socket; it has no login and no database",
        arguments: [
            ("redis://a.example", "redis://a.example:6379", false),
            ("rediss://A.example:1", "rediss://a.example:1", true),
            ("redis://[::1]/", "redis://[::1]:6379", false), ("redis+unix:///run/r", "redis+unix:///run/r", false),
            ("redis+unix://r", nil, false), ("redis+unix:///", nil, false), ("redis+unix:///a\u{0}", nil, false),
            ("redis://", nil, false), ("redis://u@a.example", nil, false), ("redis://a.example/1", nil, false),
            ("http://a.example", nil, false), ("a.example:1", nil, false),
        ] as [(String, String?, Bool)]
    )
    func redisServers(text: String, expected: String?, isSecure: Bool) {
        let url = SharedServerURL(text: text)
        #expect(url?.description == expected)
        #expect(url?.isSecure ?? false == isSecure)
    }

    @Test(
        "a node of a cluster is a host, with a port or without, or a URL with a host",
        arguments: [
            ("a.example", "redis://a.example:6379"), ("10.0.0.1:1", "redis://10.0.0.1:1"),
            ("rediss://a.example", "rediss://a.example:6379"), ("redis+unix:///run/r", nil), ("", nil), ("a:0", nil),
            ("http://a.example", nil),
        ] as [(String, String?)]
    )
    func clusterNodes(text: String, expected: String?) {
        #expect(SharedServerURL(node: text)?.description == expected)
    }

    @Test("the shared tier is on with a server or with nodes of a cluster")
    func sharedTier() {
        var settings = SharedSettings()
        #expect(!settings.isOn)
        settings.cluster = [SharedServerURL(node: "a.example")].compactMap { $0 }
        #expect(settings.isOn)
        settings.cluster = []
        settings.url = SharedServerURL(text: "redis://a.example")
        #expect(settings.isOn)
    }

    @Test(
        "a collector is an origin with a path or without, and the path has no slash at its end",
        arguments: [
            ("http://a.example:4318", "http://a.example:4318", ""), ("https://a.example/", "https://a.example", ""),
            ("http://a.example/x/y//", "http://a.example/x/y", "/x/y"), ("http://a.example//", "http://a.example", ""),
            ("http://a.example/!~", "http://a.example/!~", "/!~"), ("a.example", nil, ""), ("http://", nil, ""),
            ("http://u@a.example", nil, ""), ("http://a.example/?x", nil, ""), ("http://a.example/#x", nil, ""),
            ("http://a.example/a b", nil, ""), ("http://a.example/\u{7F}", nil, ""), ("http:/a.example", nil, ""),
        ] as [(String, String?, String)]
    )
    func collectors(text: String, expected: String?, path: String) {
        let url = CollectorURL(text: text)
        #expect(url?.description == expected)
        #expect(url?.path ?? "" == path)
    }

    @Test("of the URL of an index its directory and its bare host are known")
    func indexParts() throws {
        let index = try #require(PackageIndexURL("https://A.example:8443/simple"))
        #expect(index.directory == "https://a.example:8443/simple/" && index.bareHost == nil)
        let root = try #require(PackageIndexURL("https://a.example:8443"))
        #expect(root.directory == "https://a.example:8443/" && root.bareHost == "a.example")
        #expect(PackageIndexURL("https://[::1]:1/")?.bareHost == nil)
        #expect(PackageIndexURL("http://[::1]:3128/http://b.example/")?.text == "http://b.example/")
        #expect(PackageIndexURL("http://localhosts:1/http://b.example/")?.text != "http://b.example/")
    }

    @Test(
        "a duration is written in the largest unit up to days that divides it",
        arguments: [
            (.zero, "0"), (.milliseconds(1), "1ms"), (.milliseconds(1500), "1500ms"), (.seconds(1), "1s"),
            (.seconds(90), "90s"), (.seconds(120), "2m"), (.seconds(7200), "2h"), (.seconds(86_400), "1d"),
            (.seconds(604_800), "7d"), (.microseconds(999), "0"), (.microseconds(1999), "1ms"),
            (.seconds(Int64.max), "9223372036854775807ms"), (.seconds(1) + .milliseconds(1), "1001ms"),
        ] as [(Duration, String)]
    )
    func durations(duration: Duration, text: String) { #expect(duration.settingText == text) }

    @Test(
        "a size is written in the largest unit that divides it",
        arguments: [
            (0, "0"), (1, "1B"), (999, "999B"), (1000, "1kB"), (1001, "1001B"), (1024, "1KiB"), (64_000, "64kB"),
            (1 << 20, "1MiB"), (1_000_000, "1MB"), (3 << 30, "3GiB"), (1_000_000_000, "1GB"), (1 << 40, "1TiB"),
            (2_000_000_000_000, "2TB"), (1536 << 10, "1536KiB"),
        ]
    )
    func sizes(bytes: Int, text: String) { #expect(ByteCount(bytes: bytes).description == text) }

    @Test(
        "a unit of another spelling is known",
        arguments: [
            ("", "B"), ("b", "B"), ("k", "KiB"), ("M", "MiB"), ("g", "GiB"), ("t", "TiB"), ("KB", "kB"), ("mib", "MiB"),
            ("x", nil), ("kbit", nil),
        ]
            as [(String, String?)]
    )
    func sizeUnits(word: String, unit: String?) { #expect(ByteCount.unit(meantBy: word) == unit) }

    @Test(
        "a unit of time of another spelling is known, in any letter case",
        arguments: [
            ("ms", ["MS", "msec", "msecs", "millisecond", "Milliseconds"]),
            ("s", ["", "S", "s", "sec", "secs", "second", "seconds"]),
            ("m", ["M", "m", "min", "mins", "minute", "minutes"]), ("h", ["H", "h", "hr", "hrs", "hour", "hours"]),
            ("d", ["D", "d", "day", "days"]), ("w", ["W", "w", "week", "weeks"]), (nil, ["y", "us", "month"]),
        ] as [(String?, [String])]
    )
    func timeUnits(unit: String?, words: [String]) {
        for word in words { #expect(Duration.unit(meantBy: word) == unit, "\(word)") }
    }

    @Test(
        "the path of a collector's URL has no letter that would have to be escaped",
        arguments: ["\\", "\"", "<", ">", "^", "`", "{", "|", "}", "?", "#"]
    )
    func collectorPaths(letter: String) { #expect(CollectorURL(text: "http://a.example/a\(letter)b") == nil) }

    @Test("the path of a Unix socket has up to 107 bytes, none of them NUL")
    func socketPaths() {
        let most = "/" + String(repeating: "a", count: 106)
        #expect(ListenAddress(text: "unix:\(most)") == .unix(path: most))
        for path in ["", "\(most)a", "/a\u{0}b"] { #expect(ListenAddress(text: "unix:\(path)") == nil) }
    }

    // MARK: Logins in the URL of a proxy

    private static func proxy(_ login: String) -> String { "http://\(login)@p.example:1" }

    @Test(
        "user name and password in a URL are percent-encoded (RFC 3986 §2.1)",
        arguments: [
            ("a%41", "aA"), ("%41", "A"), ("a%01b:%20", "a%01b:%20"), ("a!b", "a%21b"), ("a-._~():9", "a-._~():9"),
            ("%C3%A4", "%C3%A4"), ("a%1fb", "a%1Fb"), ("a%10b", "a%10b"), ("a%0Fb", "a%0Fb"), ("a:b%3Ac", "a:b%3Ac"),
            ("a:b:c", "a:b%3Ac"), ("a:", "a"),
            ("a%4", nil), ("a%", nil), ("a%4z", nil), ("a%z4", nil), ("a b", nil), ("a\u{7F}", nil), ("%FF", nil),
            ("a%3Ab", nil), ("", nil), (":b", nil),
        ] as [(String, String?)]
    )
    func logins(login: String, shown: String?) {
        #expect((try? UpstreamProxy(text: Self.proxy(login)))?.text == shown.map(Self.proxy))
    }

    @Test("user name and password of a proxy have 255 bytes at most, in a URL and in a file")
    func loginLengths() {
        let (most, more) = (String(repeating: "a", count: 255), String(repeating: "a", count: 256))
        for (login, isRight) in [("\(most):\(most)", true), ("\(more):b", false), ("b:\(more)", false), (more, false)] {
            #expect(((try? UpstreamProxy(text: Self.proxy(login))) != nil) == isRight)
            #expect((UpstreamProxy.login(line: login) != nil) == isRight)
        }
    }

    @Test("a proxy without its login shows none")
    func masked() throws {
        let proxy = try UpstreamProxy(text: Self.proxy("me:hush"))
        #expect(proxy.masked.text == "http://(secret)@p.example:1")
        #expect(try UpstreamProxy(text: "http://p.example:1").masked.text == "http://p.example:1")
    }

    @Test(
        "a pattern of hosts without a proxy is no name that ends in a digit",
        arguments: [
            ("a0", false), ("a9", false), ("a0.b", true), ("*.a", true), (".a", true), ("*.", false), (".", false),
        ]
    )
    func noProxyNames(text: String, isRight: Bool) { #expect((NoProxyPattern(text: text) != nil) == isRight) }
}
