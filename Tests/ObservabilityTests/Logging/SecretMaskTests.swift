import Testing

@testable import Observability

/// Where secrets are found in a target or a form, and what a mask keeps.
@Suite struct SecretMaskTests {
    @Test("a mask that keeps values has those that it stands for, in order")
    func kept() {
        let secrets = SecretParameters(["token", "sig"])
        var mask = SecretParameters.Mask(keepingValues: "*")
        let target = secrets.redacted(Array("/a;token=1/b?x=2&SIG=3;sig=#token=4&next=%3Ftoken%3D5".utf8), by: &mask)
        #expect(String(decoding: target, as: UTF8.self) == "/a;token=*/b?x=2&SIG=*;sig=*#token=*&next=*")
        #expect(mask.values?.map { String(decoding: $0, as: UTF8.self) } == ["1", "3", "", "4", "%3Ftoken%3D5"])
    }

    @Test("of a form each member between ampersands is looked at, the first one too")
    func form() {
        let secrets = SecretParameters(["token"])
        var mask = SecretParameters.Mask(keepingValues: "*")
        let form = secrets.redacted(form: Array("token=1&a=2&TOKEN=3&b;token=4&c".utf8), by: &mask)
        #expect(String(decoding: form, as: UTF8.self) == "token=*&a=2&TOKEN=*&b;token=4&c")
        #expect(mask.values?.count == 2)
    }

    @Test(
        "a secret inside of a value is found through three levels of escapes, and no more",
        arguments: [(1, true), (2, true), (3, true), (4, false)]
    )
    func depth(levels: Int, isFound: Bool) {
        let sign = "%" + String(repeating: "25", count: levels - 1)
        let target = "/?next=\(sign)3Ftoken\(sign)3Ds"
        let redacted = SecretParameters(["token"]).redacted(Array(target.utf8))
        #expect(String(decoding: redacted, as: UTF8.self) == (isFound ? "/?next=…" : target))
    }

    @Test(
        "inside of a value a name is a whole word before = or :, in quotation marks or brackets or not",
        arguments: [
            ("%7B'token'%20:%20s%7D", true), ("user%5B%22token%22%5D%3Ds", true), ("a.token:s", true),
            ("[token:s", true), ("(token:s", true), ("@token:s", true), ("`token:s", true), ("{token:s", true),
            ("/token:s", true), (":token:s", true), ("0token:s", false), ("9token:s", false), ("Atoken:s", false),
            ("Ztoken:s", false), ("atoken:s", false), ("ztoken:s", false), ("étoken:s", false), ("-token:s", false),
            ("_token:s", false), ("%token:s", false), ("token/x:s", false),
        ]
    )
    func words(value: String, isSecret: Bool) {
        let target = "/?f=\(value)"
        let redacted = SecretParameters(["token"]).redacted(Array(target.utf8))
        #expect(String(decoding: redacted, as: UTF8.self) == (isSecret ? "/?f=…" : target))
    }

    @Test(
        "only a target with a parameter, a fragment or an @ is looked at closely",
        arguments: [
            ("/a", false), ("/a?b", true), ("/a#b", true), ("/a;b", true), ("u@h", true), ("/a:b>c<d=e", false),
            ("", false),
        ]
    )
    func concerns(target: String, mayConcern: Bool) {
        #expect(SecretParameters.mayConcern(Array(target.utf8).span) == mayConcern)
    }
}
