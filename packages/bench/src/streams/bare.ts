/** A `node:http` server that only sends events, and prints its URL. */
import { createServer, type ServerResponse } from "node:http"
import { answerCount, currentTimeMs, makeDelta, runEveryPeriod } from "./answerTiming.ts"

interface Answer {
  eventNumber: number
  readonly firstEvent: string
  readonly readers: Set<ServerResponse>
}

const formatEvent = (answer: number, n: number, data: string) => `id: ${answer}-${n}\nevent: delta\ndata: ${data}\n\n`
const answerStates = Array.from({ length: answerCount }, (_, i): Answer => ({
  eventNumber: 1,
  firstEvent: formatEvent(i, 1, "{}"),
  readers: new Set()
}))

for (const [i, answer] of answerStates.entries()) {
  const sendEvent = () => {
    const text = formatEvent(i, ++answer.eventNumber, JSON.stringify(makeDelta(currentTimeMs())))
    for (const reader of answer.readers) reader.write(text)
  }
  runEveryPeriod(i, sendEvent)
}

const server = createServer((request, response) => {
  const answer = answerStates[Number(request.url?.slice("/answers/".length))]
  if (answer === undefined) return response.end("{}")
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" })
  response.write(answer.firstEvent)
  answer.readers.add(response)
  response.on("close", () => answer.readers.delete(response))
  return response
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address !== "object") return
  console.log(`paths ${JSON.stringify(answerStates.map((_, i) => `/answers/${i}`))}`)
  console.log(`listens on http://127.0.0.1:${address.port}`)
})
process.once("SIGTERM", () => process.exit(0))
