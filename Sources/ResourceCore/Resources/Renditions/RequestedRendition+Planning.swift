import HTTPCaching
import HTTPCore
import Transforms

extension RequestedRendition {
    /// The steps that may apply to a response with this head; nil if none does and the response stays as it is.
    func plan(status: UInt16, fields: Fields) -> PipelinePlan? {
        plan(
            status: status,
            fields: fields,
            forbidsTransforming: CacheControl(fields).flags.contains(.noTransform)
        )
    }
}
