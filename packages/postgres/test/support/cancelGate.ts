import { Effect } from "effect"
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"

/** A request to cancel: its length, and the number that stands where others have the protocol's version. */
export const cancelHead = Buffer.from([0, 0, 0, 16, 0x04, 0xd2, 0x16, 0x2e])

/** A way to the server at `url`, without TLS, on which no request to cancel passes. Gives the address of the way. */
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
        /** How many requests to cancel have come. */
        stopped: () => stopped,
        close: () => {
          gate.close()
          for (const socket of sockets) socket.destroy()
        }
      }
    }),
    ({ close }) => Effect.sync(close)
  )
