import Platform
import Testing

@Suite struct ProcessEnvironmentTests {
    @Test("variables are read and changed by name, and keep their order")
    func variables() {
        var environment = ProcessEnvironment(entries: [Array("A=1".utf8), Array("AB=2=3".utf8), [0x43, 0x3D, 0xFF]])
        #expect(environment["A"] == "1" && environment["AB"] == "2=3" && environment["B"] == nil)
        environment["A"] = "x"
        environment["AB"] = nil
        #expect(environment.entries == [[0x43, 0x3D, 0xFF], Array("A=x".utf8)])
    }
}
