import { assert, describe, it } from "@effect/vitest"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { startServer } from "./support/process.ts"
import { callAdminApi, pollUntil, sendRequest, testSettings } from "./support/service.ts"
import { migratedPostgres } from "./support/testDatabases.ts"
import { startReceiver } from "./support/webhookReceiver.ts"

// The test process itself sends the requests to the receivers.
ignorePaths("/hook")

describe("A webhook of two nodes", () => {
  it.live(
    "gets an event again, with the same id, from the other node when SIGKILL loses the result",
    () =>
      Effect.gen(function*() {
        const { environment, sql } = yield* migratedPostgres
        const settings = { ...testSettings, ...environment, TAPELINE_WEBHOOK_ALLOW_PRIVATE: "127.0.0.1" }
        const receiver = yield* startReceiver
        // The first message gets no response, so the node that sent the message cannot record a result.
        receiver.respondWith((response, count) => count === 1 ? undefined : void response.writeHead(200).end())
        const first = yield* startServer(settings)
        const { id, secret } = yield* callAdminApi(first, "POST", "/webhooks", {
          url: receiver.url,
          types: ["account.created"]
        })
        yield* callAdminApi(first, "POST", "/accounts", { name: "a", plan: "pro" })
        yield* pollUntil("the first message", Effect.sync(() => receiver.messages.length), (count) => count === 1)
        yield* first.kill
        const second = yield* startServer(settings)
        const readDelivery = Effect.map(
          callAdminApi(second, "GET", `/webhooks/${id}/deliveries`),
          ({ deliveries: [delivery] }) => delivery
        )
        yield* callAdminApi(second, "POST", "/accounts", { name: "b", plan: "pro" })
        yield* pollUntil(
          "the second delivery",
          callAdminApi(second, "GET", `/webhooks/${id}/deliveries`),
          ({ deliveries }) => deliveries.length === 2
        )
        // The lease of the killed node has not expired, so the other node sends nothing.
        assert.strictEqual(receiver.messages.length, 1)
        assert.deepInclude(yield* readDelivery, { state: "waiting", attempts: 0 })
        yield* sql((sql) => sql`update webhooks set lease_until = lease_until - 60000`)
        yield* pollUntil("the delivery", readDelivery, ({ state }) => state === "delivered")
        const messages = yield* pollUntil("all", Effect.sync(() => receiver.messages), ({ length }) => length === 3)
        assert.strictEqual(messages[0]!.headers["webhook-id"], messages[1]!.headers["webhook-id"])
        assert.notStrictEqual(messages[1]!.headers["webhook-id"], messages[2]!.headers["webhook-id"])
        for (const { body, headers } of messages) new Webhook(secret).verify(body, headers)
        const { text } = yield* sendRequest(second, "GET", "/metrics", { key: testSettings.TAPELINE_ADMIN_TOKEN })
        assert.match(text, /tapeline_webhook_attempts\{result="delivered"\} 2/)
        assert.match(text, /tapeline_webhook_oldest_waiting_seconds /)
        for (const output of [first.stdout(), first.stderr(), second.stdout(), second.stderr()]) {
          assert.notInclude(output, "receiver-secret")
          assert.notInclude(output, secret)
        }
      }),
    60_000
  )
})
