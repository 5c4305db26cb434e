import HTTPCore
import Testing

@Suite("Methods")
struct MethodTests {
    @Test("a method is safe and idempotent as RFC 9110 §9.2 says, and has its name as bytes")
    func methods() {
        #expect([Method.get, .head, .options, .trace].allSatisfy { $0.isSafe && $0.isIdempotent })
        #expect([Method.put, .delete].allSatisfy { !$0.isSafe && $0.isIdempotent })
        #expect([Method.post, .patch, .connect, .other(latin("get"))].allSatisfy { !$0.isSafe && !$0.isIdempotent })
        for name in ["GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "get", "X"] {
            #expect(Method(name).text == name)
        }
        #expect(Method("GET") == .get)
        #expect(Method("get") == .other(latin("get")))
    }
}
