import HTTPCore

/// Path and query of a request to the admin API.
struct AdminRequest {
    let path: String
    /// In the order sent, decoded.
    private let parameters: [(name: String, value: String)]

    init(_ head: RequestHead) {
        let target = head.fields.bytes[head.form == .origin ? head.targetRange : head.parts.path]
        let mark = target.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        path = String(decoding: target[..<mark], as: UTF8.self)
        parameters = target[mark...].dropFirst().split(separator: UInt8(ascii: "&")).map { pair in
            let sign = pair.firstIndex(of: UInt8(ascii: "=")) ?? pair.endIndex
            return (Self.decoded(pair[..<sign]), Self.decoded(pair[sign...].dropFirst()))
        }
    }

    /// The value of a parameter; nil if it is absent or empty.
    subscript(name: String) -> String? {
        parameters.first { $0.name == name }.flatMap { $0.value.isEmpty ? nil : $0.value }
    }

    /// All values of a parameter, in order.
    func values(of name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// Throws if there are other parameters than `known`, or a repeated one that may stand there only once.
    func requireParameters(_ known: [Parameter]) throws(AdminRefusal) {
        for (index, parameter) in parameters.enumerated() {
            guard let found = known.first(where: { $0.name == parameter.name }) else {
                let names = known.map(\.name).joined(separator: ", ")
                let sentence = known.isEmpty ? "this path has none" : "known are \(names)"
                throw AdminRefusal(400, "the query has an unknown parameter; \(sentence)")
            }
            guard found.isRepeatable || !parameters[..<index].contains(where: { $0.name == parameter.name }) else {
                throw AdminRefusal(400, "the query has `\(parameter.name)` twice")
            }
        }
    }

    /// Returns an integer in the range of the parameter, or the usual one if it is absent.
    func integer(_ parameter: Parameter) throws(AdminRefusal) -> Int? {
        guard let text = self[parameter.name] else { return parameter.usual }
        let range = parameter.range ?? .min ... .max
        guard !text.hasPrefix("+"), let number = Int(text), range.contains(number) else {
            throw AdminRefusal(
                400,
                "`\(parameter.name)` must be a whole number from \(range.lowerBound) to \(range.upperBound)"
            )
        }
        return number
    }

    /// Returns whether a parameter is `true`; false if it is absent.
    func boolean(_ parameter: Parameter) throws(AdminRefusal) -> Bool {
        switch self[parameter.name] {
        case nil, "false": false
        case "true": true
        default: throw AdminRefusal(400, "`\(parameter.name)` must be true or false")
        }
    }

    /// The text of a parameter; a plus stays a plus, since URLs in filters contain it.
    private static func decoded(_ text: ArraySlice<UInt8>) -> String {
        String(decoding: PercentEncoding.decoded(text), as: UTF8.self)
    }
}
