import HTTPCore
import Testing

@testable import EntityStorage

/// Changes rows of a closed store as somebody would who can write its sums, too.
struct ForgedRow {
    let directory: String

    /// Changes the head of every row, and what is in the table in place of its content; its sum fits afterwards.
    func forge(_ change: (inout RowHead) -> Void, body: [UInt8]) throws {
        let database = try Database(StoreDirectory.database, in: OpenDirectory(directory), at: directory)
        let rows = try database.prepare("SELECT id, \(RowHead.columns) FROM entry")
        var heads: [(id: Int64, head: RowHead)] = []
        try rows.forEachRow { heads.append((rows.integer(0), RowHead(rows, from: 1))) }
        let update = try database.prepare(
            "UPDATE entry SET size = ?, body_sum = ?, compressed = ?, sum = ? WHERE id = ?"
        )
        let replace = try database.prepare("UPDATE body SET data = ? WHERE id = ?")
        for (id, former) in heads {
            var head = former
            change(&head)
            update.bind(1, head.size).bind(2, head.bodySum).bind(3, head.compressed)
            try update.bind(4, head.sum).bind(5, id).run()
            try replace.bind(1, blob: body).bind(2, id).run()
        }
    }
}
