import { assert, describe, it } from "@effect/vitest"
import { ignorePaths } from "@tapeline/document/validateResponses"
import { Effect } from "effect"
import { Webhook } from "standardwebhooks"
import { runCli } from "./support/cli.ts"
import { startServer } from "./support/process.ts"
import { pollUntil, testSettings } from "./support/service.ts"
import { makePglite } from "./support/testDatabases.ts"
import { startReceiver } from "./support/webhookReceiver.ts"

// The test process itself sends the requests to the receivers.
ignorePaths("/hook")

/** Runs `tapeline webhooks`, and returns the printed JSON, or the printed text. */
const runWebhooks = (address: string, ...args: ReadonlyArray<string>) =>
  Effect.map(
    runCli({ address })("webhooks", "--json", ...args),
    ({ stderr, stdout }) => stdout.startsWith("{") ? JSON.parse(stdout) : stdout || stderr
  )

describe("tapeline webhooks", () => {
  it.live(
    "creates, tests, changes, rotates, retries and deletes a webhook on an embedded database",
    () =>
      Effect.gen(function*() {
        const { environment } = yield* makePglite()
        const receiver = yield* startReceiver
        const { address } = yield* startServer({
          ...testSettings,
          ...environment,
          TAPELINE_WEBHOOK_ALLOW_PRIVATE: "127.0.0.1"
        })
        const created = yield* runWebhooks(
          address,
          "create",
          "--url",
          receiver.url,
          "--types",
          "key.issued, key.revoked"
        )
        assert.deepInclude(created, { id: 1, types: ["key.issued", "key.revoked"], description: null })
        const rejected = yield* runWebhooks(address, "create", "--url", "https://10.0.0.1/")
        assert.include(rejected, "400: url: This address belongs to a private or reserved network")
        yield* runWebhooks(address, "test", "1")
        const [message] = yield* pollUntil(
          "the test",
          Effect.sync(() => receiver.messages),
          ({ length }) => length === 1
        )
        assert.deepInclude(new Webhook(created.secret).verify(message!.body, message!.headers), {
          type: "webhook.test"
        })
        const { deliveries } = yield* pollUntil(
          "the delivery",
          runWebhooks(address, "deliveries", "1"),
          ({ deliveries: [delivery] }) => delivery?.state === "delivered"
        )
        assert.deepInclude(deliveries[0], { type: "webhook.test", attempts: 1, last_status: 204 })
        const rotated = yield* runWebhooks(address, "rotate", "1", "--overlap-hours", "0")
        yield* runWebhooks(address, "retry", "1", String(deliveries[0].event))
        const [, again] = yield* pollUntil(
          "the retry",
          Effect.sync(() => receiver.messages),
          ({ length }) => length === 2
        )
        new Webhook(rotated.secret).verify(again!.body, again!.headers)
        assert.strictEqual(again!.headers["webhook-id"], message!.headers["webhook-id"])
        const updated = yield* runWebhooks(
          address,
          "update",
          "1",
          "--types=all",
          "--description=d",
          "--status=disabled",
          "--url=https://b.example/"
        )
        assert.deepInclude(updated, { types: null, description: "d", status: "disabled", url: "https://b.example/" })
        assert.deepStrictEqual((yield* runWebhooks(address, "list")).webhooks, [updated])
        assert.strictEqual(yield* runWebhooks(address, "delete", "1"), "done\n")
        assert.deepStrictEqual((yield* runWebhooks(address, "list")).webhooks, [])
      }),
    240_000
  )
})
