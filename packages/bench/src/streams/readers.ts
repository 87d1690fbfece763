import { connect, type Socket } from "node:net"
import { instant } from "./shape.ts"

/** Measurements of the readers, in ms. */
export interface Seen {
  /** From the request to the first byte of the first event. */
  readonly first: Array<number>
  /** From the creation of an event to its arrival. */
  readonly delays: Array<number>
}

const atOnce = 50

/** Opens a reader of one stream. Resolves with its first event, and continues to read. */
const open = (url: URL, path: string, key: string | undefined, seen: Seen): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const authorization = key === undefined ? "" : `authorization: Bearer ${key}\r\n`
    let from = 0
    let isFirst = true
    const socket = connect(Number(url.port), url.hostname, () => {
      from = instant()
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${authorization}\r\n`)
    })
    socket.setEncoding("latin1").on("data", (text) => {
      const now = instant()
      const part = String(text)
      if (isFirst && part.includes("id: ")) {
        isFirst = false
        seen.first.push(now - from)
        resolve(socket)
        // Events in the same part are from before the connection.
        return
      }
      for (const [, given] of part.matchAll(/"text":"([\d.]+) /g)) seen.delays.push(now - Number(given))
    })
    socket.once("error", reject)
  })

/** Opens `count` readers in batches, distributed over the paths. */
export const openReaders = async (
  address: string,
  paths: ReadonlyArray<string>,
  key: string | undefined,
  count: number
): Promise<{ readonly seen: Seen; readonly close: () => void }> => {
  const url = new URL(address)
  const seen: Seen = { first: [], delays: [] }
  const sockets: Array<Socket> = []
  while (sockets.length < count) {
    const some = Math.min(atOnce, count - sockets.length)
    sockets.push(
      ...await Promise.all(
        Array.from({ length: some }, (_, i) => open(url, paths[(sockets.length + i) % paths.length]!, key, seen))
      )
    )
  }
  return { seen, close: () => sockets.forEach((socket) => socket.destroy()) }
}
