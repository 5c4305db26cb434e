import CJansson

/// Reads JSON by Jansson.
public enum JSONReader {
    /// Reads a complete text in UTF-8.
    ///
    /// It refuses texts larger than `sizeLimit` bytes or nested deeper than `depthLimit` (H-146). It also refuses
    /// repeated names in an object, lone surrogates, NUL in text, NaN and numbers out of range.
    public static func parse(
        _ bytes: [UInt8],
        sizeLimit: Int = 1 << 20,
        depthLimit: Int = 64
    ) throws(JSONError) -> JSONValue {
        guard bytes.count <= sizeLimit else {
            throw JSONError(path: "$", userMessage: "has more than \(sizeLimit) bytes")
        }
        var fault = json_error_t()
        let flags = Int(JSON_REJECT_DUPLICATES) | Int(JSON_DECODE_ANY)
        let root = unsafe bytes.withUnsafeBytes { raw in
            unsafe json_loadb(raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count, flags, &fault)
        }
        guard let root = unsafe root else {
            throw JSONError(path: "line \(fault.line), column \(fault.column)", userMessage: reason(fault))
        }
        defer { unsafe respite_json_release(root) }
        return unsafe try value(root, depth: depthLimit)
    }

    /// Our own sentence for a fault: Jansson's messages quote the input.
    private static func reason(_ fault: json_error_t) -> String {
        switch respite_json_error_code(fault) {
        case json_error_premature_end_of_input: "ends too early"
        case json_error_end_of_input_expected: "goes on behind its value"
        case json_error_invalid_utf8: "is not UTF-8"
        case json_error_duplicate_key: "has an object with a name twice"
        case json_error_numeric_overflow: "has a number out of range"
        case json_error_stack_overflow: "is nested too deeply"
        case json_error_null_character, json_error_null_byte_in_key: "has a NUL in text"
        case json_error_out_of_memory: "needs more memory than there is"
        default: "is not JSON"
        }
    }

    private static func value(_ json: UnsafeMutablePointer<json_t>, depth: Int) throws(JSONError) -> JSONValue {
        switch unsafe json.pointee.type {
        case JSON_OBJECT: return .object(unsafe try members(json, depth: depth))
        case JSON_ARRAY: return .array(unsafe try elements(json, depth: depth))
        case JSON_STRING: return unsafe .text(text(json_string_value(json), json_string_length(json)))
        case JSON_INTEGER: return unsafe .integer(json_integer_value(json))
        case JSON_REAL: return unsafe .real(json_real_value(json))
        case JSON_TRUE: return .boolean(true)
        case JSON_FALSE: return .boolean(false)
        default: return .null
        }
    }

    private static func members(
        _ json: UnsafeMutablePointer<json_t>,
        depth: Int
    ) throws(JSONError) -> [JSONValue.Member] {
        guard depth > 0 else { throw tooDeep }
        var members: [JSONValue.Member] = []
        var position = unsafe json_object_iter(json)
        while let location = unsafe position {
            if let key = unsafe json_object_iter_key(location), let inner = unsafe json_object_iter_value(location) {
                let member = unsafe try value(inner, depth: depth - 1)
                members.append(JSONValue.Member(name: unsafe String(cString: key), value: member))
            }
            unsafe position = json_object_iter_next(json, location)
        }
        return members
    }

    private static func elements(_ json: UnsafeMutablePointer<json_t>, depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth > 0 else { throw tooDeep }
        var elements: [JSONValue] = []
        for index in unsafe 0..<json_array_size(json) {
            guard let inner = unsafe json_array_get(json, index) else { continue }
            elements.append(unsafe try value(inner, depth: depth - 1))
        }
        return elements
    }

    private static var tooDeep: JSONError { JSONError(path: "$", userMessage: "is nested too deeply") }

    private static func text(_ start: UnsafePointer<CChar>?, _ count: Int) -> String {
        guard let start = unsafe start else { return "" }
        return unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    }
}
