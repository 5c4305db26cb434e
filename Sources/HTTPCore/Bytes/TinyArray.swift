/// A list that usually has at most one element, which is stored without an array.
public struct TinyArray<Element> {
    fileprivate enum Storage {
        case empty
        case one(Element)
        /// Two elements or more, or what is left of them.
        case several([Element])
    }

    private var storage = Storage.empty

    public init() {}

    public init(_ element: Element) { storage = .one(element) }

    public init(_ elements: some Sequence<Element>) { self += elements }

    public mutating func append(_ element: consuming Element) {
        if isEmpty { storage = .one(element) } else { modifySeveral { [element] in $0.append(element) } }
    }

    public static func += (list: inout TinyArray, elements: some Sequence<Element>) {
        for element in elements { list.append(element) }
    }

    public static func += (list: inout TinyArray, elements: TinyArray) {
        if list.isEmpty { list = elements } else { elements.forEach { list.append($0) } }
    }

    @discardableResult
    public mutating func remove(at index: Int) -> Element {
        if index == 0, case .one(let element) = storage {
            storage = .empty
            return element
        }
        return modifySeveral { $0.remove(at: index) }
    }

    public func forEach(_ body: (Element) -> Void) {
        switch storage {
        case .empty: break
        case .one(let element): body(element)
        case .several(let elements): elements.forEach(body)
        }
    }

    /// The array is taken out meanwhile, so that nobody shares it.
    private mutating func modifySeveral<Result>(_ change: (inout [Element]) -> Result) -> Result {
        var elements = several
        storage = .empty
        defer { storage = elements.isEmpty ? .empty : .several(elements) }
        return change(&elements)
    }

    private var several: [Element] {
        switch storage {
        case .empty: []
        case .one(let element): [element]
        case .several(let elements): elements
        }
    }
}

extension TinyArray: RandomAccessCollection, MutableCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int {
        switch storage {
        case .empty: 0
        case .one: 1
        case .several(let elements): elements.count
        }
    }

    /// Comparing with nil would copy the element.
    public var isEmpty: Bool { if case .empty = storage { true } else { false } }

    /// The only element.
    public var only: Element? { if case .one(let element) = storage { element } else { nil } }

    public subscript(index: Int) -> Element {
        get {
            if index == 0, case .one(let element) = storage { return element }
            return several[index]
        }
        _modify {
            if index == 0, case .one(var element) = storage {
                storage = .empty
                defer { storage = .one(element) }
                yield &element
            } else {
                var elements = several
                storage = .empty
                defer { storage = .several(elements) }
                yield &elements[index]
            }
        }
    }
}

extension TinyArray: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Element...) { self += elements }
}

extension TinyArray: Sendable where Element: Sendable {}
extension TinyArray.Storage: Sendable where Element: Sendable {}
