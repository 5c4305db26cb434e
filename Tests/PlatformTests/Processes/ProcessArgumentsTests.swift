import Platform
import Testing

@Suite struct ProcessArgumentsTests {
    @Test("the arguments are those that the kernel names, byte for byte")
    func all() throws {
        let line = try SmallFile.read("/proc/self/cmdline", limit: 1 << 20)
        #expect(
            ProcessArguments.all
                == line.dropLast().split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
        )
        #expect(ProcessArguments.texts == Array(CommandLine.arguments.dropFirst()))
        #expect(ProcessArguments.last(0) == [] && ProcessArguments.last(ProcessArguments.all.count) == nil)
    }
}
