/// A list of which most have one element, or none: those take no memory besides.
struct TinyArray<Element> {
    private(set) var first: Element?
    /// Behind the first.
    private(set) var rest: [Element] = []

    init() {}

    init(_ element: Element) { first = element }

    init(_ elements: some Sequence<Element>) { self += elements }

    mutating func append(_ element: consuming Element) {
        if isEmpty { first = consume element } else { rest.append(element) }
    }

    static func += (list: inout TinyArray, elements: some Sequence<Element>) {
        for element in elements { list.append(element) }
    }

    @discardableResult
    mutating func remove(at position: Int) -> Element {
        guard position == 0, let removed = first else { return rest.remove(at: position - 1) }
        first = rest.isEmpty ? nil : rest.removeFirst()
        return removed
    }

    func forEach(_ body: (Element) -> Void) {
        guard let first else { return }
        body(first)
        for element in rest { body(element) }
    }
}

extension TinyArray: RandomAccessCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { isEmpty ? 0 : rest.count + 1 }
    /// Comparing with nil would copy what is there.
    var isEmpty: Bool { if case .none = first { true } else { false } }

    subscript(position: Int) -> Element {
        if position == 0, let first { return first }
        return rest[position - 1]
    }
}

extension TinyArray: ExpressibleByArrayLiteral {
    init(arrayLiteral elements: Element...) { self += elements }
}

extension TinyArray: Sendable where Element: Sendable {}
