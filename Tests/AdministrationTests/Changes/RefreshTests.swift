import Testing

/// Refreshing by `POST /v1/refresh`.
struct RefreshTests {
    @Test("a refresh that brings no response names the URL and the reason, with 502 in place of the origin's status")
    func refreshWithoutResponse() throws {
        // Given a service without a network
        let admin = try TestAdmin()
        // When a URL is to be loaded
        let answer = try admin.post("/v1/refresh", "{\"uri\":\"http://h.example/1\"}")
        // Then
        #expect(answer.status == 502)
        #expect(answer.text.contains("http://h.example/1 could not be loaded: "))
        #expect(answer.text.contains("(502)"))
    }
}
