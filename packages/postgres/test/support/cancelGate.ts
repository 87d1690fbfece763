import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** The head of a request to cancel: its length, and the code in place of the protocol version. */
export const cancelHead = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e])

/** A proxy to the server at `url`, without TLS, that blocks requests to cancel. Returns the address of the proxy. */
export const cancelGate = (url: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const { hostname, port } = new URL(url)
      const sockets = new Set<Socket>()
      let stopped = 0
      const follow = (socket: Socket, other: Socket) => {
        sockets.add(socket)
        socket.setNoDelay(true).on("error", () => undefined).on("close", () => {
          sockets.delete(socket)
          other.destroy()
        })
      }
      const gate = createServer((near) => {
        const far = connect(Number(port), hostname)
        follow(near, far)
        follow(far, near)
        near.once("data", (first) => {
          if (first.subarray(0, cancelHead.length).equals(cancelHead)) return void ++stopped
          far.write(first)
          near.pipe(far).pipe(near)
        })
      })
      gate.listen(0, "127.0.0.1")
      await once(gate, "listening")
      const address = gate.address()
      if (typeof address !== "object" || address === null) throw new Error("no port")
      const way = new URL(url)
      way.host = `127.0.0.1:${address.port}`
      way.searchParams.set("sslmode", "disable")
      return {
        url: way.href,
        /** The number of requests to cancel that have arrived. */
        stopped: () => stopped,
        close: () => {
          gate.close()
          for (const socket of sockets) socket.destroy()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )
