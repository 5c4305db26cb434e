"""A certificate authority of a test's own, by the openssl program."""

import os
import ssl
import subprocess


class Authority:
    """`file` is its certificate, for clients to trust."""

    def __init__(self, directory, name="Authority of the test"):
        self.directory = directory
        self.file = directory + "/authority.pem"
        self.key = directory + "/authority.key"
        os.makedirs(directory, exist_ok=True)
        self._run(
            "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
            "-subj", f"/CN={name}", "-keyout", self.key, "-out", self.file,
            "-addext", "basicConstraints=critical,CA:TRUE", "-addext", "keyUsage=critical,keyCertSign,cRLSign",
        )  # fmt: skip

    def _run(self, *words, **options):
        subprocess.run(["openssl", *words], check=True, capture_output=True, **options)

    def context(self, *names):
        """What a TLS server of these names needs."""
        base = f"{self.directory}/{names[0]}"
        kinds = ["IP:" + name if name.replace(".", "").isdigit() else "DNS:" + name for name in names]
        with open(base + ".ext", "w") as file:
            file.write(f"subjectAltName={','.join(kinds)}\nextendedKeyUsage=serverAuth\nbasicConstraints=CA:FALSE\n")
        self._run(
            "req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
            "-subj", f"/CN={names[0]}", "-keyout", base + ".key", "-out", base + ".csr",
        )  # fmt: skip
        self._run(
            "x509", "-req", "-in", base + ".csr", "-CA", self.file, "-CAkey", self.key, "-CAcreateserial",
            "-days", "2", "-extfile", base + ".ext", "-out", base + ".pem",
        )  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(base + ".pem", base + ".key")
        return context
