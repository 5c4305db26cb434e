import HTTPCore
import Testing

@testable import ResourceCore
@testable import ResourceModel

/// From base URL and path to resources.
@Suite("Services and their paths")
struct ServicePathTests {
    @Test(
        "a slash is appended to the path of the base where there is none, in front of a query (T-174, T-175, S-004)",
        arguments: [
            ("http://h.example", "http://h.example/"), ("http://h.example/", "http://h.example/"),
            ("http://h.example/p", "http://h.example/p/"),
            ("http://h.example/p/", "http://h.example/p/"), ("http://h.example?x=1", "http://h.example/?x=1"),
            ("http://h.example/p?x=1", "http://h.example/p/?x=1"),
            ("http://h.example/p/?x=/", "http://h.example/p/?x=/"), ("http://h.example/%7a", "http://h.example/%7a/"),
            ("http://h.example/p#f", "http://h.example/p/"),
        ]
    )
    func bases(given: String, expected: String) { #expect(TestService.service(given).baseURL?.text == expected) }

    @Test(
        "without a base, or with one that is none, paths fail and absolute URLs work (T-176, T-177, T-178, T-179, S-005)"
    )
    func noBase() {
        for service in [
            TestService.service(nil), TestService.service("http://a.example b/"), TestService.service("x/y"),
        ] {
            #expect(service.baseURL == nil)
            #expect(service.resource("/a").isFailing)
            #expect(service.resource("/a") === service.resource("/b"))
            #expect(service.resource(absoluteURL: "http://h.example/a").url == "http://h.example/a")
            #expect(!service.resource(absoluteURL: "http://h.example/a").isFailing)
        }
    }

    @Test("a resource knows its service, and services share none (T-180, S-001)")
    func identityOfServices() {
        let (one, other) = (TestService.service(), TestService.service())
        let resource = one.resource("/a")
        #expect(resource.service === one)
        #expect(other.resource("/a") !== resource)
    }

    @Test(
        "a path goes behind the base; slashes at its end stay, one at its start makes no difference (T-181, S-008)",
        arguments: ["https://h.example", "https://h.example/v1"],
        ["", "x", "x/y", "x/y/"]
    )
    func paths(base: String, path: String) {
        let service = TestService.service(base)
        let resource = service.resource(path)
        #expect(resource.url == "\(base)/\(path)")
        #expect(service.resource("/" + path) === resource)
    }

    @Test(
        "nothing in a path is interpreted (T-182, T-183, T-184, S-008)",
        arguments: [
            ("./x", "./x"), ("../x", "../x"), ("x/.", "x/."), ("x/..", "x/.."), ("//other", "/other"),
            ("///other", "//other"), ("a//b", "a//b"), ("http://other.example/x", "http://other.example/x"),
            ("x:y", "x:y"),
            ("?a=b", "%3Fa=b"), ("%3F", "%253F"), ("%zz", "%25zz"), ("a b", "a%20b"), ("a#b", "a%23b"),
            ("\u{1F4A9}", "%F0%9F%92%A9"), ("ü", "%C3%BC"), ("a;b,c", "a;b,c"), ("-._~!$&'()*+=:@", "-._~!$&'()*+=:@"),
            ("\"<>\\^`{|}[]", "%22%3C%3E%5C%5E%60%7B%7C%7D%5B%5D"), ("\r\n\u{7F}", "%0D%0A%7F"),
        ]
    )
    func literal(path: String, expected: String) {
        #expect(TestService.service().resource(path).url == "https://h.example/v1/" + expected)
        #expect(TestService.service().resource("/").child(path).url == "https://h.example/v1/" + expected)
    }

    @Test("a query of the base stays behind the longer path (T-185, S-008)")
    func queriesOfBases() {
        #expect(TestService.service("http://h.example?x=1").resource("/a").url == "http://h.example/a?x=1")
        #expect(TestService.service("http://h.example/v1?x=1/2").resource("a?").url == "http://h.example/v1/a%3F?x=1/2")
    }

    @Test("an ad hoc base in the place of the service's own (T-186, S-009)")
    func otherBase() throws {
        let service = TestService.service()
        let resource = service.resource(baseURL: "http://other.example/base", path: "/a")
        #expect(resource.url == "http://other.example/base/a")
        #expect(service.resource(baseURL: try TestService.uri("http://other.example/base/"), path: "a") === resource)
        #expect(service.resource(baseURL: nil, path: "a") === service.resource(absoluteURL: nil))
        #expect(service.resource(baseURL: "base", path: "a").isFailing)
    }

    @Test(
        "an absolute URL as it is, text or value (T-187, T-188, S-010, S-021)",
        arguments: [
            "http://other.example/x", "http://other.example/x?b=2&a=1&a=1", "http://other.example/%zz",
            "http://other.example/a/../b//c",
            "http://other.example/%C3%bc?%20", "http://other.example:8080/", "https://[::1]/x",
            "http://other.example/?",
        ]
    )
    func absolute(url: String) throws {
        let service = TestService.service()
        let resource = service.resource(absoluteURL: url)
        #expect(resource.url == url && !resource.isFailing)
        #expect(service.resource(absoluteURL: try TestService.uri(url)) === resource)
        #expect(service.resource(absoluteURL: Optional(try TestService.uri(url))) === resource)
        #expect(service.resource(absoluteURL: Substring(url)) === resource)
    }

    @Test(
        "what is no URL gives a new resource that fails, each time; nil gives one and the same (T-189, S-011)",
        arguments: [
            "\0", "http://h.example/\0", "", "./x", "x", "//h/x", "http://a.example b/", "http://[",
            "http://h.example:99999/", "http://h.example:0/",
            "http://h.example:x/", "http://h.example/a b", "http://h.example/ü", "http:///x", "http://",
            "ftp://h.example/x", "http://user@h.example/", ":",
        ]
    )
    func invalid(text: String) {
        let service = TestService.service()
        let resource = service.resource(absoluteURL: text)
        #expect(resource.isFailing && resource.url == text && resource.service === service)
        #expect(service.resource(absoluteURL: text) !== resource)
        let nothing = service.resource(absoluteURL: nil)
        #expect(nothing.isFailing && service.resource(absoluteURL: nil as String?) === nothing)
        #expect(
            service.resource(absoluteURL: nil as TargetURI?) === nothing
                && TestService.service().resource(absoluteURL: nil) !== nothing
        )
        // It must not create an entry.
        #expect(service.table.count == 0)
    }

