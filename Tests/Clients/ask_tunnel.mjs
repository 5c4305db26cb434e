// Gets one URL by Node's own https through CONNECT: its fetch knows no proxy.
import http from "node:http";
import https from "node:https";

const url = new URL(process.argv[2]);
const proxy = new URL(process.env.https_proxy);

http.request({ host: proxy.hostname, port: proxy.port, method: "CONNECT", path: url.host, headers: { Host: url.host } })
    .on("connect", (answer, socket) => {
        if (answer.statusCode !== 200) throw new Error(`CONNECT: ${answer.statusCode}`);
        https.get(url, { socket, servername: url.hostname, agent: false }, async (response) => {
            for await (const piece of response) process.stdout.write(piece);
            socket.destroy();
        });
    })
    .end();
