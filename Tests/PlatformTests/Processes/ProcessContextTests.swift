import Platform
import Testing

@Suite struct ProcessContextTests {
    @Test("the machine has the first label of the name that the kernel has for it")
    func machineName() throws {
        let name = try SmallFile.read("/proc/sys/kernel/hostname", limit: 1000)
        #expect(ProcessContext.machineName == String(decoding: name.prefix { $0 != 0x2E && $0 != 0x0A }, as: UTF8.self))
    }
}
