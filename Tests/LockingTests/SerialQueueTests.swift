import Locking
import Testing

@Suite("Queues of what is done in order")
struct SerialQueueTests {
    @Test("one caller works; it also does what is added meanwhile, and the queue is idle when nothing is left")
    func order() {
        var queue = SerialQueue<Int>()
        #expect(queue.isIdle && !queue.begin())
        queue.append([1, 2])
        #expect(queue.begin() && !queue.isIdle)
        #expect(queue.next().map(Array.init) == [1, 2])
        queue.append([3])
        #expect(queue.begin() == false, "somebody is at it")
        #expect(queue.next().map(Array.init) == [3])
        #expect(!queue.isIdle)
        #expect(queue.next() == nil && queue.isIdle)
        queue.append([4])
        #expect(queue.begin() == true)
    }

    @Test("work elsewhere is asked for once, until it has begun")
    func scheduling() {
        var queue = SerialQueue<Int>()
        #expect(queue.schedule() == false, "nothing is to be done")
        queue.append([1])
        #expect(queue.schedule() == true)
        queue.append([2])
        #expect(queue.schedule() == false)
        #expect(queue.beginScheduled() == true)
        #expect(!queue.schedule() && queue.next().map(Array.init) == [1, 2] && queue.next() == nil)
        queue.append([3])
        #expect(queue.schedule() == true)
    }

    @Test("what another caller has done meanwhile is not begun again")
    func overtaken() {
        var queue = SerialQueue<Int>()
        queue.append([1])
        #expect(queue.schedule() && queue.begin())
        #expect(queue.next() != nil && queue.next() == nil)
        #expect(queue.beginScheduled() == false)
    }
}
