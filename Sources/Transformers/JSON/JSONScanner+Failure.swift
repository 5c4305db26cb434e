import Formats
import Transforms

extension JSONScanner {
    /// `next`, with the failure that a pipeline reports.
    mutating func token(_ input: Span<UInt8>, _ at: inout Int) throws(TransformFailure) -> JSONToken? {
        do throws(JSONSyntaxError) { return try next(input, &at) } catch { throw error.failure }
    }

    /// `finish`, with the failure that a pipeline reports.
    mutating func end() throws(TransformFailure) {
        do throws(JSONSyntaxError) { try finish() } catch { throw error.failure }
    }
}

extension JSONSyntaxError {
    /// The failure that a pipeline reports.
    var failure: TransformFailure {
        switch problem {
        case .expected, .ended: TransformFailure(.invalidContent, description)
        case .tooDeep: TransformFailure(.limit, description)
        }
    }
}
