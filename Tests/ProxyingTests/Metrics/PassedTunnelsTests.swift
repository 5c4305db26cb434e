import Testing

@testable import Proxying

@Suite struct PassedTunnelsTests {
    @Test("targets are counted, and the most frequent come first")
    func counts() {
        var passed = PassedTunnels()
        for target in ["b:443", "a:443", "c:443", "c:443"] { passed.add(Array(target.utf8)) }
        #expect(passed.opened == 4 && passed.count(to: Array("c:443".utf8)) == 2)
        #expect(passed.count(to: Array("c:8443".utf8)) == 0)
        let names = passed.mostFrequent(2).map { String(decoding: $0.name, as: UTF8.self) }
        #expect(names == ["c:443", "a:443"])
    }

    @Test("beyond the limit the target that was asked for longest ago is forgotten, but not the number of all")
    func limit() {
        var passed = PassedTunnels()
        #expect(PassedTunnels.limit == 256)
        for number in 0..<PassedTunnels.limit { passed.add(Array("\(number):443".utf8)) }
        passed.add(Array("0:443".utf8))
        passed.add(Array("new:443".utf8))
        #expect(passed.mostFrequent(.max).count == PassedTunnels.limit)
        #expect(passed.count(to: Array("0:443".utf8)) == 2 && passed.count(to: Array("1:443".utf8)) == 0)
        #expect(passed.count(to: Array("new:443".utf8)) == 1 && passed.opened == PassedTunnels.limit + 2)
    }
}
