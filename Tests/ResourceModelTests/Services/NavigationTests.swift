import ResourceDoubles
import HTTPCore
import Testing
import TestDoubles

@testable import ResourceCore
@testable import ResourceModel

/// From one resource to others, at `/a/b` below the base `https://h.example/v1`.
@Suite("Navigation")
struct NavigationTests {
    private let service = TestService.service()
    private var resource: Resource { service.resource("/a/b") }

    @Test("navigation stays within the service (T-214, S-022)")
    func sameService() {
        #expect(resource.child("c").service === service && resource.relative("//other/c").service === service)
    }

    @Test(
        "a child is always below (T-215, T-216, T-217, T-218, S-023, S-024, S-025, S-026)",
        arguments: [
            ("c", "/c"), ("/c", "/c"), ("/", "/"), ("", "/"), ("//c", "//c"), ("c/", "/c/"), ("c/d", "/c/d"),
            ("./c", "/./c"), ("./c/./d", "/./c/./d"), ("../c", "/../c"), ("http://x.example/c", "/http://x.example/c"),
            ("?foo", "/%3Ffoo"), (" •", "/%20%E2%80%A2"), ("%20", "/%2520"),
        ]
    )
    func children(path: String, expected: String) {
        #expect(resource.child(path).url == "https://h.example/v1/a/b" + expected)
        // S-026 the query stays, behind the longer path.
        #expect(resource.relative("?x=1").child(path).url == "https://h.example/v1/a/b" + expected + "?x=1")
        #expect(service.resource("/a/b/").child(path) === resource.child(path))
    }

    @Test(
        "a relative reference is resolved like a link (T-219, T-220, T-221, T-222, T-223, T-224, S-027, S-028)",
        arguments: [
            ("c", "https://h.example/v1/a/c"), ("./c", "https://h.example/v1/a/c"),
            ("././c", "https://h.example/v1/a/c"),
            ("./c/./d", "https://h.example/v1/a/c/d"), ("../c", "https://h.example/v1/c"),
            ("../../c", "https://h.example/c"),
            ("../c/../d", "https://h.example/v1/d"), ("../../../../c", "https://h.example/c"),
            (".", "https://h.example/v1/a/"),
            ("..", "https://h.example/v1/"), ("/c", "https://h.example/c"), ("/c/../d", "https://h.example/d"),
            ("//other.example/c", "https://other.example/c"),
            ("http://other.example/c?d", "http://other.example/c?d"), ("http://other.example", "http://other.example/"),
            ("?foo=1", "https://h.example/v1/a/b?foo=1"),
            ("c?foo=1", "https://h.example/v1/a/c?foo=1"), ("?foo=1&bar=2", "https://h.example/v1/a/b?foo=1&bar=2"),
            ("c?foo=1&bar=2", "https://h.example/v1/a/c?foo=1&bar=2"), ("c?x=../y", "https://h.example/v1/a/c?x=../y"),
            ("?", "https://h.example/v1/a/b?"), ("#there", "https://h.example/v1/a/b"),
            ("c#there", "https://h.example/v1/a/c"),
            ("%zz", "https://h.example/v1/a/%zz"), ("c%2Fd", "https://h.example/v1/a/c%2Fd"),
            ("c//d", "https://h.example/v1/a/c//d"),
        ]
    )
    func relatives(href: String, expected: String) {
        #expect(resource.relative(href).url == expected)
    }

    @Test("a reference that is there leads where a relative one does (T-226, S-030)")
    func optionalReference() {
        let sibling = resource.relative("c")
        #expect(resource.optionalRelative("c") === sibling && sibling.url == "https://h.example/v1/a/c")
    }

    @Test("a query replaces the old one whole, repeats and all; a path alone drops it (T-225, S-028)")
    func replacedQuery() {
        let asked = resource.relative("?foo=bar")
        #expect(asked.relative("?k=1&k=2").url == "https://h.example/v1/a/b?k=1&k=2")
        #expect(asked.relative("b") === resource)
        #expect(asked.relative("#there") === asked)
    }

