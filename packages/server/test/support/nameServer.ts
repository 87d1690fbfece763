import { Effect, type Scope } from "effect"
import { createSocket } from "node:dgram"

export interface NameServer {
  /** The address and port of the name server. */
  readonly address: string
  /** Sets the IPv4 addresses of every name. If no address is passed, the server responds that no name exists. */
  readonly answerWith: (...addresses: ReadonlyArray<string>) => void
}

const typeA = 1

/** Starts a DNS server (RFC 1035) on this machine, which answers queries with the same addresses for every name. */
export const startNameServer: Effect.Effect<NameServer, never, Scope.Scope> = Effect.gen(function*() {
  let addresses: ReadonlyArray<string> = []
  const socket = createSocket("udp4")
  socket.on("message", (query, { address, port }) => {
    // The question is a name, which ends with an empty label, and two bytes each for type and class.
    const questionEnd = query.indexOf(0, 12) + 5
    const isMissing = addresses[0] === "none"
    const found = isMissing || query.readUInt16BE(questionEnd - 4) !== typeA ? [] : addresses
    const header = Buffer.alloc(12)
    query.copy(header, 0, 0, 2)
    // A response with recursion; code 3 means that the name does not exist.
    header.writeUInt16BE(isMissing ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(found.length, 6)
    // Each record: a pointer to the name of the question, type A, class IN, a lifetime of 0 s, 4 bytes.
    const records = found.map((address) =>
      Buffer.from([0xc0, 12, 0, typeA, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split(".").map(Number)])
    )
    socket.send(Buffer.concat([header, query.subarray(12, questionEnd), ...records]), port, address)
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      socket.bind(0, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        socket.close(() => resume(Effect.void))
      })
  )
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answerWith: (...next) => {
      addresses = next
    }
  }
})
