import HTTPCore
import RecordFormat
import Testing

/// Parts of a record as values of columns.
@Suite struct RecordCodingTests {
    @Test("field lines come back as they were; bytes that end inside a line are no field lines")
    func fields() {
        var fields = Fields()
        fields.append(name: "Vary", value: "Accept-Language")
        fields.append(name: "content-TYPE", value: "a")
        fields.append(name: "X-A", value: "")
        let bytes = RecordCoding.encode(fields)
        #expect(RecordCoding.decode(bytes) == fields)
        // Six bytes before each line, and its name and value.
        let (first, second) = (6 + 4 + 15, 6 + 12 + 1)
        for count in 1..<bytes.count where count != first && count != first + second {
            #expect(RecordCoding.decode(Array(bytes.prefix(count))) == nil, "\(count) bytes")
        }
    }
}
