/// Writes times in the format of RFC 3339.
enum Timestamp {
    /// Appends `2026-11-21T13:37:00.123Z`; years beyond 9999 are written with all their digits.
    static func append(milliseconds: Int64, to output: inout [UInt8]) {
        let day = milliseconds.floorDivided(by: 86_400_000)
        let rest = milliseconds - day * 86_400_000
        let (year, month, dayOfMonth) = date(day: day)
        appendPadded(year, 4, to: &output)
        output.append(UInt8(ascii: "-"))
        appendPadded(month, 2, to: &output)
        output.append(UInt8(ascii: "-"))
        appendPadded(dayOfMonth, 2, to: &output)
        output.append(UInt8(ascii: "T"))
        appendPadded(rest / 3_600_000, 2, to: &output)
        output.append(UInt8(ascii: ":"))
        appendPadded(rest / 60_000 % 60, 2, to: &output)
        output.append(UInt8(ascii: ":"))
        appendPadded(rest / 1000 % 60, 2, to: &output)
        output.append(UInt8(ascii: "."))
        appendPadded(rest % 1000, 3, to: &output)
        output.append(UInt8(ascii: "Z"))
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Appends `25/Nov/2026:09:54:05 +0000`, as the combined log format has it.
    static func appendLogTime(seconds: Int64, to output: inout [UInt8]) {
        let day = seconds.floorDivided(by: 86_400)
        let rest = seconds - day * 86_400
        let (year, month, dayOfMonth) = date(day: day)
        appendPadded(dayOfMonth, 2, to: &output)
        output.append(contentsOf: "/\(months[Int(month) - 1])/".utf8)
        appendPadded(year, 4, to: &output)
        for part in [rest / 3600, rest / 60 % 60, rest % 60] {
            output.append(UInt8(ascii: ":"))
            appendPadded(part, 2, to: &output)
        }
        output.append(contentsOf: " +0000".utf8)
    }

    /// The proleptic Gregorian date of a day since 1970; years begin in March, so that leap days come last.
    private static func date(day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted.floorDivided(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * dayOfYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * monthFromMarch + 2) / 5 + 1)
    }

    private static func appendPadded(_ number: Int64, _ width: Int, to output: inout [UInt8]) {
        let digits = String(number).utf8
        output.append(contentsOf: repeatElement(UInt8(ascii: "0"), count: max(0, width - digits.count)))
        output.append(contentsOf: digits)
    }
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
