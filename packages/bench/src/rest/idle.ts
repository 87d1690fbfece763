import { connect, type Socket } from "node:net"

const atOnce = 100

const request = (host: string): string => `GET /healthz HTTP/1.1\r\nhost: ${host}\r\n\r\n`

/** A connection that has been answered once, and stays. */
const open = ({ host, hostname, port }: URL): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request(host)))
    socket.once("data", () => resolve(socket)).once("error", reject)
  })

/** Opens so many connections, some at a time. */
export const openIdle = async (address: string, count: number): Promise<ReadonlyArray<Socket>> => {
  const url = new URL(address)
  const sockets: Array<Socket> = []
  while (sockets.length < count) {
    const some = Math.min(atOnce, count - sockets.length)
    sockets.push(...await Promise.all(Array.from({ length: some }, () => open(url))))
  }
  return sockets
}
