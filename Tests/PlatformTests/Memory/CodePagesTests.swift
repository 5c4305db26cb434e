import Testing

@testable import Platform

@Suite struct CodePagesTests {
    @Test("pages that equal their file, and that nobody can write to, are released")
    func unchangedPages() {
        func mapping(_ head: String, anonymous: Int = 0, swapped: Int = 0) -> String {
            """
            \(head)
            Size:                 4 kB
            Rss:                  4 kB
            Anonymous:            \(anonymous) kB
            Swap:                 \(swapped) kB
            VmFlags: rd ex mr mw me

            """
        }
        let mappings = [
            mapping("7f00000ff000-7f0000100000 r--p 00000000 fe:01 12 /usr/bin/respite"),
            mapping("7f0000100000-7f0000200000 r-xp 00001000 fe:01 12 /usr/bin/respite with blanks"),
            mapping("7f0000200000-7f0000201000 rwxp 00000000 fe:01 13 /usr/lib/writable.so"),
            mapping("7f0000210000-7f0000211000 r--p 00000000 fe:01 13 /usr/lib/joined.so", anonymous: 4),
            mapping("7f0000220000-7f0000221000 r--p 00000000 fe:01 13 /usr/lib/swapped.so", swapped: 4),
            mapping("7f0000230000-7f0000231000 r--s 00000000 fe:01 13 /var/cache/shared"),
            mapping("7f0000300000-7f0000301000 r-xp 00000000 00:00 0 [vdso]"),
            mapping("7f0000400000-7f0000401000 r-xp 00000000 00:00 0"),
            mapping("x-7f0000401000 r-xp 00000000 fe:01 12 /usr/bin/respite"),
            mapping("7f0000501000-7f0000500000 r-xp 00000000 fe:01 12 /usr/bin/respite"),
            "7f0000600000-7f0000601000 r-xp 00000000 fe:01 12 /usr/bin/cut off\nAnonymous:   0 kB\n",
        ]
        #expect(
            CodePages.unchanged(in: Array(mappings.joined().utf8)) == [
                0x7F00_000F_F000..<0x7F00_0010_0000, 0x7F00_0010_0000..<0x7F00_0020_0000,
            ]
        )
    }
}
