import HTTPCore
import Testing

@Suite("Media types")
struct MediaTypeTests {
    @Test("a media type has a lower-case essence and parameters without quotes, and what is none is refused")
    func mediaTypes() throws {
        let type = try #require(MediaType(latin("Text/HTML ; Charset=\"utf-8\"; a=b;c;d=\"x;y\"")))
        #expect(text(type.essence) == "text/html")
        #expect(type.parameter("charset") == latin("utf-8"))
        #expect(type.parameter("D") == latin("x;y"))
        #expect(type.parameter("c") == nil)
        #expect(MediaType(latin("application/problem+json"))?.isJSON == true)
        for bad in ["", "text", "text/", "/html", "te xt/html", "text/html/x"] { #expect(MediaType(latin(bad)) == nil) }
    }
}
