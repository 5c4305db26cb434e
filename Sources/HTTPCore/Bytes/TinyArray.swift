/// A list that usually has at most one element, which is stored without an array.
public struct TinyArray<Element> {
    public private(set) var first: Element?
    /// The elements after the first.
    public private(set) var rest: [Element] = []

    public init() {}

    public init(_ element: Element) { first = element }

    public init(_ elements: some Sequence<Element>) { self += elements }

    public mutating func append(_ element: consuming Element) {
        if isEmpty { first = consume element } else { rest.append(element) }
    }

    public static func += (list: inout TinyArray, elements: some Sequence<Element>) {
        for element in elements { list.append(element) }
    }

    public static func += (list: inout TinyArray, elements: TinyArray) {
        if list.isEmpty { return list = elements }
        elements.forEach { list.rest.append($0) }
    }

    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        guard index == 0, let removed = first.take() else { return rest.remove(at: index - 1) }
        if !rest.isEmpty { first = rest.removeFirst() }
        return removed
    }

    public func forEach(_ body: (Element) -> Void) {
        guard let first else { return }
        body(first)
        for element in rest { body(element) }
    }
}

extension TinyArray: RandomAccessCollection, MutableCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { isEmpty ? 0 : rest.count + 1 }
    /// Comparing with nil would copy the element.
    public var isEmpty: Bool { if case .none = first { true } else { false } }

    public subscript(index: Int) -> Element {
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
    public init(arrayLiteral elements: Element...) { self += elements }
}

extension TinyArray: Sendable where Element: Sendable {}
