import { connect, createServer, type Server, type Socket } from "node:net"

/** The network between the service and its database, which the soak can cut. */
export interface Wire {
  readonly port: number
  /** Cuts each open connection for which `chosen` returns true. Returns the number of cut connections. */
  readonly cut: (chosen: () => boolean) => number
  readonly close: () => void
}

const join = (near: Socket, port: number, pairs: Set<Socket>): void => {
  const far = connect(port, "127.0.0.1")
  const end = () => {
    near.destroy()
    far.destroy()
    pairs.delete(near)
  }
  pairs.add(near)
  for (const socket of [near, far]) socket.setNoDelay(true).on("error", end).on("close", end)
  near.pipe(far)
  far.pipe(near)
}

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object" && address !== null) resolve(address.port)
      else reject(new Error("No port"))
    })
  })

/** Opens a network connection to a local port. */
export const openWire = async (target: number): Promise<Wire> => {
  const pairs = new Set<Socket>()
  const server = createServer((near) => join(near, target, pairs))
  const port = await listen(server)
  const cut = (chosen: () => boolean): number => {
    const victims = [...pairs].filter(chosen)
    for (const near of victims) near.destroy()
    return victims.length
  }
  return {
    port,
    cut,
    close: () => {
      cut(() => true)
      server.close()
    }
  }
}
