import Locking
import Platform
import Testing

@Suite struct BlockingQueueTests {
    @Test("elements come out in the order they went in")
    func order() {
        let queue = BlockingQueue<Int>()
        for number in 0..<200 { queue.push(number) }
        #expect((0..<150).map { _ in queue.pop() } == Array(0..<150))
        for number in 200..<300 { queue.push(number) }
        #expect(queue.count == 150)
        #expect((150..<300).map { _ in queue.pop() } == Array(150..<300))
    }

    @Test("a reader sleeps until there is an element")
    func waiting() throws {
        let (questions, answers) = (BlockingQueue<Int>(), BlockingQueue<Int>())
        let thread = try Thread(name: "reader") { while let number = questions.pop() { answers.push(number * 2) } }
        for number in 0..<100 {
            questions.push(number)
            #expect(answers.pop() == number * 2)
        }
        questions.close()
        thread.join()
    }

    @Test("each element goes to one of several readers")
    func readers() throws {
        let queue = BlockingQueue<Int>()
        let sum = Lock(0)
        let threads = try (0..<4).map { index in
            try Thread(name: "reader-\(index)") { while let number = queue.pop() { sum.withLock { $0 += number } } }
        }
        for number in 1...1000 { queue.push(number) }
        queue.close()
        threads.forEach { $0.join() }
        #expect(sum.withLock { $0 } == 500_500)
    }

    @Test("a full queue refuses an element, and so does a closed one, which still gives what it has")
    func refusal() {
        let queue = BlockingQueue<Int>()
        #expect(queue.push(1, limit: 2) && queue.push(2, limit: 2) && !queue.push(3, limit: 2))
        queue.close()
        #expect(!queue.push(4))
        #expect([queue.pop(), queue.pop(), queue.pop()] == [1, 2, nil])
    }
}
