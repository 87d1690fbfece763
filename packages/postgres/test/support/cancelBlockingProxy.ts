import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** The first bytes of PostgreSQL's cancel request: the length, and a code in place of the protocol version. */
export const cancelRequestHeader = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e])

/** Creates a proxy without TLS to the server at `url`, which blocks cancel requests. */
export const makeCancelBlockingProxy = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(url)
      const sockets = new Set<Socket>()
      let blockedCount = 0
      const trackSocket = (socket: Socket, peer: Socket) => {
        sockets.add(socket)
        socket.setNoDelay(true).on("error", () => undefined).on("close", () => {
          sockets.delete(socket)
          peer.destroy()
        })
      }
      const proxy = createServer((clientSocket) => {
        const serverSocket = connect(Number(port), hostname)
        trackSocket(clientSocket, serverSocket)
        trackSocket(serverSocket, clientSocket)
        clientSocket.once("data", (first) => {
          if (first.subarray(0, cancelRequestHeader.length).equals(cancelRequestHeader)) return void ++blockedCount
          serverSocket.write(first)
          clientSocket.pipe(serverSocket).pipe(clientSocket)
        })
      })
      proxy.listen(0, "127.0.0.1")
      await once(proxy, "listening")
      const address = proxy.address()
      if (typeof address !== "object" || address === null) throw new Error("no port")
      const proxyUrl = new URL(url)
      proxyUrl.host = `127.0.0.1:${address.port}`
      proxyUrl.searchParams.set("sslmode", "disable")
      return {
        url: proxyUrl.href,
        countBlocked: () => blockedCount,
        close: () => {
          proxy.close()
          for (const socket of sockets) socket.destroy()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )
