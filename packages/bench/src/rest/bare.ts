/** A `node:http` server that only responds with 200, and prints its URL. */
import { createServer } from "node:http"

const server = createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
  request.resume().on("end", () => response.end("{}"))
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address !== null && typeof address === "object") console.log(`listens on http://127.0.0.1:${address.port}`)
})
process.once("SIGTERM", () => process.exit(0))
