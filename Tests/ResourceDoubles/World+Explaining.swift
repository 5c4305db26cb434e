import TestDoubles
import Explaining
import HTTPCore
import ResourceCore

extension World {
    /// What would happen, with the reasons: the lines behind those that tell where it looks.
    package func explain(_ lines: [(String, String)] = [], _ path: String = "/a") -> [String] {
        var fields = Fields()
        for (name, value) in lines { fields.append(name: name, value: value) }
        let box = LockedBox<Explanation?>(nil)
        let before = provider.count
        resource(path).explain(.get, fields) { explanation in box.change { $0 = explanation } }
        runUntilIdle()
        // Nothing happens by it.
        guard provider.count == before else { return ["the explanation asked the origin"] }
        let text = box.value?.text ?? []
        return Array(text.drop { !$0.hasPrefix("outcome") })
    }
}