    @Test("nothing leads to nothing (T-227, S-030)") func optional() { #expect(resource.optionalRelative(nil) == nil) }

    @Test(
        "a reference that is none leads to a resource that fails and names it (S-029, S-011)",
        arguments: ["\0", "http://[", "http://h.example:99999/", "mailto:a@b", "a b", "c:d", "//", "http:c"]
    )
    func failing(href: String) {
        let failing = resource.relative(href)
        let cause = failing.load().result?.response.error?.cause as? RequestError.Cause.InvalidURL
        #expect(failing.isFailing && failing.url == href && cause?.urlSource == href)
    }

    @Test("an empty reference leads to the shared resource that fails (S-029)")
    func empty() { #expect(resource.relative("") === service.resource(absoluteURL: nil)) }

    @Test("from what is no URL only a whole URL leads on (S-011)")
    func fromFailing() {
        let failing = service.resource(absoluteURL: "x")
        let shared = service.resource(absoluteURL: nil)
        #expect(
            failing.child("c") === shared && failing.relative("/c") === shared && failing.relative("//h/c") === shared
        )
        #expect(failing.withParam("a", "1") === shared)
        #expect(failing.relative("https://h.example/v1/a/b") === resource)
    }

    // MARK: Parameters

    private func query(_ start: String, _ parameters: [String: String?]) -> String {
        String(
            (start.isEmpty ? resource : resource.relative(start)).withParams(parameters).url.dropFirst(
                "https://h.example/v1/a/b".count
            )
        )
    }

    @Test("a parameter is added (T-228, S-031)")
    func oneParameter() { #expect(resource.withParam("foo", "bar").url == "https://h.example/v1/a/b?foo=bar") }

    @Test("parameters are sorted, and the others keep their values (T-229, T-230, T-231, T-232, S-031, S-032, S-036)")
    func parameters() {
        #expect(query("?z=1&a=2", ["m": "3"]) == "?a=2&m=3&z=1")
        #expect(query("?z=1&a=2", ["z": "3"]) == "?a=2&z=3")
        #expect(query("?z=1&a=2", ["a": nil]) == "?z=1")
        #expect(query("?z=1&a=2", ["m": "3", "b": "4"]) == "?a=2&b=4&m=3&z=1")
        #expect(query("?z=1&a=2", ["z": nil, "a": nil]) == "")
        #expect(query("?z=1&a=2", ["other": nil]) == "?a=2&z=1")
        #expect(query("?z=1+2&y=%7e%zz&x==", ["a": ""]) == "?a&x==&y=%7e%zz&z=1+2")
        let chained = resource.withParam("z", "1").withParam("b", nil).withParam("a", "2")
        #expect(chained === resource.withParams(["a": "2", "b": nil, "z": "1"]))
    }

    @Test("an empty value is a bare name, a repeated name stays once, a name may be spelled in two ways (S-033, S-034)")
    func bareNames() {
        #expect(query("", ["foo": ""]) == "?foo")
        #expect(query("?b=&a=1&a=2&c", ["d": "4"]) == "?a=2&b&c&d=4")
        #expect(query("?%61=1&&=x", ["a": "2"]) == "?=x&a=2")
        #expect(query("?", ["a": nil]) == "")
        #expect(query("", ["": ""]) == "")
    }

    @Test("names and values are escaped (S-035)")
    func escapes() {
        #expect(query("", ["a b": "c d"]) == "?a%20b=c%20d")
        #expect(query("", ["a=b": "c=d"]) == "?a%3Db=c%3Dd")
        #expect(query("", ["a+b": "c+d"]) == "?a%2Bb=c%2Bd")
        #expect(query("", ["a&b": "c#d%;ü"]) == "?a%26b=c%23d%25%3B%C3%BC")
        #expect(query("", ["a/?:@": "-._~!$'()*,"]) == "?a/?:@=-._~!$'()*,")
    }

    @Test("navigation asks no closure and looks nothing up (S-037)")
    func cheap() {
        let store = MemoryVariantStore()
        let environment = CoreEnvironment(timekeeper: ManualTimekeeper(), hasher: PlainHasher(), store: store)
        let service = Service(
            name: "api",
            baseURL: "https://h.example/v1".targetURI,
            table: ResourceTable(environment: environment, countLimit: 4)
        )
        let runs = LockedBox(0)
        service.configure { _ in runs.change { $0 += 1 } }
        let resource = service.resource("/a").child("b").relative("c").withParam("d", "e")
        _ = (resource.snapshot, resource.description, service.resource(absoluteURL: "x").child("y"))
        for number in 0..<10 { _ = service.resource("/\(number)") }
        service.flushUnusedResources()
        #expect(runs.value == 0)
        #expect(store.log.isEmpty)
    }
}
