/// A set of Unicode general categories, one bit each.
struct CategorySet: Sendable, Equatable {
    private(set) var bits: UInt32

    static let none = CategorySet(bits: 0)

    private init(bits: UInt32) { self.bits = bits }

    /// The categories with a name as in `\p{…}`, such as `L` or `Lu`; nil if RFC 9485 does not have the name.
    init?(_ name: ArraySlice<Unicode.Scalar>) {
        let bytes = name.map { UInt8(truncatingIfNeeded: $0.value) }
        guard name.allSatisfy({ $0.isASCII }), name.count == 1 || name.count == 2 else { return nil }
        bits = 0
        for (index, category) in Self.names.enumerated() where category.utf8.starts(with: bytes) {
            bits |= 1 << UInt32(index)
        }
        // RFC 9485 §4 has no name for surrogates.
        if bits == 0 || bytes == Array("Cs".utf8) { return nil }
    }

    var complement: CategorySet { CategorySet(bits: ~bits) }

    func union(_ other: CategorySet) -> CategorySet { CategorySet(bits: bits | other.bits) }

    /// Whether the set contains the category of a code point.
    func contains(_ point: UInt32) -> Bool {
        guard bits != 0 else { return false }
        let category = Unicode.Scalar(point)?.properties.generalCategory ?? .surrogate
        return bits >> Self.index(category) & 1 != 0
    }

    private static let names = [
        "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po",
        "Sm",
        "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn",
    ]

    /// The index of a category in `names`.
    private static func index(_ category: Unicode.GeneralCategory) -> UInt32 {
        switch category {
        case .uppercaseLetter: 0
        case .lowercaseLetter: 1
        case .titlecaseLetter: 2
        case .modifierLetter: 3
        case .otherLetter: 4
        case .nonspacingMark: 5
        case .spacingMark: 6
        case .enclosingMark: 7
        case .decimalNumber: 8
        case .letterNumber: 9
        case .otherNumber: 10
        case .connectorPunctuation: 11
        case .dashPunctuation: 12
        case .openPunctuation: 13
        case .closePunctuation: 14
        case .initialPunctuation: 15
        case .finalPunctuation: 16
        case .otherPunctuation: 17
        case .mathSymbol: 18
        case .currencySymbol: 19
        case .modifierSymbol: 20
        case .otherSymbol: 21
        case .spaceSeparator: 22
        case .lineSeparator: 23
        case .paragraphSeparator: 24
        case .control: 25
        case .format: 26
        case .surrogate: 27
        case .privateUse: 28
        case .unassigned: 29
        @unknown default: 29
        }
    }
}
