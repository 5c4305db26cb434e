import HTTPCore
import ResourceCore

extension FormName {
    /// The number of its row's form; never 0, which is the original's.
    func number(seed: UInt64) -> Int64 {
        let number = Int64(bitPattern: Checksum.sum(octets, seed: seed))
        return number == 0 ? 1 : number
    }

    /// As the row's `fingerprint` has it: the pipeline, a zero octet, the variation.
    var octets: [UInt8] { Array(pipeline.utf8) + [0] + Array(variation.utf8) }

    init(octets: [UInt8]) {
        let end = octets.firstIndex(of: 0) ?? octets.endIndex
        self.init(
            pipeline: String(decoding: octets[..<end], as: UTF8.self),
            variation: String(decoding: octets[end...].dropFirst(), as: UTF8.self)
        )
    }
}

extension RowHead {
    /// The head of a form's row, without what its body decides: where a response has its reason, this has the digest, and
    /// in place of request fields what binds it to its original.
    init(_ form: StoredForm, of original: StoredRecord, seed: UInt64) {
        self.init(
            uri: original.uri.octets,
            partition: original.partition.octets,
            selection: original.selection,
            form: form.name.number(seed: seed),
            fingerprint: form.name.octets,
            status: Int64(original.status),
            reason: form.digest,
            fields: RecordCoding.encode(form.fields),
            requestFields: OriginalBinding.octets(of: original),
            requestTime: form.madeAt.seconds,
            responseTime: form.madeAt.seconds,
            isInvalidated: false,
            size: 0,
            file: 0,
            bodySum: 0,
            blockSums: []
        )
    }

    /// The form with `body`; nil if a part cannot be read.
    func storedForm(_ body: RecordBody) -> StoredForm? {
        RecordCoding.decode(fields).map {
            StoredForm(
                name: FormName(octets: fingerprint),
                fields: $0,
                digest: reason,
                madeAt: HTTPDate(seconds: responseTime),
                body: body
            )
        }
    }
}
