/** A bare Fastify server that answers a POST with its body, to show the cost of HTTP and JSON, and prints its URL. */
import Fastify from "fastify"

const app = Fastify()
app.post("/v1/tools/get_price", (request) => request.body)
console.log(`listens on ${await app.listen({ host: "127.0.0.1", port: 0 })}`)
