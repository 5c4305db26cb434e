import http.server, ssl, sys
class H(http.server.BaseHTTPRequestHandler):
    protocol_version="HTTP/1.1"; n=0
    def do_GET(self):
        H.n+=1; b=("hello %d %s\n"%(H.n,self.path)).encode()
        self.send_response(200); self.send_header("Cache-Control","max-age=600"); self.send_header("Alt-Svc",'h3=":443"'); self.send_header("Content-Length",str(len(b))); self.end_headers(); self.wfile.write(b)
    def log_message(self,*a): print(self.path,flush=True)
s=http.server.ThreadingHTTPServer(("127.0.0.1",int(sys.argv[1])),H)
c=ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); c.load_cert_chain(sys.argv[2]+".pem",sys.argv[2]+".key")
s.socket=c.wrap_socket(s.socket,server_side=True,do_handshake_on_connect=False); s.serve_forever()
