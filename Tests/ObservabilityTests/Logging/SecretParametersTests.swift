import Testing

@testable import Observability

@Suite struct SecretParametersTests {
    @Test(
        "a secret parameter is found by the name a server reads, escaped, bracketed, nested or inside a value (H-158)",
        arguments: [
            ("/?%74oken=s", "/?%74oken=…"), ("/?%54%4fKEN=s&a=1", "/?%54%4fKEN=…&a=1"),
            ("/?user[token]=s", "/?user[token]=…"), ("/?user%5Btoken%5D=s", "/?user%5Btoken%5D=…"),
            ("/?a[b][token][]=s&c", "/?a[b][token][]=…&c"), ("/?token[]=s&token[1]=s", "/?token[]=…&token[1]=…"),
            ("/?a%20token=s", "/?a%20token=…"), ("/?a%1Ftoken=s", "/?a%1Ftoken=…"), ("/?a!token=s", "/?a!token=s"),
            ("/?user.token=s", "/?user.token=…"), ("/?+token=s", "/?+token=…"), ("/?token%20=s", "/?token%20=…"),
            ("/?a=1;token=s;b=2", "/?a=1;token=…;b=2"), ("/x;token=s/y?b", "/x;token=…/y?b"),
            ("/x#token=s", "/x#token=…"), ("http://me:pw@h.example/x;TOKEN=s", "http://h.example/x;TOKEN=…"),
            ("/?next=https%3A%2F%2Fh%2F%3Ftoken%3Ds&b=1", "/?next=…&b=1"),
            ("/?next=https%253A%252F%252Fh%252F%253Fuser%255Btoken%255D%253Ds", "/?next=…"),
            ("/?f=%7B%22token%22%3A%22s%22%7D", "/?f=…"), ("/?token%3Ds", "/?…"), ("/?a=b=token=s", "/?a=…"),
            // And no other.
            ("/?tokens=1&mytoken=2&token2=3", "/?tokens=1&mytoken=2&token2=3"), ("/?q=token", "/?q=token"),
            ("/?t%6Fke=1&%zz=%7", "/?t%6Fke=1&%zz=%7"), ("/a=b;c=d/e", "/a=b;c=d/e"), ("/token=1", "/token=1"),
            ("/?a[token2]=1&[]=2&.=3&=4", "/?a[token2]=1&[]=2&.=3&=4"),
            ("/?u=http://h.example:80/", "/?u=http://h.example:80/"),
        ]
    )
    func unescapedNames(target: String, expected: String) {
        let redacted = SecretParameters(["token"]).redacted(Array(target.utf8))
        #expect(String(decoding: redacted, as: UTF8.self) == expected)
    }

    @Test(
        "only user information and secret values are taken from a target",
        arguments: [
            ("/a@b", "/a@b"), ("http://a.example/b@c", "http://a.example/b@c"),
            ("http://a@b@c.example/", "http://c.example/"),
            ("/?x=://u@h", "/?x=://u@h"),
            ("/https/u:s@h/a@b", "/https/h/a@b"), ("/HTTP/u:s@h/", "/HTTP/h/"), ("/http:/u:s@h/", "/http:/h/"),
            ("//u:s@h/?x=a@b", "//h/?x=a@b"), ("/https/h/@scope/a", "/https/h/@scope/a"), ("/@scope/a", "/@scope/a"),
            ("/httpx/a@b/", "/httpx/a@b/"), ("/http", "/http"), ("//", "//"), ("/https:", "/https:"),
            ("", ""), ("?", "?"), ("/?token", "/?token"), ("/?token=", "/?token=…"), ("a:1@b:443", "a:1@b:443"),
        ]
    )
    func redaction(target: String, expected: String) {
        let redacted = SecretParameters(["token"]).redacted(Array(target.utf8))
        #expect(String(decoding: redacted, as: UTF8.self) == expected)
    }

    @Test(
        "of a target without URI all before the last @ is taken, except the scheme",
        arguments: [
            ("/https/u:s@h/a?b", "/https/h/a?b"), ("/http://u:s/s@h/", "/http://h/"), ("/https/u:s?s@h/", "/https/h/"),
            ("/https/u:s%40h/", "/https/h/"), ("//u:s@h", "//h"), ("/x/u:s@h/", "h/"), ("u:s@h:443", "h:443"),
            ("/@", ""), ("/https/h/", "/https/h/"), ("*", "*"), ("", ""),
        ]
    )
    func unparsed(target: String, expected: String) {
        let stripped = SecretParameters.withoutUserInformation(ofUnparsed: Array(target.utf8))
        #expect(String(decoding: stripped, as: UTF8.self) == expected)
    }
}
