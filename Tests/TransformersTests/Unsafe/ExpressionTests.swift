import CLinux
import Glibc
import Testing

@testable import Transformers

/// Regular expressions as RE2 compiles them.
@Suite("Regular expressions")
struct ExpressionTests {
    @Test("an expression leaves no memory behind")
    func memory() async {
        // In a process of its own: nothing else allocates there.
        await #expect(processExitsWith: .success) {
            // Another allocator, as a sanitizer's, tells nothing.
            if respite_heap_in_use() == 0 { return }
            // Each takes 20 kB.
            func compile(times: Int) throws {
                for _ in 0..<times { _ = try Expression("[a-z]{1000}", ignoresCase: false) }
            }
            // What is made once is there by then.
            try compile(times: 3)
            let before = respite_heap_in_use()
            try compile(times: 100)
            guard respite_heap_in_use() < before + 1 << 20 else { exit(1) }
        }
    }
}
