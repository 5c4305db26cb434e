import Testing

@testable import Transformers

@Suite("JSON numbers")
struct JSONNumberTests {
    private static func order(_ one: String, _ other: String) -> DecimalText.Order {
        DecimalText(Array(one.utf8)[...]).compared(to: DecimalText(Array(other.utf8)[...]))
    }

    @Test(
        "equal numbers are equal however they are written",
        arguments: [
            ("0", "-0"), ("0", "0.000e99"), ("1", "1.0"), ("1", "10e-1"), ("100", "1E2"), ("0.01", "1e-2"),
            ("120", "1.2e+2"),
            ("-1.50", "-15e-1"), ("1e400", "10E399"), ("0.1e1", "1"), ("1e0000000000000000000000001", "10"),
        ]
    )
    func equal(one: String, other: String) {
        #expect(Self.order(one, other) == .same)
        #expect(Self.order(other, one) == .same)
    }

    @Test(
        "numbers are ordered exactly",
        arguments: [
            ("-1", "0"), ("0", "1"), ("-2", "-1"), ("1", "2"), ("9", "10"), ("0.1", "0.10000000000000000001"),
            ("9007199254740992", "9007199254740993"), ("1e400", "1e401"), ("-1e401", "-1e400"), ("1e-401", "1e-400"),
            ("-1", "1e-999999999999999999999"), ("99", "100"), ("1.09", "1.1"), ("-1.1", "-1.09"),
        ]
    )
    func ordered(less: String, greater: String) {
        #expect(Self.order(less, greater) == .less)
        #expect(Self.order(greater, less) == .greater)
    }
}
