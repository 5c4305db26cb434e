import HTTPCore
import RecordFormat
import Stores
import Transforms

extension RenditionName {
    /// The value of the column `form`: a hash of the name, never 0, which stands for the original.
    func number(seed: UInt64) -> Int64 {
        let number = Int64(bitPattern: Checksum.sum(bytes, seed: seed))
        return number == 0 ? 1 : number
    }

    /// The value of the column `fingerprint`: the pipeline, a zero byte, the variation.
    var bytes: [UInt8] { Array(pipeline.utf8) + [0] + Array(variation.utf8) }

    init(bytes: [UInt8]) {
        let end = bytes.firstIndex(of: 0) ?? bytes.endIndex
        self.init(
            pipeline: String(decoding: bytes[..<end], as: UTF8.self),
            variation: String(decoding: bytes[end...].dropFirst(), as: UTF8.self)
        )
    }
}

extension RowHead {
    /// The head of the row of a transformed response, without the columns that depend on its body.
    ///
    /// The column `reason` contains the digest, `request_fields` the binding to the original.
    init(_ rendition: StoredRendition, of original: StoredRecord, seed: UInt64) {
        self.init(
            uri: original.uri.bytes,
            partition: original.partition.bytes,
            selection: original.selection,
            rendition: rendition.name.number(seed: seed),
            fingerprint: rendition.name.bytes,
            status: Int64(original.status),
            reason: rendition.digest,
            fields: RecordCoding.encode(rendition.fields),
            requestFields: OriginalBinding.bytes(of: original),
            requestTime: rendition.madeAt.seconds,
            responseTime: rendition.madeAt.seconds,
            isInvalidated: false,
            size: 0,
            file: 0,
            bodySum: 0,
            blockSums: []
        )
    }

    /// The transformed response of this row with `body`; nil if a column cannot be read.
    func storedRendition(_ body: RecordBody) -> StoredRendition? {
        RecordCoding.decode(fields).map {
            StoredRendition(
                name: RenditionName(bytes: fingerprint),
                fields: $0,
                digest: reason,
                madeAt: HTTPDate(seconds: responseTime),
                body: body
            )
        }
    }
}
