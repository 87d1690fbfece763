/** A `node:http` server that only sends events. Prints its address. */
import { createServer, type ServerResponse } from "node:http"
import { answers, deltaAt, everyPeriod, instant } from "./shape.ts"

interface Answer {
  n: number
  readonly first: string
  readonly readers: Set<ServerResponse>
}

const event = (answer: number, n: number, data: string) => `id: ${answer}-${n}\nevent: delta\ndata: ${data}\n\n`
const all = Array.from({ length: answers }, (_, i): Answer => ({
  n: 1,
  first: event(i, 1, "{}"),
  readers: new Set()
}))

for (const [i, answer] of all.entries()) {
  const tell = () => {
    const text = event(i, ++answer.n, JSON.stringify(deltaAt(instant())))
    for (const reader of answer.readers) reader.write(text)
  }
  everyPeriod(i, tell)
}

const server = createServer((request, response) => {
  const answer = all[Number(request.url?.slice("/answers/".length))]
  if (answer === undefined) return response.end("{}")
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  response.write(answer.first)
  answer.readers.add(response)
  response.on("close", () => answer.readers.delete(response))
  return response
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address !== "object") return
  console.log(`paths ${JSON.stringify(all.map((_, i) => `/answers/${i}`))}`)
  console.log(`listens on http://127.0.0.1:${address.port}`)
})
process.once("SIGTERM", () => process.exit(0))
