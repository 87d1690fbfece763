// Uses the engine as a library inside a `node:http` server with its own routes, users and tokens, without Tapeline's
// HTTP packages. Run `npm run server`, then `curl -H 'authorization: Bearer ann' http://127.0.0.1:3000/price/BTC`.
import {
  Administration,
  DerivedStore,
  getPrice,
  layerEngine,
  type Principal,
  Toolbox,
  ToolCaller,
  tools
} from "@tapeline/core"
import { SimMarket } from "@tapeline/market-sim"
import { layerMigrations, layerPglite, PgStores } from "@tapeline/postgres"
import { Effect, Layer, ManagedRuntime } from "effect"
import { createServer } from "node:http"

const stores = PgStores.pipe(Layer.provide(layerMigrations), Layer.provide(layerPglite({ memory: true })))
const market = DerivedStore.layer.pipe(Layer.provideMerge(SimMarket.layer({ seed: 1 })))
const engine = layerEngine({ toolbox: Toolbox.layer(tools) }).pipe(Layer.provideMerge(Layer.mergeAll(stores, market)))
const runtime = ManagedRuntime.make(engine)

/** The server's users by token, each with an account in the engine. */
const users = new Map<string, Principal>()
for (const name of ["ann", "bob"]) {
  users.set(
    name,
    await runtime.runPromise(Effect.gen(function*() {
      const { createAccount, issueKey } = yield* Administration
      const { id: account, plan } = yield* createAccount({ name, plan: "free" })
      const { record } = yield* issueKey({ account, name: "embedded", scopes: ["read:market"] })
      return { account, actor: { _tag: "Key", key: record.id }, plan, scopes: record.scopes }
    }))
  )
}

interface Answer {
  readonly status: number
  readonly body: object
}

/** Returns the price of a coin, or the HTTP status and message for an error of the engine. */
const priceOf = (principal: Principal, coin: string): Effect.Effect<Answer, never, ToolCaller> =>
  Effect.gen(function*() {
    const caller = yield* ToolCaller
    const { credits_left, data } = yield* caller.call(getPrice, { principal, arguments: { coin } })
    return { status: 200, body: { coin: data.coin, usd: data.price, credits_left } }
  }).pipe(
    Effect.catchTag("CallFailed", ({ message }) => Effect.succeed({ status: 404, body: { message } })),
    Effect.catchTag("OverLimit", ({ message }) => Effect.succeed({ status: 402, body: { message } })),
    Effect.catch((error) => Effect.succeed({ status: 503, body: { message: error._tag } }))
  )

const server = createServer((request, response) => {
  const principal = users.get(request.headers.authorization?.replace("Bearer ", "") ?? "")
  const coin = /^\/price\/(\w{1,20})$/.exec(request.url ?? "")?.[1]
  const reply = principal === undefined
    ? Promise.resolve({ status: 401, body: { message: "who are you?" } })
    : coin === undefined
    ? Promise.resolve({ status: 404, body: { message: "there is /price/{coin}" } })
    : runtime.runPromise(priceOf(principal, coin))
  void reply.catch(() => ({ status: 500, body: { message: "something broke" } })).then(({ body, status }) => {
    response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
  })
})

server.listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1", () => {
  const address = server.address()
  console.log(`listens on http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`)
})

process.once("SIGTERM", () => {
  server.close(() => void runtime.dispose())
  server.closeAllConnections()
})
