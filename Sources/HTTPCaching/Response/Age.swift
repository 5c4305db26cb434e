import HTTPCore

/// The age of responses (RFC 9111 §4.2.3, §5.1).
enum Age {
    /// The received Age in seconds: the first member of the first line, saturating; 0 unless it is a number.
    static func received(in fields: Fields) -> Int64 {
        let age: Int64?? = fields.withValue(of: .age) { text in
            var end = 0
            while end < text.count, text[end] != 0x2C { end += 1 }
            return DeltaSeconds.parse(text, in: text.trimming(0..<end))
        }
        return (age ?? nil) ?? 0
    }

    /// The corrected initial age: the larger of the ages by Date and by the Age field.
    ///
    /// A Date ahead of our clock gives 0; one behind it does not hide the Age field.
    static func atReceipt(
        received: Int64,
        date: HTTPDate,
        requestTime: HTTPDate,
        responseTime: HTTPDate
    ) -> Int64 {
        let apparent = DeltaSeconds.between(date.seconds, responseTime.seconds)
        let delay = DeltaSeconds.between(requestTime.seconds, responseTime.seconds)
        return DeltaSeconds.clamped(max(apparent, received + delay))
    }
}