    @Test("a path that holds a NUL is none (S-008)")
    func nul() {
        #expect(TestService.service().resource("a\0b").isFailing)
        #expect(TestService.service().resource("/a").child("\0").isFailing)
    }

    @Test("what fails has the defaults: no closure is asked (S-012)")
    func defaultsOfFailing() {
        let service = TestService.service()
        service.configure { $0.expirationTime = .zero }
        #expect(service.resource(absoluteURL: nil).configuration.values.expirationTime == .seconds(30))
        #expect(service.resource(absoluteURL: "x").configuration(for: .post).sources.isEmpty)
        #expect(service.resource("/a").configuration.values.expirationTime == .zero)
    }

    @Test("one object for a URL, whichever way leads to it (T-190, T-191, S-013)")
    func oneObject() {
        let service = TestService.service()
        let resource = service.resource("/foo/bar")
        #expect(service.resource("foo/bar") === resource)
        #expect(service.resource("/foo").child("bar") === resource)
        #expect(service.resource("/foo").child("baz").relative("bar") === resource)
        #expect(service.resource("/foo/oof").relative("bar") === resource)
        #expect(service.resource("/").relative("/v1/foo/bar") === resource)
        #expect(service.resource(absoluteURL: "https://H.example:443/v1/foo/bar#there") === resource)
        #expect(resource.withParam("a", "1").withParam("a", nil) === resource)
    }

    @Test("text that finds a resource finds the one its value finds, and holds it (S-010, S-013, S-224)")
    func foundByText() {
        let service = TestService.service()
        let id = service.resource(absoluteURL: "http://h.example/a?b").id
        // Nobody but the table holds it.
        #expect(service.resource(absoluteURL: "http://h.example/a?b").id == id && service.table.count == 1)
        #expect(service.resource(absoluteURL: "HTTP://H.example:80/a?b#c").id == id && service.table.count == 1)
        var held: Resource? = service.resource(absoluteURL: "http://h.example/a?b")
        service.flushUnusedResources()
        #expect(service.resource(absoluteURL: "http://h.example/a?b") === held)
        held = nil
        #expect(service.table.count == 1 && service.resource(absoluteURL: "http://h.example/a?b").id == id)
        service.flushUnusedResources()
        #expect(service.table.count == 0)
        #expect(service.resource(absoluteURL: "http://h.example/a?b").id != id)
    }

    @Test("where query rules make two URLs one, text leads to the resource of that one (S-010)")
    func textAndQueryRules() throws {
        let service = TestService.service()
        let before = service.resource(absoluteURL: "http://h.example/a?b=1")
        #expect(before.url == "http://h.example/a?b=1")
        let rule = QueryRule(try URLGlob("**"), dropping: ["b"])
        service.reconfigure { $0.queryRules = [rule] }
        #expect(service.resource(absoluteURL: "http://h.example/a?b=1").url == "http://h.example/a")
        #expect(
            service.resource(absoluteURL: "http://h.example/a?b=1")
                === service.resource(absoluteURL: "http://h.example/a")
        )
        withExtendedLifetime(before) {}
    }

    @Test("where query rules drop what the base brings, paths lead to the resource without it (S-008)")
    func pathsAndQueryRules() throws {
        let service = TestService.service("http://h.example/v1?b=1")
        #expect(service.resource("a").url == "http://h.example/v1/a?b=1")
        let rule = QueryRule(try URLGlob("**"), dropping: ["b"])
        service.reconfigure { $0.queryRules = [rule] }
        #expect(service.resource("a").url == "http://h.example/v1/a")
        #expect(service.resource("a") === service.resource(absoluteURL: "http://h.example/v1/a"))
        #expect(service.resource("a").child("c").url == "http://h.example/v1/a/c")
    }
}
