import { connect, createServer, type Server, type Socket } from "node:net"

/** The network between the service and the database of the service, whose connections the soak test can cut. */
export interface ConnectionProxy {
  readonly port: number
  /** Cuts each open connection for which `shouldCut` returns true, and returns the number of cut connections. */
  readonly cutConnections: (shouldCut: () => boolean) => number
  readonly close: () => void
}

const pipeSockets = (clientSocket: Socket, port: number, openSockets: Set<Socket>): void => {
  const serverSocket = connect(port, "127.0.0.1")
  const closeBoth = () => {
    clientSocket.destroy()
    serverSocket.destroy()
    openSockets.delete(clientSocket)
  }
  openSockets.add(clientSocket)
  for (const socket of [clientSocket, serverSocket]) {
    socket.setNoDelay(true).on("error", closeBoth).on("close", closeBoth)
  }
  clientSocket.pipe(serverSocket)
  serverSocket.pipe(clientSocket)
}

const listenOnFreePort = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const address = server.address()
      if (typeof address === "object" && address !== null) resolve(address.port)
      else reject(new Error("No port"))
    })
  })

/** Forwards each connection to the port that `getTargetPort` returns when the connection opens. */
export const openConnectionProxy = async (getTargetPort: () => number): Promise<ConnectionProxy> => {
  const openSockets = new Set<Socket>()
  const server = createServer((clientSocket) => pipeSockets(clientSocket, getTargetPort(), openSockets))
  const port = await listenOnFreePort(server)
  const cutConnections = (shouldCut: () => boolean): number => {
    const cutSockets = [...openSockets].filter(shouldCut)
    for (const clientSocket of cutSockets) clientSocket.destroy()
    return cutSockets.length
  }
  return {
    port,
    cutConnections,
    close: () => {
      cutConnections(() => true)
      server.close()
    }
  }
}
