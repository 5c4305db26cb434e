import Glibc
import SharedStorage
import TestDoubles
import TestSupport
import Testing

@testable import Daemon

/// The file with the last purge of others that a node has followed.
struct PositionFileTests {
    @Test("a position is written a second after the first change, with the latest one")
    func writing() throws {
        let (timekeeper, place) = (ManualTimekeeper(), TemporaryDirectory())
        let file = PositionFile(place.path("position"), timekeeper)
        let positions = try ["1-0 5", "2-0 6", "3-1 7"].map { try #require(KnownPurges.Position($0)) }
        file.save(positions[0])
        timekeeper.advance(by: .milliseconds(999))
        file.save(positions[1])
        #expect(file.read() == nil)
        timekeeper.advance(by: .milliseconds(1))
        #expect(file.read() == positions[1])
        file.save(positions[2])
        timekeeper.advance(by: .milliseconds(1000))
        #expect(file.read() == positions[2])
        // Nothing is written twice.
        #expect(unlink(place.path("position")) == 0)
        timekeeper.advance(by: .seconds(5))
        #expect(file.read() == nil)
    }
}
