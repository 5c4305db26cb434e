import HTTPCore
import Testing

@Suite("Boxed values")
struct BoxedTests {
    private struct Content: Equatable {
        var number = 0
        var texts: [String] = []
    }

    @Test("a box shows and changes the members of its value")
    func members() {
        var box = Boxed(Content(number: 1))
        box.number += 1
        box.texts.append("a")
        #expect(box.number == 2 && box.texts == ["a"] && box.value == Content(number: 2, texts: ["a"]))
        box.value = Content()
        #expect(box.number == 0 && box.texts.isEmpty)
    }

    @Test("a copy keeps its value when the other one is changed")
    func copies() {
        var box = Boxed(Content(number: 1, texts: ["a"]))
        let copy = box
        box.texts.append("b")
        box.number = 2
        #expect(copy.value == Content(number: 1, texts: ["a"]))
        #expect(box.value == Content(number: 2, texts: ["a", "b"]))
    }

    @Test("copies share one value until one of them is changed, and a box that nobody shares is changed in place")
    func sharing() {
        // An array that somebody else has, too, gets storage of its own when it is changed.
        func storage(_ box: Boxed<[Int]>) -> UInt {
            box.value.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
        }
        var box = Boxed(Array(0..<100))
        let first = storage(box)
        var copy = box
        #expect(storage(copy) == first)
        box.value[0] = 1
        let second = storage(box)
        #expect(second != first && storage(copy) == first)
        box.value[0] = 2
        copy.value[0] = 3
        #expect(storage(box) == second && storage(copy) == first)
    }

    @Test("boxes are equal if their values are")
    func equality() {
        let box = Boxed(Content(number: 1))
        #expect(box == box && box == Boxed(Content(number: 1)) && box != Boxed(Content(number: 2)))
    }

    @Test("where there is no box the initial value is read, and changing it makes one")
    func optional() {
        var box: Boxed<Content>?
        #expect(box[orNew: Content(number: 7)].number == 7 && box == nil)
        box[orNew: Content(number: 7)].texts.append("a")
        #expect(box?.value == Content(number: 7, texts: ["a"]))
        box[orNew: Content(number: 8)].number += 1
        #expect(box?.value == Content(number: 8, texts: ["a"]))
    }
}
