import ResourceDoubles
import Stores
import Testing

/// Which partitions a request may look into.
@Suite struct PartitionsTests {
    private let own = Partition.credential([1])
    private let credential = Partition.credential([2])

    @Test("a request without credentials has the shared partition alone (C-20.1b)")
    func withoutCredentials() {
        let partitions = Partitions()
        #expect(partitions.own == nil && partitions.credential == nil)
        #expect(partitions.rank(of: .shared) == 2)
        #expect(partitions.rank(of: own) == nil)
    }

    @Test("its own partition comes before that of its credential, and the shared one last (C-20.1b)")
    func ranks() {
        let partitions = Partitions(own: own, credential: credential)
        #expect([own, credential, .shared].map(partitions.rank) == [0, 1, 2])
        #expect(partitions.rank(of: .credential([3])) == nil)
    }

    @Test("a request with a service's own credential never looks into the shared partition (C-20.1b)")
    func confined() {
        let partitions = Partitions(confinedTo: credential, own: own)
        #expect(partitions.common == credential)
        #expect(partitions.rank(of: .shared) == nil)
    }

    @Test("another name for the host gives other partitions, one for each name (H-064)")
    func apart() {
        let partitions = Partitions(own: own, credential: credential)
        let (one, other) = (partitions.apart(for: [65], PlainHasher()), partitions.apart(for: [66], PlainHasher()))
        #expect(one != partitions && one != other)
        #expect(one == partitions.apart(for: [65], PlainHasher()))
        #expect(one.rank(of: .shared) == nil)
        #expect(Set([one.own, one.credential, one.common]).count == 3)
    }

    @Test("the name of its user alone makes a request no other (C-20.1b)")
    func user() {
        var named = Partitions(own: own, credential: credential)
        named.user = "ann"
        #expect(named == Partitions(own: own, credential: credential))
    }

    @Test("partitions are equal if all three are, and only then")
    func equality() {
        let partitions = Partitions(own: own, credential: credential)
        #expect(partitions == Partitions(own: own, credential: credential))
        #expect(partitions != Partitions(own: credential, credential: credential))
        #expect(partitions != Partitions(own: own, credential: own))
        #expect(partitions != Partitions(own: nil, credential: credential))
        #expect(partitions != Partitions(own: own, credential: nil))
        #expect(Partitions(confinedTo: credential, own: own) != Partitions(own: own, credential: credential))
        #expect(Partitions() == Partitions(own: nil, credential: nil))
    }

    @Test("what is a request's own and its credential's, too, counts as its own")
    func rankOfBoth() {
        #expect(Partitions(own: own, credential: own).rank(of: own) == 0)
        #expect(Partitions(confinedTo: credential, own: own).rank(of: credential) == 1)
        #expect(Partitions(own: nil, credential: nil).rank(of: .credential([])) == nil)
    }
}
