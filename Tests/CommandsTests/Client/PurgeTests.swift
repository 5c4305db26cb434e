import Testing

@testable import Commands

@Suite struct PurgeTests {
    @Test(
        "a pattern that names no host fits every host, and is not purged unasked",
        arguments: [
            ("**", true), ("*", true), ("http://**", true), ("https://*/**", true), ("*://**", true),
            ("http://*:*/**", true),
            ("http://**/x", true), ("http://h.example/**", false), ("http://*.example/**", false),
            ("http://h.example/*", false),
            ("http://h.example/", false), ("*://h.example/**", false), ("http://{*,h}/**", true),
            ("http://{h,**}/x", true),
            ("{http://h.example/**,**}", true), ("http{,s}://**", true), ("*://**.*/**", true),
            ("http://*.*:80/**", true),
            ("**.deb", true), ("**/simple/**", true), ("http://{a,b}.example/**", false), ("http://[::1]/**", false),
            ("http://**.example:*/**", false), ("http://h.example/{*,**}", false), ("h/**", false),
            ("*:**", true), ("h**", true), ("http:**", true), ("/x/**", false), ("x**", false),
        ]
    )
    func everyHost(pattern: String, isEvery: Bool) { #expect(ChangeCommand.coversEveryHost(pattern) == isEvery) }
}
