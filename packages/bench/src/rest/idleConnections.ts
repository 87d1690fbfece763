import { connect, type Socket } from "node:net"

const batchSize = 100

const healthRequest = (host: string): string => `GET /healthz HTTP/1.1\r\nhost: ${host}\r\n\r\n`

const openConnection = ({ host, hostname, port }: URL): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(healthRequest(host)))
    socket.once("data", () => resolve(socket)).once("error", reject)
  })

export const openIdleConnections = async (address: string, count: number): Promise<ReadonlyArray<Socket>> => {
  const url = new URL(address)
  const sockets: Array<Socket> = []
  while (sockets.length < count) {
    const batch = Math.min(batchSize, count - sockets.length)
    sockets.push(...await Promise.all(Array.from({ length: batch }, () => openConnection(url))))
  }
  return sockets
}
