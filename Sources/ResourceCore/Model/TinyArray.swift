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

    static func += (list: inout TinyArray, elements: TinyArray) {
        if list.isEmpty { return list = elements }
        elements.forEach { list.rest.append($0) }
    }

    @discardableResult
    mutating func remove(at index: Int) -> Element {
        guard index == 0, let removed = first.take() else { return rest.remove(at: index - 1) }
        if !rest.isEmpty { first = rest.removeFirst() }
        return removed
    }

    func forEach(_ body: (Element) -> Void) {
        guard let first else { return }
        body(first)
        for element in rest { body(element) }
    }
}

extension TinyArray: RandomAccessCollection, MutableCollection {
    var startIndex: Int { 0 }
    var endIndex: Int { isEmpty ? 0 : rest.count + 1 }
    /// Comparing with nil would copy what is there.
    var isEmpty: Bool { if case .none = first { true } else { false } }

    subscript(index: Int) -> Element {
        get {
            if index == 0, let first { return first }
            return rest[index - 1]
        }
        _modify {
            if index > 0 {
                yield &rest[index - 1]
            } else {
                guard var element = first.take() else { preconditionFailure("there is no element \(index)") }
                defer { first = element }
                yield &element
            }
        }
    }
}

extension TinyArray: ExpressibleByArrayLiteral {
    init(arrayLiteral elements: Element...) { self += elements }
}

extension TinyArray: Sendable where Element: Sendable {}
