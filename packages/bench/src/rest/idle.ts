import { connect, type Socket } from "node:net"

const atOnce = 100

const request = (host: string): string => `GET /healthz HTTP/1.1\r\nhost: ${host}\r\n\r\n`

/** Opens a connection, waits for one response, and keeps the connection open. */
const open = ({ host, hostname, port }: URL): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request(host)))
    socket.once("data", () => resolve(socket)).once("error", reject)
  })

/** Opens `count` connections in batches. */
export const openIdle = async (address: string, count: number): Promise<ReadonlyArray<Socket>> => {
  const url = new URL(address)
  const sockets: Array<Socket> = []
  while (sockets.length < count) {
    const some = Math.min(atOnce, count - sockets.length)
    sockets.push(...await Promise.all(Array.from({ length: some }, () => open(url))))
  }
  return sockets
}
