import { connect, type Socket } from "node:net"
import { currentTimeMs } from "./answerTiming.ts"

export interface ReaderMeasurements {
  /** The times from the request to the first byte of the first event, in ms. */
  readonly firstEventMs: Array<number>
  /** The times from the creation of an event to its arrival, in ms. */
  readonly delays: Array<number>
}

const batchSize = 50

const openReader = (
  url: URL,
  path: string,
  key: string | undefined,
  measurements: ReaderMeasurements
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const authorization = key === undefined ? "" : `authorization: Bearer ${key}\r\n`
    let requestedAt = 0
    let isFirst = true
    const socket = connect(Number(url.port), url.hostname, () => {
      requestedAt = currentTimeMs()
      socket.write(`GET ${path} HTTP/1.1\r\nhost: ${url.host}\r\n${authorization}\r\n`)
    })
    socket.setEncoding("latin1").on("data", (text) => {
      const now = currentTimeMs()
      const part = String(text)
      if (isFirst && part.includes("id: ")) {
        isFirst = false
        measurements.firstEventMs.push(now - requestedAt)
        resolve(socket)
        // Events in the first chunk were created before the connection was open, so their delay is not measured.
        return
      }
      for (const [, createdAt] of part.matchAll(/"text":"([\d.]+) /g)) measurements.delays.push(now - Number(createdAt))
    })
    socket.once("error", reject)
  })

export const openReaders = async (
  address: string,
  paths: ReadonlyArray<string>,
  key: string | undefined,
  count: number
): Promise<{ readonly measurements: ReaderMeasurements; readonly close: () => void }> => {
  const url = new URL(address)
  const measurements: ReaderMeasurements = { firstEventMs: [], delays: [] }
  const sockets: Array<Socket> = []
  while (sockets.length < count) {
    const batch = Math.min(batchSize, count - sockets.length)
    sockets.push(
      ...await Promise.all(
        Array.from(
          { length: batch },
          (_, i) => openReader(url, paths[(sockets.length + i) % paths.length]!, key, measurements)
        )
      )
    )
  }
  return { measurements, close: () => sockets.forEach((socket) => socket.destroy()) }
}
