/// A list of which most have one element, or none: those take no memory besides.
struct Few<Element> {
    private(set) var first: Element?
    /// Behind the first.
    private(set) var rest: [Element] = []

    init() {}

    init(_ elements: some Sequence<Element>) { self += elements }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { rest.append(element) }
    }

    static func += (list: inout Few, elements: some Sequence<Element>) {
        for element in elements { list.append(element) }
    }

    func forEach(_ body: (Element) -> Void) {
        guard let first else { return }
        body(first)
        for element in rest { body(element) }
    }
}

extension Few: Sendable where Element: Sendable {}
